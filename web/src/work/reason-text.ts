/**
 * Why work was interrupted, in words: those of known codes, and another program's code without its
 * underscores. Pure.
 */
import type { Messages } from '../translations/en.ts'

export const reasonText = ({ reasons }: Messages['workSessions'], reason: string): string =>
  reasons[reason] ?? (/^[a-z]+(?:_[a-z]+)+$/.test(reason) ? reason.replaceAll('_', ' ') : reason)
