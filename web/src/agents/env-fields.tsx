/**
 * Environment variables of an agent. Stored values never come back: what is there shows as kept,
 * and can be replaced or removed.
 */
import { useId } from 'react'
import { Button, IconButton } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { CloseIcon, PlusIcon } from '../parts/icons.tsx'
import { useWords } from '../translations/messages.tsx'
import type { EnvEntry } from './agent-draft.ts'

interface EnvFieldsProps {
  readonly entries: readonly EnvEntry[]
  readonly problems: ReadonlyMap<number, string>
  readonly tried: boolean
  readonly onEntries: (entries: readonly EnvEntry[]) => void
}

const mostEntries = 256

export function EnvFields({ entries, problems, tried, onEntries }: EnvFieldsProps) {
  const words = useWords()
  const id = useId()
  const change = (key: number, next: Partial<EnvEntry>) =>
    onEntries(entries.map((entry) => (entry.key === key ? { ...entry, ...next } : entry)))
  const add = () =>
    onEntries([
      ...entries,
      { key: Math.max(-1, ...entries.map((entry) => entry.key)) + 1, name: '', value: '' },
    ])
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" aria-describedby={`${id}-hint`}>
      <legend className="mb-1 flex items-baseline gap-1.5 font-medium">
        {words.agents.env}
        <span className="text-xs font-normal text-faint">{words.optional}</span>
      </legend>
      {entries.map((entry) => {
        const problem = tried || entry.name ? problems.get(entry.key) : undefined
        const about = `${id}-${entry.key}`
        return (
          <div key={entry.key}>
            <div className="flex gap-2">
              <input
                aria-label={words.agents.envName}
                aria-invalid={problem ? true : undefined}
                aria-describedby={problem ? about : undefined}
                placeholder="API_KEY"
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                readOnly={entry.kept !== undefined}
                value={entry.name}
                onChange={(event) => change(entry.key, { name: event.target.value })}
                className={`${inputClass} flex-1 font-mono text-sm read-only:bg-sunken`}
              />
              <input
                type="password"
                aria-label={`${words.agents.envValue} ${entry.name}`}
                placeholder={
                  entry.kept === undefined
                    ? words.agents.envValue
                    : `${entry.kept} ${words.agents.envKept}`
                }
                autoComplete="new-password"
                value={entry.value}
                onChange={(event) => change(entry.key, { value: event.target.value })}
                className={`${inputClass} flex-1 font-mono text-sm`}
              />
              <IconButton
                label={words.agents.envRemove(entry.name || words.agents.envName)}
                onClick={() => onEntries(entries.filter(({ key }) => key !== entry.key))}
              >
                <CloseIcon />
              </IconButton>
            </div>
            {problem && (
              <p id={about} className="mt-1 text-sm text-bad">
                {problem}
              </p>
            )}
          </div>
        )
      })}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p id={`${id}-hint`} className="text-sm text-faint">
          {words.agents.envHint}
        </p>
        <Button look="quiet" onClick={add} disabled={entries.length >= mostEntries}>
          <PlusIcon />
          {words.agents.envAdd}
        </Button>
      </div>
    </fieldset>
  )
}
