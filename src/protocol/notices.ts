/** Notices on the wire: a code with parameters beside English words. */
import * as z from 'zod'
import type {
  NoticeMaker,
  Notice as NoticeOfDomain,
  Notices as NoticesByField,
  NoticeText,
} from '../domain/notices.ts'
import { type refusalSentences, refusalText } from '../domain/refusal-texts.ts'

/** A parameter is text, a number, or a notice itself. */
export const Notice = z.object({
  code: z.string(),
  params: z.record(z.string(), z.unknown()),
}) as unknown as z.ZodType<NoticeOfDomain>
export type Notice = NoticeOfDomain

/** The notices of an object with several texts, by field; left out where there are none. */
export const Notices = z.record(z.string(), Notice).optional()
export type Notices = NoticesByField

const maxNoticeChars = 8000

/** Sent by another program: one that is too long is ignored, and its words are shown. */
export const SentNotice = Notice.refine((sent) => JSON.stringify(sent).length <= maxNoticeChars)
  .nullish()
  .catch(null)
export const SentNotices = z.record(z.string().max(40), SentNotice).optional().catch(undefined)

/** What a refinement of a schema says: its words, and for `checked` its notice. */
export const refusedAs: NoticeMaker<
  typeof refusalSentences,
  { error: string; params: NoticeText }
> = (code, ...params) => {
  const refusal = refusalText(code, ...params)
  return { error: refusal.text, params: refusal }
}

/** Any value whose JSON is short enough. */
export const jsonUpTo = (most: number) =>
  z
    .unknown()
    .refine(
      (value) => (JSON.stringify(value)?.length ?? 0) <= most,
      refusedAs('jsonTooLong', { most }),
    )
