/** Resolves the time zone of a setting: `local` is that of this machine. */
import { localZone } from '../protocol/config.ts'

export const zoneOf = (setting: string): string =>
  setting === localZone ? new Intl.DateTimeFormat().resolvedOptions().timeZone : setting
