/**
 * User sessions as readers see them (US1, AG1): a person's console, its agents by role, and their
 * prompts.
 */
import * as z from 'zod'
import { Notice, Notices } from '../notices.ts'
import { Time } from '../text.ts'
import {
  AgentCommand,
  AgentMode,
  AgentOption,
  PermissionRequest,
  ToolCall,
  TurnUsage,
} from '../turns/agent-update.ts'
import { failureSteps } from '../turns/link.ts'
import { PromptPart } from '../turns/prompt.ts'
import { AskedQuestion } from '../turns/question.ts'

/** Ended turns in a snapshot: the newest that fit, oldest first. The rest is read page by page. */
export const snapshotTurnLimit = 50
export const snapshotTurnChars = 512 * 1024
/** The end of a running turn's text; later text is appended. */
export const maxRunningChars = 64 * 1024
export const maxQueuedPrompts = 100
/** Roles occupied at once in a user session. */
export const maxRoleAgents = 200

export const permissionOutcomes = ['allowed', 'denied', 'expired', 'withdrawn'] as const
export type PermissionOutcome = (typeof permissionOutcomes)[number]

const QueuedPrompt = z.object({
  messageId: z.string(),
  /** 1 is next. */
  position: z.int(),
  content: z.array(PromptPart),
  by: z.string(),
  createdAt: Time,
})

/**
 * A prompt and its answer. `unknown`: its agent exited during the turn; it is not run again
 * automatically.
 */
export const Turn = z.object({
  messageId: z.string(),
  /** Sequence number of the event that ended it. */
  seq: z.int().nullable(),
  role: z.string(),
  state: z.enum(['queued', 'running', 'answered', 'cancelled', 'failed', 'unknown']),
  content: z.array(PromptPart),
  /** The agent's text without thoughts and tools; so far, for a running turn. */
  text: z.string(),
  cut: z.boolean(),
  stopReason: z.string().nullable(),
  error: z.string().nullable(),
  notice: Notice.nullish(),
  usage: TurnUsage.nullable(),
  /** AG6: it ended at its vendor's limit, which lasted until then. */
  limitedUntil: Time.nullable(),
  by: z.string(),
  createdAt: Time,
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
})
export type Turn = z.output<typeof Turn>

/** AP4: a permission that waits for a person. */
export const AskedPermission = z.object({
  approvalId: z.int(),
  messageId: z.string(),
  title: z.string(),
  call: ToolCall,
  options: PermissionRequest.shape.options,
  likeness: z.string().nullable(),
  deadline: Time,
})
export type AskedPermission = z.output<typeof AskedPermission>

export const RoleAgent = z.object({
  role: z.string(),
  agentId: z.string(),
  conversation: z.string(),
  state: z.enum(['SPAWNING', 'ACTIVE', 'FAILED', 'TERMINATED']),
  workspace: z.string(),
  branch: z.string().nullable(),
  /** Why it works in a plain folder (WT4). */
  note: z.string().nullable(),
  launchId: z.string().nullable(),
  workSessionId: z.string().nullable(),
  createdAt: Time,
  lastActiveAt: Time,
  /** The failure, with the last lines of output and the step. */
  error: z.string().nullable(),
  /** Notices for `error`, `note` and `notRestored`. */
  notices: Notices,
  step: z.enum(failureSteps).nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  /** AG7: ACTIVE without a process; restarted when something waits for it. */
  asleep: z.boolean(),
  /** An end was requested; it stays until its process has exited. */
  terminating: z.boolean(),
  notRestored: z.string().nullable(),
  images: z.boolean(),
  modes: z.array(AgentMode),
  modeId: z.string().nullable(),
  options: z.array(AgentOption),
  commands: z.array(AgentCommand),
  usage: z.object({ used: z.number(), size: z.number(), cost: z.string().nullable() }).nullable(),
  /** The agent's title for the conversation, as last reported. */
  title: z.string().nullable(),
  /** AG6: at its vendor's limit; `goesOn`: the turn continues automatically then. */
  limit: z
    .object({ until: Time, messageId: z.string().nullable(), goesOn: z.boolean() })
    .nullable(),
  turn: Turn.nullable(),
  queue: z.array(QueuedPrompt),
  permissions: z.array(AskedPermission),
  questions: z.array(AskedQuestion),
})
export type RoleAgent = z.output<typeof RoleAgent>

export const UserSession = z.object({
  id: z.string(),
  projectId: z.string(),
  accountId: z.string(),
  state: z.enum(['ACTIVE', 'TERMINATED']),
  createdAt: Time,
  lastActiveAt: Time,
  terminatedAt: Time.nullable(),
  headSeq: z.int(),
  /** Agents that occupy a role, oldest first. */
  agents: z.array(RoleAgent),
})
export type UserSession = z.output<typeof UserSession>

export interface UserSessionState {
  readonly userSession: UserSession | null
  /** Ended turns, oldest first; the newest 50. */
  readonly turns: readonly Turn[]
}
