/**
 * Project settings (NA10) with their defaults and ranges. A project stores only values that differ
 * from the default. Pure.
 */

import { nearest } from '../nearest.ts'
import { type NoticeText, notice } from '../notices.ts'

/** A label of a machine: lower-case letters, digits, `.`, `_` and `-`. */
export const labelForm = /^[a-z0-9][a-z0-9._-]{0,62}$/

interface NumberRule {
  readonly kind: 'number'
  readonly fallback: number
  readonly min: number
  readonly max: number
  readonly whole?: true
}

interface ChoiceRule {
  readonly kind: 'choice'
  readonly fallback: string
  readonly allowed: readonly string[]
}

/** A machine label, or empty. */
interface LabelRule {
  readonly kind: 'label'
  readonly fallback: ''
}

/** Any text on one line. */
interface TextRule {
  readonly kind: 'text'
  readonly fallback: ''
  readonly max: number
}

const number = (fallback: number, min: number, max: number): NumberRule => ({
  kind: 'number',
  fallback,
  min,
  max,
})
const whole = (fallback: number, min: number, max: number): NumberRule => ({
  ...number(fallback, min, max),
  whole: true,
})

export const settingRules = {
  'chat.wait_interval_seconds': number(5, 1, 55),
  'chat.soft_timeout_minutes': number(10, 0.05, 1440),
  'chat.hard_timeout_minutes': number(15, 0.05, 1440),
  /** CX9: the workspace of new conversations; a new project with git sets `worktree`. */
  'chat.workplace': { kind: 'choice', fallback: 'checkout', allowed: ['worktree', 'checkout'] },
  'chat.summarize_after_chars': whole(60_000, 1000, 10_000_000),
  'agent_session.ttl_minutes': number(60, 0.1, 10_080),
  'process_exit.grace_seconds': number(10, 0, 60),
  'agent.start_timeout_seconds': number(60, 1, 600),
  'user_session.detached_hours': number(24, 0.001, 720),
  'checkpoint.interval_minutes': number(5, 0.05, 60),
  'resume.budget_tokens': whole(8000, 500, 200_000),
  'permission.deadline_minutes': number(1440, 0.05, 10_080),
  'turn.max_minutes': number(120, 0.05, 1440),
  'permission.policy': {
    kind: 'choice',
    fallback: 'ask',
    allowed: ['ask', 'allow_reads', 'allow_all'],
  },
  'restart.max': whole(3, 0, 100),
  'restart.window_seconds': number(60, 1, 3600),
  /** WT3; 0: never. */
  'worktree.remove_after_days': number(0, 0, 3650),
  /** FS10; 0: as long as the conversation. */
  'files.keep_days': number(90, 0, 3650),
  'agent.runs_on': { kind: 'label', fallback: '' },
  /** LD6: a command that must succeed before anything is landed. */
  'land.check': { kind: 'text', fallback: '', max: 1000 },
  /** LD1: branches, with commas between, into which nothing is landed directly. */
  'land.protected': { kind: 'text', fallback: '', max: 1000 },
  /** LD8: people who are no owners push with the ssh of the machine, too. */
  'land.ssh': { kind: 'choice', fallback: 'no', allowed: ['no', 'yes'] },
  'land.co_author': { kind: 'choice', fallback: 'yes', allowed: ['yes', 'no'] },
} as const satisfies Record<string, NumberRule | ChoiceRule | LabelRule | TextRule>

/**
 * SE3: settings that decide what runs, and where, without asking. Changing them needs the `manage`
 * scope.
 */
export const managedSettings: ReadonlySet<string> = new Set<keyof typeof settingRules>([
  'permission.policy',
  'agent.runs_on',
  'land.check',
  'land.protected',
  'land.ssh',
])

export type SettingKey = keyof typeof settingRules
export type SettingValue = number | string

/** Values the project has set itself. */
export type ChosenSettings = Readonly<Partial<Record<SettingKey, SettingValue>>>
export type ProjectSettings = Readonly<Record<SettingKey, SettingValue>>

export interface SettingProblem {
  readonly key: string
  readonly detail: NoticeText
  readonly min?: number
  readonly max?: number
  readonly allowed?: readonly string[]
}

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingRules, key)

