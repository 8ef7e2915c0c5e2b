/**
 * The relay on `/ws` (RL1-RL6): what a client says about its user session, and the events of the
 * stream `user-session:ID`. The type of an event is the type of its message; `seq` is its number
 * and `timestamp` its time, so a client that knows its last `seq` misses nothing and sees nothing
 * twice. An event that answers a request carries its `requestId`, for everybody: within a user
 * session it is used once. `sessionId` on this wire is the user session's id; inside it is called
 * that.
 */

import * as z from 'zod'
import { isGitFolder, isWord } from '../../domain/ids.ts'
import { AlwaysTerms } from '../approvals/allowance.ts'
import { type Approval, Hold } from '../approvals/approval.ts'
import { type Notice, type Notices, refusedAs } from '../notices.ts'
import { anyLine, Id, line, longText } from '../text.ts'
import type {
  AgentAbilities,
  AgentMode,
  AgentOption,
  AgentUpdate,
  TurnUsage,
} from '../turns/agent-update.ts'
import { ConfigChange } from '../turns/config-change.ts'
import type { FailureStep } from '../turns/link.ts'
import { maxPromptChars, maxPromptParts, PromptPart } from '../turns/prompt.ts'
import { type AskedQuestion, answerFields, type QuestionAnswer } from '../turns/question.ts'
import type { AskedPermission, PermissionOutcome, UserSessionState } from './user-session.ts'

/** Options granted before are accepted as any string. */
const Role = anyLine(64)
export const NewRole = line(64).refine(isWord, refusedAs('hasNoWord'))
export const WorkspacePath = line(1000).refine(
  (path) => !path.split(/[\\/]/).some(isGitFolder),
  refusedAs('forGitAlone'),
)
const requestId = { requestId: Id.optional() }
const about = { sessionId: Id, ...requestId }
const aboutRole = { ...about, role: Role }

/** Text only is the common case. */
export const PromptContent = z.union([
  longText(maxPromptChars)
    .min(1)
    .transform((text): PromptPart[] => [{ type: 'text', text }]),
  z.array(PromptPart).min(1).max(maxPromptParts),
])

export const RelayMessage = z.discriminatedUnion('type', [
  /** Without `projectId`: in the only project. */
  z.object({ type: z.literal('session:create'), projectId: Id.optional(), ...requestId }),
  /** Without `lastSeq` it begins with a snapshot. */
  z.object({ type: z.literal('session:resume'), ...about, lastSeq: z.int().min(0).optional() }),
  z.object({ type: z.literal('session:terminate'), ...about }),
  /** Retries the role of a failed agent. `load`: restores the previous ACP session (AC4). */
  z.object({
    type: z.literal('agent:spawn'),
    ...aboutRole,
    role: NewRole,
    agentId: Id.nullish(),
    workspace: WorkspacePath.nullish(),
    load: z.boolean().optional(),
  }),
  z.object({ type: z.literal('agent:message'), ...aboutRole, content: PromptContent }),
  z.object({ type: z.literal('agent:withdraw'), ...aboutRole, messageId: Id }),
  z.object({ type: z.literal('agent:cancel'), ...aboutRole }),
  z.object({ type: z.literal('agent:terminate'), ...aboutRole }),
  /** AG6: a mode or an option that the agent offers, including the model. */
  z.object({ type: z.literal('agent:configure'), ...aboutRole, change: ConfigChange }),
  /** AG6: what happens to the turn that met the limit. */
  z.object({ type: z.literal('agent:go-on'), ...aboutRole, goOn: z.boolean() }),
  z.object({ type: z.literal('agent:list'), ...about }),
  z.object({ type: z.literal('agent:get'), ...aboutRole }),
  z
    .object({
      type: z.literal('permission:answer'),
      ...about,
      approvalId: z.int().min(1),
      optionId: z.string().min(1).max(1000).optional(),
      /** Without an option: the mildest one for this decision. */
      outcome: z.enum(['allowed', 'denied']).optional(),
      always: AlwaysTerms.optional(),
      hold: Hold,
    })
    .refine(
      (answer) => (answer.optionId === undefined) !== (answer.outcome === undefined),
      'say either optionId or outcome',
    ),
  /** AP13: the first answer stands. */
  z.object({
    type: z.literal('question:answer'),
    ...about,
    questionId: z.int().min(1),
    ...answerFields,
    hold: Hold,
  }),
])
type OnWire = z.output<typeof RelayMessage>

type Inside<Message> = Message extends { sessionId: string }
  ? Omit<Message, 'sessionId'> & { userSessionId: string }
  : Message
/** Under the server's names. */
export type RelayRequest = Inside<OnWire>

export function requestIn(message: OnWire): RelayRequest {
  if (!('sessionId' in message)) return message
  const { sessionId: userSessionId, ...rest } = message
  return { ...rest, userSessionId } as RelayRequest
}

