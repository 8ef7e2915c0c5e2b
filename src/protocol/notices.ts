/** Notices on the wire: a code with parameters beside English words, and the words of it in the reader's language. */
import * as z from 'zod'
import { type Forms, notice, type Notice as Told, type Wording, wordsOf } from '../domain/notices.ts'
import { exitNoticeOfOldText, noticeOfOldText } from './old-sentences.ts'

export type { Wording } from '../domain/notices.ts'

/** A parameter is text, a number, or a notice itself. */
export const Notice = z.object({ code: z.string(), params: z.record(z.string(), z.unknown()) }) as unknown as z.ZodType<Told>
export type Notice = Told

/** What a refinement of a schema says: its words, and for `checked` its notice. */
export function refusedAs(code: string, params: Readonly<Record<string, string | number>>, form: string) {
  const told = notice(code, params, form)
  return { error: told.text, params: told }
}

/** Words of another language, and the English forms by which it recognises the texts of rows from before notices. */
export interface Translation {
  readonly wordings: readonly Wording[]
  readonly oldForms: Forms
}

/** A text of the server in the reader's language; null: in English. Text that is not the server's own stays as it is. */
export function translated(translation: Translation | null, text: string, notice?: Notice | null): string {
  if (!translation) return text
  const known = notice ?? noticeOfOldText(text, translation.oldForms)
  return (known && wordsOf(known, translation.wordings)) ?? text
}

const exitCodes: ReadonlySet<string> = new Set(['exitCode', 'endedBySignal'])

/** Whether the detail of a process names its exit code or signal already. */
export function tellsExit({
  detail,
  notice,
}: {
  readonly detail: string | null
  readonly notice?: Notice | null | undefined
}): boolean {
  const known = notice ?? (detail === null ? undefined : exitNoticeOfOldText(detail))
  return known !== undefined && exitCodes.has(known.code)
}
