/**
 * "Allow always" (AG6): for what and for how long, with the narrowest and a working day chosen;
 * kept by Holdfast, never by the agent.
 */
import { useId, useState } from 'react'
import type { AlwaysTerms } from '../../../src/protocol/approvals/allowance.ts'
import {
  type AllowanceScope,
  allowanceMinutes,
  folderOf,
  scopesFor,
} from '../../../src/protocol/approvals/allowance-scopes.ts'
import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { useDisplayName } from '../live/display-names.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { Choices } from '../parts/choices.tsx'
import { useWords } from '../translations/messages.tsx'

interface AlwaysFormProps {
  readonly asked: { readonly call: ToolCall; readonly likeness: string | null }
  readonly agentId: string
  readonly waiting: boolean
  readonly onGive: (terms: AlwaysTerms) => void
}

/**
 * Renders nothing where “always” is not possible: the agent does not say what it would do, or asks
 * for a change of its mode.
 */
export function AlwaysForm({
  asked: { call, likeness },
  agentId,
  waiting,
  onGive,
}: AlwaysFormProps) {
  const { allowances: words, console: consoleWords } = useWords()
  const nameOf = useDisplayName()
  const form = useId()
  const [open, setOpen] = useState(false)
  const asked = { ...call, likeness }
  const scopes = call.toolKind === 'switch_mode' ? [] : scopesFor(asked)
  const [chosen, setScope] = useState<AllowanceScope | undefined>()
  const [minutes, setMinutes] = useState<string>(String(allowanceMinutes.default))
  const scope = chosen ?? scopes[0]
  if (!scope) return null
  const hints = {
    request: words.hints.request,
    folder: words.hints.folder(folderOf(asked) ?? ''),
    tool: words.hints.tool(consoleWords.tools[call.toolKind]),
  }
  return (
    <div className="contents">
      <Button
        aria-expanded={open}
        aria-controls={form}
        disabled={waiting}
        data-press
        onClick={() => setOpen(!open)}
      >
        {words.always}
      </Button>
      {open && (
        <div
          id={form}
          data-always
          className="flex w-full min-w-0 flex-col gap-3 rounded-md bg-raised p-3"
        >
          <Choices
            label={words.what}
            value={scope}
            options={scopes.map((value) => ({
              value,
              name: words.scopes[value],
              hint: hints[value],
            }))}
            onValue={setScope}
          />
          <Choices
            label={words.howLong}
            value={minutes}
            options={Object.entries(words.durations).map(([value, name]) => ({ value, name }))}
            onValue={setMinutes}
          />
          <p className="text-sm text-quiet">{words.forWhom(nameOf(agentId))}</p>
          <div>
            <SubmitButton
              type="button"
              waiting={waiting}
              onClick={() => onGive({ scope, expiresInMinutes: Number(minutes) })}
            >
              {words.give}
            </SubmitButton>
          </div>
        </div>
      )}
    </div>
  )
}
