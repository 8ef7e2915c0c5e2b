/**
 * A time in RFC 3339 UTC with milliseconds, the only form in rows, events and answers. Such strings
 * sort by time.
 */
export type Instant = string

export const instant = (epochMs: number): Instant => new Date(epochMs).toISOString()

export const epochMs = (at: Instant): number => Date.parse(at)

export const later = (at: Instant, durationMs: number): Instant => instant(epochMs(at) + durationMs)
