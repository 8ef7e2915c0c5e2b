/** The tools there are (MC2), and how they are listed. The list is the same for everybody, and is made once. */

import {
  authenticate,
  getAgentAction,
  getNextAction,
  invalidateSession,
  logout,
  reportProcessExit,
} from '../agent-sessions/tools.ts'
import { getApproval, requestApproval } from '../approvals/tools.ts'
import {
  getFlags,
  getHistory,
  getPendingMessages,
  respondChat,
  sendMessage,
  setFlags,
  setSummary,
} from '../conversations/tools.ts'
import { getMyTask, getResumeContext, recordApproach, resumeFromFile, saveCheckpoint, updateTask } from '../work/tools.ts'
import type { Annotations, Tool } from './tool.ts'
import { inputSchemaOf, type JsonObject, outputSchemaOf } from './tool-schema.ts'

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
