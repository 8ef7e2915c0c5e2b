/** Resolves the time zone of a setting: `local` is that of this machine. */
import './temporal.ts'
import { localZone } from '../../protocol/config-parsing.ts'

/**
 * An IANA name, read once. Temporal knows it without the tables that a `DateTimeFormat` loads (7 MB
 * of an idle server, SP11).
 */
export const machineTimeZone = Temporal.Now.timeZoneId()

export const zoneOf = (setting: string): string =>
  setting === localZone ? machineTimeZone : setting
