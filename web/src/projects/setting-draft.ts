/**
 * The settings being edited: texts as typed, what they would change, and what is wrong with them.
 * Pure.
 */
import {
  labelForm,
  type SettingKey,
  type SettingValue,
  settingRules,
} from '../../../src/protocol/projects/settings.ts'
import type { Messages } from '../translations/en.ts'

export type SettingTexts = Readonly<Partial<Record<SettingKey, string>>>
type Settings = Readonly<Record<string, SettingValue>>

export const settingKeys = Object.keys(settingRules) as SettingKey[]

/** What people change first. */
const everyday: readonly SettingKey[] = [
  'permission.policy',
  'chat.workplace',
  'turn.max_minutes',
  'worktree.remove_after_days',
  'agent.runs_on',
]
const timing = settingKeys.filter((key) => !everyday.includes(key))

/** The groups in which they are shown; all but the first are folded. */
export const settingGroups = {
  everyday,
  chat: timing.filter((key) => key.startsWith('chat.')),
  agent: timing.filter((key) =>
    /^(?:agent|process_exit|restart|user_session|agent_session)\./.test(key),
  ),
  work: timing.filter((key) => /^(?:checkpoint|files|land|resume|turn|worktree)\./.test(key)),
  permission: timing.filter((key) => key.startsWith('permission.')),
} as const

export const isDefault = (key: SettingKey, value: SettingValue | undefined): boolean =>
  value === settingRules[key].fallback

/** Parses a text; undefined when it is no value. */
function settingValue(key: SettingKey, text: string): SettingValue | undefined {
  if (settingRules[key].kind === 'choice') return text
  if (settingRules[key].kind === 'label' || settingRules[key].kind === 'text') return text.trim()
  const value = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

/** The changes to send; `null` resets a setting to its default. */
export function settingChanges(
  texts: SettingTexts,
  settings: Settings,
): Partial<Record<SettingKey, SettingValue | null>> {
  const changes: Partial<Record<SettingKey, SettingValue | null>> = {}
  for (const key of settingKeys) {
    const text = texts[key]
    const value = text === undefined ? undefined : settingValue(key, text)
    if (value === undefined || value === settings[key]) continue
    changes[key] = isDefault(key, value) ? null : value
  }
  return changes
}

type Written = (value: number) => string

export function settingProblem(
  key: SettingKey,
  texts: SettingTexts,
  settings: Settings,
  words: Messages,
  number: Written,
): string | undefined {
  return (
    ownProblem(key, texts[key], words, number) ?? orderProblem(key, texts, settings, words, number)
  )
}

function ownProblem(
  key: SettingKey,
  text: string | undefined,
  words: Messages,
  number: Written,
): string | undefined {
  const rule = settingRules[key]
  if (text === undefined || rule.kind === 'choice' || rule.kind === 'text') return undefined
  const value = settingValue(key, text)
  if (rule.kind === 'label')
    return value === '' || labelForm.test(String(value)) ? undefined : words.settings.labelForm
  const whole = 'whole' in rule && rule.whole
  const fits =
    typeof value === 'number' &&
    value >= rule.min &&
    value <= rule.max &&
    (!whole || Number.isInteger(value))
  return fits ? undefined : rangeOf(key, words, number)
}

/** NA10: the hard timeout never comes before the soft one, whichever of the two was touched. */
function orderProblem(
  key: SettingKey,
  texts: SettingTexts,
  settings: Settings,
  words: Messages,
  number: Written,
): string | undefined {
  const [softKey, hardKey] = ['chat.soft_timeout_minutes', 'chat.hard_timeout_minutes'] as const
  if (key !== hardKey || (texts[softKey] === undefined && texts[hardKey] === undefined))
    return undefined
  const soft = settingValue(softKey, texts[softKey] ?? String(settings[softKey]))
  const hard = settingValue(hardKey, texts[hardKey] ?? String(settings[hardKey]))
  if (typeof soft !== 'number' || typeof hard !== 'number' || hard >= soft) return undefined
  return words.settings.notBelow(words.settings.keys[softKey], number(soft))
}

export function rangeOf(key: SettingKey, words: Messages, number: Written): string {
  const rule = settingRules[key]
  if (rule.kind !== 'number') return ''
  const whole = 'whole' in rule && rule.whole
  return (whole ? words.settings.wholeRange : words.settings.range)(
    number(rule.min),
    number(rule.max),
  )
}

export function unitOf(key: SettingKey, words: Messages): string {
  const units = words.settings.units
  const unit = (Object.keys(units) as (keyof typeof units)[]).find((each) =>
    key.endsWith(`_${each}`),
  )
  return unit ? units[unit] : units.times
}
