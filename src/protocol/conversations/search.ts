/**
 * Search over all messages on the wire (DC5). Positions are UTF-16 units, as in JavaScript strings.
 */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import { anyLine, Id, line, Time, YesOrNo } from '../text.ts'
import { Task } from '../work/task.ts'
import { Day } from './chapter.ts'
import { Message } from './message.ts'

export const SearchQuery = PageQuery.extend({
  q: anyLine(200).describe(
    'Words, in any order; in double quotes, exactly so. A word is also the beginning of one',
  ),
  conversation: z.string().max(2000).optional().describe('Only in the conversation under this key'),
  channel: line(100).optional().describe('Only on this channel: web, agent, telegram …'),
  project: Id.optional(),
  from: Day.optional().describe('From this day on'),
  to: Day.optional().describe('Up to this day, inclusive'),
  titles: YesOrNo.describe(
    'Also conversations and tasks by title, and notes by summary, in `titles`',
  ),
})
export type SearchQuery = z.output<typeof SearchQuery>

const TextRange = z.object({ start: z.number().int(), end: z.number().int() })

export const SearchHit = z.object({
  conversationKey: z.string(),
  seq: z.number().int(),
  messageId: z.string(),
  projectId: z.string().nullable(),
  role: Message.shape.role,
  senderId: z.string(),
  senderName: Message.shape.senderName,
  createdAt: Time,
  day: Day.describe('Of the chapter it is in'),
  excerpt: z.string().describe('What stands around the first place that was found'),
  highlights: z.array(TextRange).describe('What was found in the excerpt'),
  cutBefore: z.boolean(),
  cutAfter: z.boolean(),
})
export type SearchHit = z.output<typeof SearchHit>

/** Things whose name or summary matches, the newest of each kind first. */
export const FoundTitle = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('conversation'),
    conversationKey: z.string(),
    projectId: z.string().nullable(),
    title: z.string(),
  }),
  z.object({
    kind: z.literal('task'),
    taskId: z.string(),
    projectId: z.string(),
    title: z.string(),
    status: Task.shape.status,
  }),
  z.object({ kind: z.literal('note'), day: Day, conversationKey: z.string(), title: z.string() }),
])
export type FoundTitle = z.output<typeof FoundTitle>

export const SearchAnswer = pageOf(SearchHit).extend({
  titles: z.array(FoundTitle).optional(),
  /** Usually 0. */
  behind: z
    .number()
    .int()
    .describe('Conversations with messages that are not indexed yet, and so not looked through'),
})
export type SearchAnswer = z.output<typeof SearchAnswer>
