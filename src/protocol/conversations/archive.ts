/** A conversation's whole history on the wire, in parts (UI7). */
import * as z from 'zod'
import { PageQuery } from '../page.ts'
import { YesOrNo } from '../text.ts'
import { Message } from './message.ts'

const Seq = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional()

export const ArchiveQuery = PageQuery.pick({ limit: true })
  .extend({
    before: Seq.describe('What is older than this message'),
    after: Seq.describe('What is newer than this message'),
    around: Seq.describe('This message, with what stands before and behind it'),
    hidden: YesOrNo,
  })
  .refine(
    ({ before, after, around }) =>
      [before, after, around].filter((each) => each !== undefined).length <= 1,
    {
      path: ['around'],
      error: 'only one of before, after and around can be asked for',
    },
  )
export type ArchiveQuery = z.output<typeof ArchiveQuery>

export const ArchivePart = z.object({
  items: z.array(Message).describe('Oldest first'),
  older: z.boolean().describe('There is more before the first of them'),
  newer: z.boolean().describe('There is more behind the last of them'),
})
export type ArchivePart = z.output<typeof ArchivePart>
