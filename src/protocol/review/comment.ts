/** Comments on lines of changes (RV), as people and programs read and write them. */
import * as z from 'zod'
import { commentStates, maxCommentChars } from '../../domain/review/comment.ts'
import { Id, longText, Time } from '../text.ts'
import { FilePath, maxQuotedLines, Side } from './review-requests.ts'

const LineNumber = z.int().min(1).max(10_000_000)
const Text = longText(maxCommentChars)

export const CommentDraft = z.strictObject({
  file: FilePath.optional().describe('As the diff names it; left out in an answer'),
  side: Side.optional().describe('old: what was there before; new: what is there now'),
  line: LineNumber.optional().describe('The number of the line in the file on that side'),
  endLine: LineNumber.optional().describe(`The last line, at most ${maxQuotedLines} lines`),
  text: Text,
  turnId: Id.optional().describe('In what this turn changed; left out: in all changes'),
  inReplyTo: Id.optional().describe('The comment that this answers'),
})
export type CommentDraft = z.output<typeof CommentDraft>

export const CommentChange = z.strictObject({
  text: Text.optional(),
  resolved: z.boolean().optional(),
})

const common = {
  id: z.string(),
  number: z.int().describe('`c7` for agents; an answer has that of its comment'),
  text: z.string(),
  state: z.enum(commentStates),
  by: z.string().describe('The person or agent who wrote it'),
  createdAt: Time,
}

export const CommentReply = z.object(common)
export type CommentReply = z.output<typeof CommentReply>

export const ReviewComment = z.object({
  ...common,
  file: z.string(),
  side: Side,
  line: z.int(),
  endLine: z.int(),
  outdated: z.boolean().describe('Its lines are gone; file and line are where it was written'),
  resolved: z.boolean(),
  resolvedBy: z.string().nullable(),
  quoted: z.string().describe('The lines that it is about, as they were'),
  code: z
    .array(z.string())
    .describe('These lines and those around them as the diff showed them, each with its sign'),
  replies: z.array(CommentReply),
})
export type ReviewComment = z.output<typeof ReviewComment>
