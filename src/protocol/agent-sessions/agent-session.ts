/** Agent sessions as readers see them. A session's token is shown once, to its agent. */
import * as z from 'zod'
import { Time } from '../text.ts'

const purposes = ['chat', 'task'] as const
const endReasons = [
  'closed',
  'timeout',
  'work_done',
  'logout',
  'process_exited',
  'orphaned',
  'expired',
  'coordinator_lost',
  'revoked',
  'other_conversation',
] as const

export const AgentSession = z.object({
  id: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  conversationKey: z.string().optional().describe('The begun session that it alone serves'),
  purpose: z.enum(purposes),
  state: z.enum(['active', 'terminating', 'ended']),
  launchId: z.string().nullable(),
  workSessionId: z.string().nullable(),
  createdAt: Time,
  lastActivityAt: Time,
  expiresAt: Time,
  endedAt: Time.nullable(),
  endReason: z.enum(endReasons).nullable(),
})
export type AgentSession = z.output<typeof AgentSession>
