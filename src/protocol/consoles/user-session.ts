/** User sessions as readers see them (US1, AG1): a person's console, its agents by role, and what was said to them. */
import * as z from 'zod'
import { Time } from '../text.ts'
import { AgentMode, AgentOption, PermissionRequest, ToolCall } from '../turns/agent-update.ts'
import { failureSteps } from '../turns/link.ts'
import { PromptPart } from '../turns/prompt.ts'

/** Of turns that are over, in a snapshot: the newest, oldest first, as many as fit. The rest is read page by page. */
export const snapshotTurnLimit = 50
export const snapshotTurnChars = 512 * 1024
/** Of the text of a turn that runs, its end: what follows is joined to it. */
export const maxRunningChars = 64 * 1024
/** Of one part of a prompt where agents are listed; pictures are named there, not carried. */
export const maxListedPromptChars = 8 * 1024
/** Kept of one answer, in characters; more is cut, and says so. */
export const maxAnswerChars = 1024 * 1024
/** Waiting for one agent (RL6). */
export const maxQueuedPrompts = 100
/** That occupy a role of one user session at once. */
export const maxRoleAgents = 200

export const permissionOutcomes = ['allowed', 'denied', 'expired', 'withdrawn'] as const
export type PermissionOutcome = (typeof permissionOutcomes)[number]

/** A prompt that waits for its turn. */
const QueuedPrompt = z.object({
  messageId: z.string(),
  /** 1 is next. */
  position: z.int(),
  content: z.array(PromptPart),
  by: z.string(),
  createdAt: Time,
})

/** One prompt until its answer. `unknown`: its agent has gone with the turn open; it is not run again by itself. */
export const Turn = z.object({
  messageId: z.string(),
  /** The number of the event that told its end. */
  seq: z.int().nullable(),
  role: z.string(),
  state: z.enum(['queued', 'running', 'answered', 'cancelled', 'failed', 'unknown']),
  content: z.array(PromptPart),
  /** What the agent has said, without thoughts and tools; of one that runs, so far. */
  text: z.string(),
  /** More was said than is kept, or than is shown of one that runs. */
  cut: z.boolean(),
  stopReason: z.string().nullable(),
  error: z.string().nullable(),
  /** AG6: it ended at its vendor's limit, which lasted until then. */
  limitedUntil: Time.nullable(),
  by: z.string(),
  createdAt: Time,
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
})
export type Turn = z.output<typeof Turn>

/** AP4: what waits for a person. */
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
  /** The key of the conversation it holds. */
  conversation: z.string(),
  state: z.enum(['SPAWNING', 'ACTIVE', 'FAILED', 'TERMINATED']),
  /** The folder it works in; before it is known, what was asked for. */
  workspace: z.string(),
  branch: z.string().nullable(),
  /** Why it works in a plain folder (WT4). */
  note: z.string().nullable(),
  launchId: z.string().nullable(),
  /** The work it is at (WK4). */
  workSessionId: z.string().nullable(),
  createdAt: Time,
  lastActiveAt: Time,
  /** Of one that failed: in words, with the last lines it wrote, and where. */
  error: z.string().nullable(),
  step: z.enum(failureSteps).nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  /** AG7: ACTIVE without a process: it was idle or of no use, and is started again when something waits for it. */
  asleep: z.boolean(),
  /** An end was asked for; it goes on until its process has gone. */
  terminating: z.boolean(),
  /** Why the ACP session of the one before it was not brought back (AC4). */
  notRestored: z.string().nullable(),
  images: z.boolean(),
  modes: z.array(AgentMode),
  modeId: z.string().nullable(),
  options: z.array(AgentOption),
  /** How full its window is, as it said last. */
  usage: z.object({ used: z.number(), size: z.number(), cost: z.string().nullable() }).nullable(),
  /** AG6: at its vendor's limit; `goesOn`: the turn is taken up again by itself then. */
  limit: z.object({ until: Time, messageId: z.string().nullable(), goesOn: z.boolean() }).nullable(),
  /** The turn that runs. */
  turn: Turn.nullable(),
  queue: z.array(QueuedPrompt),
  permissions: z.array(AskedPermission),
})
export type RoleAgent = z.output<typeof RoleAgent>

export const UserSession = z.object({
  id: z.string(),
  projectId: z.string(),
  /** The account it belongs to. */
  accountId: z.string(),
  state: z.enum(['ACTIVE', 'TERMINATED']),
  createdAt: Time,
  lastActiveAt: Time,
  terminatedAt: Time.nullable(),
  /** The number of its newest event. */
  headSeq: z.int(),
  /** Those that occupy a role, the oldest first. */
  agents: z.array(RoleAgent),
})
export type UserSession = z.output<typeof UserSession>

/** The state its events start from: what `session:snapshot` brings. */
export interface UserSessionState {
  readonly userSession: UserSession | null
  /** Those that are over, the oldest first; the newest 50. */
  readonly turns: readonly Turn[]
}
