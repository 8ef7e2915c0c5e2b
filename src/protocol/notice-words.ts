/**
 * The words of a notice in the reader's language. Without the schemas, because the page loads it on
 * every visit.
 */
import { type Forms, type Notice, type Wording, wordsIn } from '../domain/notices.ts'
import { exitNoticeOfOldText, noticeOfOldText } from './old-sentences.ts'

export type { Notice, Wording } from '../domain/notices.ts'

/**
 * Words of another language, and the English forms by which it recognises the texts of rows from
 * before notices.
 */
export interface Translation {
  readonly wordings: readonly Wording[]
  readonly oldForms: Forms
}

/**
 * A text of the server in the reader's language; null: in English. Text that is not the server's
 * own stays as it is.
 */
export function translated(
  translation: Translation | null,
  text: string,
  notice?: Notice | null,
): string {
  if (!translation) return text
  const found = notice ?? noticeOfOldText(text, translation.oldForms)
  return (found && wordsIn(text, found, translation.wordings)) ?? text
}

const exitCodes: ReadonlySet<string> = new Set(['exitCode', 'endedBySignal'])

export function tellsExit({
  detail,
  notice,
}: {
  detail: string | null
  notice?: Notice | null | undefined
}): boolean {
  const found = notice ?? (detail === null ? undefined : exitNoticeOfOldText(detail))
  const { what } = found?.params ?? {}
  return found !== undefined && exitCodes.has(typeof what === 'object' ? what.code : found.code)
}
