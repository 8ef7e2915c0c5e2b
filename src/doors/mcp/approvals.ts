/** MCP tools for approvals. */
import { posix } from 'node:path'
import * as z from 'zod'
import { projectStream } from '../../domain/stream-name.ts'
import { Approval, ApprovalRequest } from '../../protocol/approvals/approval.ts'
import { line } from '../../protocol/text.ts'
import { untilSeen } from '../../server/live/until-seen.ts'
import { getApproval as getApprovalOf } from '../../services/approvals/queries.ts'
import { requestApproval as requestApprovalFor } from '../../services/flows/approvals/request-approval.ts'
import { requestFolder as requestFolderFor } from '../../services/flows/approvals/request-folder.ts'
import { agentTool, reads, snakeFields, writesOnce } from './tool.ts'

const requestShape = ApprovalRequest.shape
// AP15: to its agent a held decision is none yet.
const { held: _, ...approvalShape } = Approval.shape

/** `request_approval` (AP3): asks people for a decision, without a time limit. */
export const requestApproval = agentTool({
  name: 'request_approval',
  does: requestApprovalFor,
  title: 'Ask a person to approve',
  description:
    'Asks the people of this project for a decision before you continue: on a plan, a ' +
    'risky step, a result. Returns at once with an approval_id. Then call ' +
    'get_next_action with the longest wait_seconds, repeatedly, while it says ' +
    'wait_for_approval; once it says something else, read the decision with ' +
    'get_approval. Do nothing that needs the approval before that. If the decision is ' +
    'revision_requested, change your proposal as feedback says and call this again with ' +
    'the same approval_id.',
  annotations: writesOnce,
  input: {
    checkpointType: requestShape.checkpointType.describe(
      'What kind of decision it is, in a word: plan, design, release …',
    ),
    instructionContent: requestShape.instructionContent.describe(
      'What the person is to decide, with all they need to know; Markdown is shown',
    ),
    workerInstructions: requestShape.workerInstructions.describe(
      'What you would have others do, one entry each',
    ),
    artifacts: requestShape.artifacts.describe('What to look at: paths, links, or any JSON'),
    taskId: requestShape.taskId.describe('The task it is about, when it is not the one you are at'),
    approvalId: Approval.shape.id
      .optional()
      .describe('Of an approval that was sent back for revision, to submit it again'),
  },
  output: { approvalId: Approval.shape.id, status: Approval.shape.status },
  run: async (args, { caller, deps, presented: { who, contextId } }) => {
    const { id, status } = await deps.app.run(
      requestApprovalFor,
      { contextId, ...caller, ...args },
      who,
    )
    return { approvalId: id, status }
  },
})

export const getApproval = agentTool({
  name: 'get_approval',
  does: getApprovalOf,
  title: 'Read a decision',
  description:
    'Returns an approval you asked for: its status (pending, approved, rejected or ' +
    'revision_requested), and in feedback what the person said. If it is approved, ' +
    'continue. If it is rejected, do not do what you asked for. If a revision is ' +
    'requested, follow the feedback and call request_approval again with this ' +
    'approval_id. If it is pending, call get_next_action with the longest wait_seconds.',
  annotations: reads,
  input: { approvalId: Approval.shape.id.describe('What request_approval gave you') },
  output: { approvalId: Approval.shape.id, ...approvalShape },
  run: async ({ approvalId }, { caller, deps, presented: { who, contextId } }) => {
    const approval = await deps.app.read(getApprovalOf, { contextId, ...caller, approvalId }, who)
    const revisionHistory = approval.revisionHistory.map((each) => snakeFields(each as object))
    return { approvalId, ...approval, revisionHistory }
  },
})

/** Clients give up after a minute. */
const folderWaitMs = 50_000
const maxFolderChars = 900

/** `request_folder` (SB9): asks a person whether a sandboxed agent may read a folder. */
export const requestFolder = agentTool({
  name: 'request_folder',
  does: requestFolderFor,
  title: 'Ask to read a folder outside your sandbox',
  description:
    'If you run in a sandbox and need to read a folder that is not visible to you, this ' +
    'asks a person. It waits for the answer; if that is pending, call it again with the ' +
    'same folder or continue without it. Once it is allowed, end your turn and say what ' +
    'you need the folder for: it is visible from the next turn on, read-only. If it is ' +
    'refused, do not look for another way.',
  annotations: writesOnce,
  mayWait: true,
  input: {
    folder: line(maxFolderChars)
      .refine(
        (path) => path.startsWith('/') && path.length > 1 && posix.resolve(path) === path,
        'must be an absolute path without . and ..',
      )
      .describe('The absolute path'),
  },
  output: { status: z.enum(['allowed', 'refused', 'pending']) },
  run: async (
    { folder },
    { caller, deps: { app, store, clock }, presented: { who, contextId } },
  ) => {
    const asking = { contextId, ...caller }
    const { approvalId } = await app.run(requestFolderFor, { ...asking, folder }, who)
    const look = async () => {
      const { status } = await app.read(getApprovalOf, { ...asking, approvalId }, who)
      return status === 'pending' ? undefined : status
    }
    const decided = await untilSeen({
      store,
      clock,
      stream: projectStream(caller.projectId),
      withinMs: folderWaitMs,
      look,
    })
    if (!decided) return { status: 'pending' } as const
    return { status: decided === 'approved' ? 'allowed' : 'refused' } as const
  },
})