export const relayTypes: readonly string[] = RelayMessage.options.map(
  (option) => [...option.shape.type.values][0] ?? '',
)

type Requested = { requestId?: string | undefined }

/**
 * Event bodies. An agent's messages have its role or, in `turns:KEY`, the stream of a chat or task,
 * the agent's id. `messageId` names a prompt and its turn.
 */
export interface RelayEventBodies {
  'session:created': Requested & { projectId: string; by: string }
  'session:terminated': Requested & {
    reason: string
    notice?: Notice | null
    agentsTerminated: number
  }
  'agent:spawning': Requested & {
    role: string
    agentId: string
    workspace: string
    launchId: string | null
    by: string
  }
  'agent:ready': {
    role: string
    agentId: string
    conversation: string
    workspace: string
    branch: string | null
    note: string | null
    how: 'new' | 'loaded' | 'resumed'
    notRestored: string | null
    notices?: Notices | undefined
    agentName?: string | undefined
    agentVersion?: string | null
    /** What it offers; left out where its coordinator is of an earlier build. */
    can?: AgentAbilities | undefined
    images: boolean
    modes: readonly AgentMode[]
    modeId: string | null
    options: readonly AgentOption[]
  }
  /** `messageId`: the turn that was running; its result is unknown. */
  'agent:failed': {
    role: string
    step: FailureStep
    error: string
    notice?: Notice | null
    exitCode: number | null
    signal: string | null
    messageId: string | null
  }
  /**
   * The process of an idle or broken agent was ended. It is restarted with its knowledge when
   * something waits for it.
   */
  'agent:asleep': { role: string }
  'agent:terminated': Requested & { role: string; reason: string; notice?: Notice | null }
  /** Queued; `position` 1 is next. */
  'agent:queued': Requested & {
    role: string
    messageId: string
    position: number
    content: readonly PromptPart[]
    by: string
  }
  /** The turn has started. */
  'agent:prompted': Requested & {
    role: string
    messageId: string
    content: readonly PromptPart[]
    by: string
  }
  'agent:withdrawn': Requested & { role: string; messageId: string; reason: string }
  /** Requested; `agent:configured` reports the result. */
  'agent:configuring': Requested & { role: string; change: ConfigChange; by: string }
  'agent:configured': {
    role: string
    change: ConfigChange
    error: string | null
    notice?: Notice | null
  }
  /**
   * `messageId` and `update` stand first, so that the pieces of a turn are found in the log. null:
   * of no turn.
   */
  'agent:update': { messageId: string | null; update: AgentUpdate; role: string }
  /**
   * `stopReason` is the agent's, `cancelled`, or `error` with a message. `limitedUntil`: see
   * `agent:limited`, which follows.
   */
  'agent:response': Requested & {
    role: string
    messageId: string
    content: string
    cut: boolean
    stopReason: string
    error: string | null
    notice?: Notice | null
    usage: TurnUsage | null
    limitedUntil?: string | undefined
  }
  /**
   * AG6: at its limit until then, as the agent reported; null: no longer. `goesOn`: continues
   * automatically, as `by` asked.
   */
  'agent:limited': Requested & {
    role: string
    messageId: string | null
    until: string | null
    goesOn: boolean
    by: string | null
  }
  'permission:requested': { role: string } & AskedPermission
  'permission:resolved': Requested & {
    role: string
    approvalId: number
    outcome: PermissionOutcome
    optionId: string | null
    decidedBy: string
  }
  /** AP15: a decision or an answer that is held; null: it was taken back. */
  'approval:held': Requested & { role: string; approvalId: number; held: Approval['held'] }
  'question:requested': { role: string } & AskedQuestion
  /** `outcome` is `allowed` for an accepted question. */
  'question:resolved': Requested & {
    role: string
    questionId: number
    outcome: PermissionOutcome
    decidedBy: string
  } & QuestionAnswer
}

/** Builds an event's message from its parts without parsing the body. */
export function relayText(
  type: string,
  userSessionId: string,
  seq: number,
  at: string,
  data: string,
): string {
  const head = `{"type":${JSON.stringify(type)},"sessionId":${JSON.stringify(userSessionId)},"seq":${seq},"timestamp":"${at}"`
  return data === '{}' ? `${head}}` : `${head},${data.slice(1)}`
}

export type RelayAnswer = { readonly type: string; readonly sessionId: string }

/** Answers carry the id of their request and no `seq`. */
export const relayAnswer = (type: string, userSessionId: string, fields: object): RelayAnswer => ({
  type,
  sessionId: userSessionId,
  ...fields,
})

export const snapshotMessage = (
  id: string,
  atSeq: number,
  { userSession, turns }: UserSessionState,
) => ({
  type: 'session:snapshot',
  sessionId: id,
  atSeq,
  ...userSession,
  agents: userSession?.agents ?? [],
  turns,
})
