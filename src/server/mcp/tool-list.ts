/** The tools there are (MC2), and how they are listed. The list is the same for everybody, and is made once. */

import type { Annotations, Tool } from './tool.ts'
import { inputSchemaOf, type JsonObject, outputSchemaOf } from './tool-schema.ts'
import { authenticate } from './tools/authenticate.ts'
import { getFlags, setFlags } from './tools/flags.ts'
import { getAgentAction } from './tools/get-agent-action.ts'
import { getApproval } from './tools/get-approval.ts'
import { getHistory } from './tools/get-history.ts'
import { getMyTask } from './tools/get-my-task.ts'
import { getNextAction } from './tools/get-next-action.ts'
import { getPendingMessages } from './tools/get-pending-messages.ts'
import { getResumeContext } from './tools/get-resume-context.ts'
import { invalidateSession } from './tools/invalidate-session.ts'
import { logout } from './tools/logout.ts'
import { recordApproach } from './tools/record-approach.ts'
import { reportProcessExit } from './tools/report-process-exit.ts'
import { requestApproval } from './tools/request-approval.ts'
import { respondChat } from './tools/respond-chat.ts'
import { resumeFromFile } from './tools/resume-from-file.ts'
import { saveCheckpoint } from './tools/save-checkpoint.ts'
import { sendMessage } from './tools/send-message.ts'
import { setSummary } from './tools/set-summary.ts'
import { updateTask } from './tools/update-task.ts'

/** In the order in which an agent meets them; those for coordinators come last. */
const tools: readonly Tool[] = [
  authenticate,
  getNextAction,
  getPendingMessages,
  respondChat,
  getHistory,
  setSummary,
  getFlags,
  setFlags,
  getMyTask,
  updateTask,
  saveCheckpoint,
  getResumeContext,
  recordApproach,
  requestApproval,
  getApproval,
  sendMessage,
  logout,
  getAgentAction,
  reportProcessExit,
  invalidateSession,
  resumeFromFile,
]

const byName = new Map(tools.map((tool) => [tool.name, tool]))

export const toolNamed = (name: string): Tool | undefined => byName.get(name)

interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly annotations: Annotations
}

let listed: ListedTool[] | undefined

export function listedTools(): ListedTool[] {
  listed ??= tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchemaOf(tool),
    outputSchema: outputSchemaOf(tool),
    annotations: tool.annotations,
  }))
  return listed
}
