/** `set_summary` (NA9): a summary takes the place of the older part of a conversation. */
import * as z from 'zod'
import { maxSummaryChars } from '../../../domain/conversation/summary.ts'
import { findOwnConversation } from '../../../services/own-conversation.ts'
import { setSummary as setSummaryOf } from '../../../services/set-summary.ts'
import { agentSessionToken, content } from '../arguments.ts'
import { defineTool, writesOnce } from '../tool.ts'

export const setSummary = defineTool({
  name: 'set_summary',
  title: 'Summarise the conversation',
  description:
    'Stores your summary of the conversation up to and including the message through_seq. Call it when get_next_action says ' +
    'summarize_conversation, with the through_seq it gives. From then on the summary is handed over in the place of those ' +
    'messages, so it must hold everything that will be needed: what was asked, decided and done, what is open, names, numbers, paths.',
  annotations: writesOnce,
  input: z.strictObject({
    session_token: agentSessionToken,
    summary: content
      .min(1)
      .max(maxSummaryChars)
      .describe('What stands for the conversation so far, the earlier summary included'),
    through_seq: z.int().min(1).describe('The last message it covers, as get_next_action named it'),
  }),
  output: z.object({ through_seq: z.int() }),
  run: async (args, call) => {
    const caller = await call.doors.agents.caller(call.presented, args.session_token)
    const conversationKey = (
      await call.doors.store.query(findOwnConversation, { ...caller, contextId: call.presented.contextId })
    ).key
    const summary = { ...caller, conversationKey, summary: args.summary, throughSeq: args.through_seq }
    const { throughSeq } = await call.doors.store.run(setSummaryOf, summary)
    return { through_seq: throughSeq }
  },
})
