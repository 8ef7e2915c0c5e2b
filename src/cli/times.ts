/** Formats and parses times for people. Pure: the caller passes the current time. */
import { epochMs, type Instant } from '../domain/instant.ts'

const steps = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
  { unit: 's', ms: 1_000 },
] as const

/** `3 min ago`, `in 2 d`, `now`. */
export function relative(at: Instant, now: number): string {
  const distance = epochMs(at) - now
  const step = steps.find(({ ms }) => Math.abs(distance) >= ms * 0.99)
  if (!step) return 'now'
  const count = distance / step.ms
  // Rounds up: an expiry set to 30 days still reads as 30 days a moment later.
  return distance < 0
    ? `${Math.max(1, Math.floor(-count))} ${step.unit} ago`
    : `in ${Math.ceil(count)} ${step.unit}`
}

/** `2026-03-01 18:00:05` in the local time zone, and how long ago that is. */
export function exact(at: Instant, now: number): string {
  const time = new Date(epochMs(at))
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())} (${relative(at, now)})`
}

const durations: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** `30d`, `12h`, `90m`, `4w`, or a moment in RFC 3339; undefined when it is none of these. */
export function parseMoment(text: string, now: number): Instant | undefined {
  const [, amount, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  const at =
    amount && unit
      ? now + Number(amount) * (durations[unit] ?? 0)
      : /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
