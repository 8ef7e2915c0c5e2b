/**
 * The flags of a conversation (CV3): those that are known, to be changed; those that are not are
 * shown and kept as they are.
 */
import { type FormEvent, useState } from 'react'
import type { Flags } from '../../../../src/protocol/conversations/conversation.ts'
import { Button, SubmitButton } from '../../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useWords } from '../../translations/messages.tsx'
import { saveFlags } from '../conversation-queries.ts'

const yesOrNo = ['localOnly', 'pendingOriginReply'] as const
const texts = [
  'prevPrimaryRoute',
  'originMessageId',
  'originRoute',
  'workOverlayDirective',
  'pendingApprovalJobId',
] as const
const number = 'workOverlayTurnsLeft'
const known: readonly string[] = [...yesOrNo, ...texts, number]

interface FlagsDialogProps {
  readonly conversationKey: string
  readonly flags: Flags
  readonly mayWrite: boolean
  readonly onClose: () => void
}

export function FlagsDialog({ conversationKey, flags, mayWrite, onClose }: FlagsDialogProps) {
  const words = useWords()
  const { conversations } = words
  const [draft, setDraft] = useState<Flags>(flags)
  const [waiting, setWaiting] = useState(false)
  const [error, setError] = useState<unknown>()
  const unknown = Object.entries(flags).filter(([name]) => !known.includes(name))

  async function save(event: FormEvent) {
    event.preventDefault()
    setWaiting(true)
    setError(undefined)
    try {
      await saveFlags(conversationKey, draft)
      onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setWaiting(false)
    }
  }

  return (
    <InputDialog title={conversations.flagsTitle} open onClose={onClose}>
      <form onSubmit={(event) => void save(event)} noValidate className="contents">
        <DialogBody>
          <fieldset disabled={!mayWrite} className="flex flex-col gap-4">
            {yesOrNo.map((name) => (
              <label key={name} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  checked={draft[name] ?? false}
                  onChange={(event) =>
                    setDraft(
                      event.target.checked ? { ...draft, [name]: true } : without(draft, name),
                    )
                  }
                  className="size-4 accent-(--accent)"
                />
                <span>{conversations.flagNames[name]}</span>
                <code className="text-xs text-faint">{name}</code>
              </label>
            ))}
            {texts.map((name) => (
              <TextField
                key={name}
                label={conversations.flagNames[name]}
                hint={<code>{name}</code>}
                value={draft[name] ?? ''}
                onValue={(value) =>
                  setDraft(value ? { ...draft, [name]: value } : without(draft, name))
                }
              />
            ))}
            <TextField
              label={conversations.flagNames[number]}
              hint={<code>{number}</code>}
              inputMode="numeric"
              value={draft[number] === undefined ? '' : String(draft[number])}
              onValue={(value) =>
                setDraft(
                  /^\d{1,6}$/.test(value)
                    ? { ...draft, [number]: Number(value) }
                    : value === ''
                      ? without(draft, number)
                      : draft,
                )
              }
            />
          </fieldset>
          {unknown.length > 0 && (
            <div className="flex flex-col gap-1">
              <p className="text-sm text-faint">{conversations.otherFlags}</p>
              <pre className="max-h-40 overflow-auto rounded-md bg-sunken p-2 text-sm">
                {JSON.stringify(Object.fromEntries(unknown), null, 2)}
              </pre>
            </div>
          )}
          <ProblemNote error={error} typed />
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{mayWrite ? words.act.cancel : words.act.close}</Button>
          {mayWrite && <SubmitButton waiting={waiting}>{words.act.save}</SubmitButton>}
        </DialogFoot>
      </form>
    </InputDialog>
  )
}

function without(flags: Flags, name: string): Flags {
  const { [name]: _, ...rest } = flags
  return rest
}
