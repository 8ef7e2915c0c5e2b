/** `get_approval`: what was decided. */
import * as z from 'zod'
import { Approval } from '../../../protocol/approval.ts'
import { getApproval as getApprovalOf } from '../../../services/get-approval.ts'
import { agentSessionToken } from '../arguments.ts'
import { snakeFields, snakeShape } from '../snake-case.ts'
import { defineTool, reads } from '../tool.ts'

export const getApproval = defineTool({
  name: 'get_approval',
  title: 'Read a decision',
  description:
    'Gives an approval you asked for: its status (pending, approved, rejected or revision_requested), and in feedback what the person ' +
    'said. If it is approved, go on. If it is rejected, do not do what you asked for. If a revision is requested, follow the feedback ' +
    'and call request_approval again with this approval_id. If it is pending, call get_next_action with the longest wait_seconds.',
  annotations: reads,
  input: z.strictObject({
    session_token: agentSessionToken,
    approval_id: Approval.shape.id.describe('What request_approval gave you'),
  }),
  output: z.object({ approval_id: Approval.shape.id, ...snakeShape(Approval).shape }),
  run: async ({ session_token, approval_id }, call) => {
    const caller = await call.doors.agents.caller(call.presented, session_token)
    const approval = await call.doors.store.query(getApprovalOf, { ...caller, approvalId: approval_id })
    const revisions = approval.revisionHistory.map((each) => snakeFields(each as object))
    return { approval_id, ...snakeFields(approval), revision_history: revisions }
  },
})
