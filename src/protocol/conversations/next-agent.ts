/** Going on with another agent in a session (SN21): what is asked, and what is told before. */
import * as z from 'zod'
import { Id, line } from '../text.ts'
import { AgentOption } from '../turns/agent-update.ts'

export const NextAgent = z.strictObject({
  agentId: Id.describe('The same agent with another `model`: only its option'),
  model: line(200).optional().describe('One of its models; left out: as it is'),
})

/** What would be, if this agent went on. Nothing is changed by asking. */
export const NextAgentPreview = z.object({
  agentId: z.string(),
  beginsAnother: z
    .boolean()
    .describe('It is an agent’s first session: another is begun in the same folder'),
  reads: z
    .enum(['nothing', 'whole', 'newest', 'news'])
    .describe(
      'What it is told before its next turn: `whole`, every message as it was said; `newest`, ' +
        'the summary and what fits; `news`, what was said since it was here, whose own context ' +
        'goes on; `nothing` is new to it',
    ),
  tokens: z.int().describe('About as many does it read'),
  budgetTokens: z.int(),
  messages: z.int().describe('Told as they were said'),
  leftOut: z.int().describe('In the summary at most'),
  running: z.boolean().describe('A turn runs: it is to be stopped first, else 409 `wrong_state`'),
  queued: z.int().describe('Messages that wait, and go to this agent'),
  refused: z.string().nullable().describe('Why it cannot go on; null: it can'),
  models: AgentOption.shape.values.describe('As far as they are known'),
  model: z.string().nullable().describe('The one that is chosen'),
})
export type NextAgentPreview = z.output<typeof NextAgentPreview>
