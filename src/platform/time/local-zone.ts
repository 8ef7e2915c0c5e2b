/** Resolves the time zone of a setting: `local` is that of this machine. */
import { localZone } from '../../protocol/config.ts'

/** An IANA name, read once. */
export const machineTimeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

export const zoneOf = (setting: string): string => (setting === localZone ? machineTimeZone : setting)