/** The set values, with defaults for the rest. */
export function effectiveSettings(chosen: ChosenSettings): ProjectSettings {
  const all = Object.entries(settingRules).map(([key, rule]) => [
    key,
    chosen[key as SettingKey] ?? rule.fallback,
  ])
  return Object.fromEntries(all) as ProjectSettings
}

/**
 * Applies a change, or returns its first problem. `null` restores the default. One bad value
 * refuses the whole change.
 */
export function changeSettings(
  chosen: ChosenSettings,
  change: Readonly<Record<string, unknown>>,
): { chosen: ChosenSettings } | { problem: SettingProblem } {
  const next: Partial<Record<SettingKey, SettingValue>> = { ...chosen }
  for (const [key, value] of Object.entries(change)) {
    if (!isSettingKey(key)) return { problem: { key, detail: unknownKey(key) } }
    const problem = value === null ? undefined : problemWith(key, value)
    if (problem) return { problem }
    if (value === null || value === settingRules[key].fallback) delete next[key]
    else next[key] = value as SettingValue
  }
  const problem = problemBetween(effectiveSettings(next), change)
  return problem ? { problem } : { chosen: next }
}

function problemWith(key: SettingKey, value: unknown): SettingProblem | undefined {
  const rule: NumberRule | ChoiceRule | LabelRule | TextRule = settingRules[key]
  if (rule.kind === 'text') {
    const isLine = typeof value === 'string' && value.length <= rule.max && !/[\r\n\0]/.test(value)
    if (isLine) return undefined
    const { max: most } = rule
    return {
      key,
      detail: notice(
        'settingText',
        { key, most },
        '{key} must be text on one line, of at most {most} characters',
      ),
    }
  }
  if (rule.kind === 'label') {
    if (value === '' || (typeof value === 'string' && labelForm.test(value))) return undefined
    return {
      key,
      detail: notice(
        'settingLabel',
        { key },
        '{key} must be a label: lower-case letters, digits, . _ and -',
      ),
    }
  }
  if (rule.kind === 'choice') {
    if (typeof value === 'string' && rule.allowed.includes(value)) return undefined
    return {
      key,
      allowed: rule.allowed,
      detail: notice(
        'settingChoice',
        { key, allowed: rule.allowed.join(', ') },
        '{key} must be one of {allowed}',
      ),
    }
  }
  const { min, max } = rule
  const fits =
    typeof value === 'number' &&
    value >= min &&
    value <= max &&
    (!rule.whole || Number.isInteger(value))
  if (fits) return undefined
  const detail = rule.whole
    ? notice('settingWhole', { key, min, max }, '{key} must be a whole number from {min} to {max}')
    : notice('settingNumber', { key, min, max }, '{key} must be a number from {min} to {max}')
  return { key, min, max, detail }
}

/** NA10: the hard timeout must not be below the soft one. The changed one is reported. */
function problemBetween(
  settings: ProjectSettings,
  change: Readonly<Record<string, unknown>>,
): SettingProblem | undefined {
  const [softKey, hardKey] = ['chat.soft_timeout_minutes', 'chat.hard_timeout_minutes'] as const
  const soft = Number(settings[softKey])
  const hard = Number(settings[hardKey])
  if (hard >= soft) return undefined
  if (Object.hasOwn(change, hardKey)) {
    const { max } = settingRules[hardKey]
    const detail = notice(
      'settingBelow',
      { key: hardKey, other: softKey, value: soft },
      '{key} must not be below {other} ({value})',
    )
    return { key: hardKey, min: soft, max, detail }
  }
  const { min } = settingRules[softKey]
  const detail = notice(
    'settingAbove',
    { key: softKey, other: hardKey, value: hard },
    '{key} must not be above {other} ({value})',
  )
  return { key: softKey, min, max: hard, detail }
}

const unknownKey = (key: string): NoticeText => {
  const near = nearest(key, Object.keys(settingRules))
  return near
    ? notice('noSettingNear', { key, near }, 'There is no setting {key}; did you mean {near}?')
    : notice('noSetting', { key }, 'There is no setting {key}')
}

// Durations: the unit is in the name of the setting.

const msOf = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const
type Unit = keyof typeof msOf
type DurationKey = Extract<SettingKey, `${string}_${Unit}`>

export function durationMs(settings: ProjectSettings, key: DurationKey): number {
  const unit = key.slice(key.lastIndexOf('_') + 1) as Unit
  return Number(settings[key]) * msOf[unit]
}
