/**
 * The approvals that an agent which pulls its work asks for in a session (`request_approval`): put
 * to the editor as permissions. Looked for again and again, because they are told in the streams of
 * the project, which an editor does not follow.
 */
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable'
import type { Approval } from '../../protocol/approvals/approval.ts'

export const lookForApprovalsEveryMs = 3000

const approvalOptions = [
  { optionId: 'approved', name: 'Approve', kind: 'allow_once' },
  { optionId: 'rejected', name: 'Reject', kind: 'reject_once' },
] as const

/** The verdict of an option; undefined: none that was offered. */
export const verdictOf = (optionId: string): 'approved' | 'rejected' | undefined =>
  approvalOptions.find((option) => option.optionId === optionId)?.optionId

export function permissionFor(
  { id, checkpointType, instructionContent }: Approval,
  key: string,
): RequestPermissionRequest {
  const text = instructionContent ?? ''
  return {
    sessionId: key,
    toolCall: {
      toolCallId: `holdfast.approval.${id}`,
      title: checkpointType,
      kind: 'other',
      status: 'pending',
      content: text === '' ? [] : [{ type: 'content', content: { type: 'text', text } }],
    },
    options: approvalOptions.map((option) => ({ ...option })),
  }
}
