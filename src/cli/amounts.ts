/** Formats amounts for people. Pure. */

/** `1,234 events`, `1 event`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `840 B`, `12.3 MB`. */
export function size(bytes: number): string {
  const step = Math.min(
    units.length - 1,
    Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)),
  )
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
