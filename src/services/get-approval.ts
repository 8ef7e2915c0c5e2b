/** Reads an approval that an agent asked for (`get_approval`), in this agent session or an earlier one. */
import type { Approval } from '../protocol/approval.ts'
import { approvalOf } from '../store/queries/approvals.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { defineQuery } from '../store/store.ts'
import { approvalOfAgent } from './existing-approval.ts'
import { liveAgentSession } from './live-agent-session.ts'

export const getApproval = defineQuery({
  name: 'get-approval',
  run: async (reader, { approvalId, ...caller }: Receiver & { approvalId: number }): Promise<Approval> => {
    const { agentId, projectId } = await liveAgentSession(reader, caller)
    return approvalOf(await approvalOfAgent(reader, { projectId, approvalId }, agentId))
  },
})
