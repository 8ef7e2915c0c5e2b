/** The mode, the model and whatever else an agent lets be set while it runs (AG6). What was asked shows at once; a refusal says why. */
import { useState } from 'react'
import type { AgentOption } from '../../../src/protocol/turns/agent-update.ts'
import type { ConfigChange } from '../../../src/protocol/turns/config-change.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import type { PaneAgent } from './console-state.ts'
import type { LiveConsole } from './live-console.ts'

interface AgentSettingsProps {
  readonly role: string
  readonly agent: PaneAgent
  readonly live: LiveConsole
  readonly mayWrite: boolean
}

export function AgentSettings({ role, agent, live, mayWrite }: AgentSettingsProps) {
  const { console: words } = useWords()
  const translate = useSaid()
  // Several may be on their way: none is dropped because another was chosen right before.
  const [wished, setWished] = useState<readonly ConfigChange[]>([])
  const [error, setError] = useState<unknown>()
  const set = (change: ConfigChange) => {
    setWished((before) => [...before, change])
    setError(undefined)
    const over = () => setWished((before) => before.filter((each) => each !== change))
    live.request({ type: 'agent:configure', role, change }).catch(setError).finally(over)
  }
  const modes = agent.options.some(({ category }) => category === 'mode') ? [] : agent.modes
  if (agent.state !== 'ACTIVE' || (modes.length === 0 && agent.options.length === 0)) return null
  const asked = [...agent.asked, ...wished]
  const askedMode = asked.findLast((change) => 'modeId' in change)
  return (
    <>
      <div data-settings className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-quiet">
        {modes.length > 0 && (
          <Choice
            label={words.mode}
            value={askedMode?.modeId ?? agent.mode ?? ''}
            values={modes}
            disabled={!mayWrite}
            onValue={(modeId) => set({ modeId })}
          />
        )}
        {agent.options.map((option) => (
          <Option key={option.id} option={option} asked={asked} disabled={!mayWrite} onChange={set} />
        ))}
      </div>
      {agent.notSet !== null && (
        <p role="alert" className="text-xs text-bad [overflow-wrap:anywhere]">
          {words.notSet(translate(agent.notSet.text, agent.notSet.notice))}
        </p>
      )}
      <ProblemNote error={error} />
    </>
  )
}

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
    <label className="flex min-h-6 items-center gap-1.5">
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

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly values: readonly { readonly id: string; readonly name: string }[]
  readonly disabled: boolean
  readonly onValue: (value: string) => void
}

const Choice = ({ label, value, values, disabled, onValue }: ChoiceProps) => (
  <label className="flex min-h-6 min-w-0 items-center gap-1">
    <span aria-hidden="true" className="shrink-0">
      {label}
    </span>
    <select
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onValue(event.target.value)}
      className="min-w-0 max-w-44 truncate rounded bg-canvas px-1 py-0.5 text-ink shadow-[inset_0_0_0_1px_var(--edge)] max-md:min-h-9"
    >
      {values.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  </label>
)
