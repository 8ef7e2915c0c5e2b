/** MCP tools for comments on changes (RV4). */
import * as z from 'zod'
import { commentStates, nameOfComment } from '../../domain/review/comment.ts'
import { Content } from '../../protocol/conversations/message.ts'
import {
  answerComment as answerCommentOf,
  listOwnComments,
  resolveComment as resolveCommentOf,
} from '../../services/review/change-comment.ts'
import { agentTool, reads, writes, writesOnce } from './tool.ts'

const comment = z.string().max(20).describe('The comment, such as c7')
const text = Content.min(1).max(10_000)
const answer = { comment: z.string(), state: z.enum(commentStates) }

const Listed = z.object({
  comment: z.string(),
  state: z.enum(commentStates),
  file: z.string(),
  line: z.int(),
  side: z.enum(['old', 'new']).describe('old: a line that you removed'),
  outdated: z.boolean().describe('The lines are gone; code has what they were'),
  code: z.string().describe('The lines and those around them, as a diff'),
  text: z.string(),
  answers: z.array(z.object({ by: z.string(), text: z.string() })),
})

export const listComments = agentTool({
  name: 'list_comments',
  does: listOwnComments,
  title: 'List the comments on your changes',
  description:
    'Returns what people have written about lines that you changed in the conversation you are ' +
    'in: where each stands now, the code, and the answers. Do what each asks, then call ' +
    'resolve_comment, or answer it with answer_comment.',
  annotations: reads,
  input: { state: z.enum(['sent', 'answered', 'resolved']).optional() },
  output: { comments: z.array(Listed) },
  run: async ({ state }, { caller, deps, presented: { who, contextId } }) => {
    const found = await deps.app.read(listOwnComments, { ...caller, contextId, state }, who)
    return {
      comments: found.map((row) => ({
        comment: nameOfComment(row.number),
        state: row.state,
        file: row.file,
        line: row.line,
        side: row.side,
        outdated: row.outdated,
        code: row.code.join('\n'),
        text: row.text,
        answers: row.replies.map((each) => ({ by: each.by, text: each.text })),
      })),
    }
  },
})

export const answerComment = agentTool({
  name: 'answer_comment',
  does: answerCommentOf,
  title: 'Answer a comment',
  description:
    'Answers a comment on your changes, where it stands. Use it when you did something else than ' +
    'it asks, or have a question; call resolve_comment when you have done what it asks.',
  annotations: writes,
  input: { comment, text },
  output: answer,
  run: async (input, { caller, deps, presented: { who, contextId } }) =>
    deps.app.run(answerCommentOf, { ...caller, contextId, ...input }, who),
})

export const resolveComment = agentTool({
  name: 'resolve_comment',
  does: resolveCommentOf,
  title: 'Resolve a comment',
  description:
    'Says that you have done what a comment asks; text says what you did. The person sees that ' +
    'you resolved it, and may open it again.',
  annotations: writesOnce,
  input: { comment, text: text.optional() },
  output: answer,
  run: async (input, { caller, deps, presented: { who, contextId } }) =>
    deps.app.run(resolveCommentOf, { ...caller, contextId, ...input }, who),
})
