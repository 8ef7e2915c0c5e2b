/** Converts a duration setting to milliseconds by the unit in its name. Pure. */
import type { ProjectSettings, SettingKey } from './settings.ts'

const msOf = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const
type Unit = keyof typeof msOf
type DurationKey = Extract<SettingKey, `${string}_${Unit}`>

export function durationMs(settings: ProjectSettings, key: DurationKey): number {
  const unit = key.slice(key.lastIndexOf('_') + 1) as Unit
  return Number(settings[key]) * msOf[unit]
}
