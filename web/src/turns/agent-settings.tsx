/** The mode, the model and whatever else an agent lets be set while it runs (AG6). What was asked shows at once; a refusal says why. */
import { useState } from 'react'
import type { AgentOption } from '../../../src/protocol/turns/agent-update.ts'
import type { ConfigChange } from '../../../src/protocol/turns/config-change.ts'
import { Choice } from '../parts/choice.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import type { Offers } from './offers.ts'
import { usePaneActions } from './pane-actions.ts'

export function AgentSettings({ offers, mayWrite }: { offers: Offers; mayWrite: boolean }) {
  const { console: words } = useWords()
  const translate = useSaid()
  const { configure } = usePaneActions()
  // Several may be on their way: none is dropped because another was chosen right before.
  const [wished, setWished] = useState<readonly ConfigChange[]>([])
  const [error, setError] = useState<unknown>()
  const set = (change: ConfigChange) => {
    setWished((before) => [...before, change])
    setError(undefined)
    const over = () => setWished((before) => before.filter((each) => each !== change))
    configure?.(change).catch(setError).finally(over)
  }
  const modes = offers.options.some(({ category }) => category === 'mode') ? [] : offers.modes
  if (modes.length === 0 && offers.options.length === 0) return null
  const asked = [...offers.asked, ...wished]
  const askedMode = asked.findLast((change) => 'modeId' in change)
  return (
    <>
      <div data-settings className="flex items-center gap-x-1 text-sm text-quiet">
        {modes.length > 0 && (
          <Choice
            label={words.mode}
            value={askedMode?.modeId ?? offers.mode ?? ''}
            values={modes}
            disabled={!mayWrite}
            onValue={(modeId) => set({ modeId })}
          />
        )}
        {byImportance(offers.options).map((option) => (
          <Option key={option.id} option={option} asked={asked} disabled={!mayWrite} onChange={set} />
        ))}
      </div>
      {offers.notSet !== null && (
        <p role="alert" className="text-xs text-bad [overflow-wrap:anywhere]">
          {words.notSet(translate(offers.notSet.text, offers.notSet.notice))}
        </p>
      )}
      <ProblemNote error={error} />
    </>
  )
}

const order = ['model', 'mode', 'thought_level']

/** The model first. */
const byImportance = (options: readonly AgentOption[]): AgentOption[] =>
  options.toSorted((a, b) => ((order.indexOf(a.category ?? '') + 4) % 4) - ((order.indexOf(b.category ?? '') + 4) % 4))

interface OptionProps {
  readonly option: AgentOption
  readonly asked: readonly ConfigChange[]
  readonly disabled: boolean
  readonly onChange: (change: ConfigChange) => void
}

function Option({ option: { id, name, value: known, values }, asked, disabled, onChange }: OptionProps) {
  const value = asked.filter((change) => 'optionId' in change).findLast((change) => change.optionId === id)?.value ?? known
  if (typeof value === 'string')
    return (
      <Choice
        label={name}
        value={value}
        values={values}
        disabled={disabled}
        onValue={(chosen) => onChange({ optionId: id, value: chosen })}
      />
    )
  return (
    <label className="flex h-7 shrink-0 items-center gap-1.5 px-1.5">
      <input
        type="checkbox"
        checked={value}
        disabled={disabled}
        onChange={(event) => onChange({ optionId: id, value: event.target.checked })}
      />
      {name}
    </label>
  )
}
