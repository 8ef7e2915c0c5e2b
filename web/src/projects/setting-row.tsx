/**
 * One setting: its purpose, its value with unit and range, whether it was changed, and a reset to
 * the default.
 */
import { useId } from 'react'
import {
  type SettingKey,
  type SettingValue,
  settingRules,
} from '../../../src/protocol/projects/settings.ts'
import { IconButton } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { ResetIcon } from '../parts/icons.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { isDefault, rangeOf, unitOf } from './setting-draft.ts'
import { useSettingTexts } from './words.ts'

interface SettingRowProps {
  readonly name: SettingKey
  readonly value: SettingValue | undefined
  /** The typed, unsaved text; undefined when untouched. */
  readonly text: string | undefined
  readonly problem: string | undefined
  readonly waiting: boolean
  readonly mayWrite: boolean
  readonly onText: (text: string) => void
  readonly onReset: () => void
}

export function SettingRow({
  name,
  value,
  text,
  problem,
  waiting,
  mayWrite,
  onText,
  onReset,
}: SettingRowProps) {
  const words = useWords()
  const { number } = useWriting()
  const id = useId()
  const rule = settingRules[name]
  const title = words.settings.keys[name]
  const about = useSettingTexts()[name]
  const changed = !isDefault(name, value)
  const tie = {
    id,
    'aria-describedby': `${id}-about ${id}-range`,
    'aria-invalid': problem ? (true as const) : undefined,
  }
  const shown = text ?? String(value ?? rule.fallback)
  const emptyIs = rule.kind === 'label' ? words.settings.anyMachine : words.settings.none
  const fallback =
    rule.kind === 'choice'
      ? (words.settings.choices[rule.fallback] ?? rule.fallback)
      : rule.kind === 'label' || rule.kind === 'text'
        ? emptyIs
        : number(rule.fallback)
  return (
    <div
      id={name}
      className={`grid scroll-mt-24 items-start gap-x-6 gap-y-2 py-3 sm:grid-cols-[minmax(0,1fr)_17rem] ${waiting ? 'opacity-60' : ''}`}
    >
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {title}
        </label>
        {changed && (
          <span className="ml-2 rounded bg-accent-wash px-1.5 py-0.5 text-xs font-medium whitespace-nowrap text-accent">
            {words.project.changed}
          </span>
        )}
        <p id={`${id}-about`} className="text-sm text-quiet">
          {about}
        </p>
      </div>
      <div className="min-w-0">
        <div className="flex items-center gap-2">
          {rule.kind === 'choice' ? (
            <select
              {...tie}
              value={shown}
              onChange={(event) => onText(event.target.value)}
              className={`${inputClass} flex-1`}
            >
              {rule.allowed.map((choice) => (
                <option key={choice} value={choice}>
                  {words.settings.choices[choice] ?? choice}
                </option>
              ))}
            </select>
          ) : rule.kind === 'label' || rule.kind === 'text' ? (
            <input
              {...tie}
              autoComplete="off"
              spellCheck={false}
              placeholder={emptyIs}
              value={shown}
              onChange={(event) => onText(event.target.value)}
              className={`${inputClass} flex-1`}
            />
          ) : (
            <>
              <input
                {...tie}
                inputMode="decimal"
                autoComplete="off"
                value={shown}
                onChange={(event) => onText(event.target.value)}
                className={`${inputClass} w-28! text-right tabular-nums`}
              />
              <span className="flex-1 text-sm text-quiet">{unitOf(name, words)}</span>
            </>
          )}
          {changed && mayWrite && (
            <IconButton label={words.project.resetName(title)} onClick={onReset}>
              <ResetIcon />
            </IconButton>
          )}
        </div>
        <p id={`${id}-range`} className={`mt-1 text-xs ${problem ? 'text-bad' : 'text-faint'}`}>
          {problem ??
            [
              words.settings.fallback(fallback),
              ...(rule.kind === 'number' ? [rangeOf(name, words, number)] : []),
            ].join(' · ')}
        </p>
      </div>
    </div>
  )
}
