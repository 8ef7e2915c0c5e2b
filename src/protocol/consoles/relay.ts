/**
 * The relay on `/ws` (RL1-RL6): what a client says about its user session, and the events of the stream `user-session:ID`. The type of
 * an event is the type of its message; `seq` is its number and `timestamp` its time, so a client that knows its last `seq` misses
 * nothing and sees nothing twice. An event that answers a request carries its `requestId`, for everybody: within a user session it is
 * used once. `sessionId` on this wire is the user session's id; inside it is called that.
 */

import * as z from 'zod'
import { isGitFolder, isWord } from '../../domain/name-characters.ts'
import { AlwaysTerms } from '../approvals/allowance.ts'
import { type Notice, refusedAs } from '../notices.ts'
import { anyLine, Id, line, longText } from '../text.ts'
import type { AgentMode, AgentOption, AgentUpdate, PermissionRequest, ToolCall } from '../turns/agent-update.ts'
import { ConfigChange } from '../turns/config-change.ts'
import type { FailureStep } from '../turns/link.ts'
import { maxPromptChars, maxPromptParts, PromptPart } from '../turns/prompt.ts'
import type { PermissionOutcome, UserSession, UserSessionState } from './user-session.ts'

/** One that was given before is known by whatever it is. */
const Role = anyLine(64)
const NewRole = line(64).refine(isWord, refusedAs('hasNoWord', {}, 'must have a letter or a digit'))
const WorkspacePath = line(1000).refine(
  (path) => !path.split(/[\\/]/).some(isGitFolder),
  refusedAs('forGitAlone', {}, 'must not name .git, which is for git alone'),
)
const requestId = { requestId: Id.optional() }
const about = { sessionId: Id, ...requestId }
const aboutRole = { ...about, role: Role }

/** Text alone is the common case. */
const Content = z.union([
  longText(maxPromptChars)
    .min(1)
    .transform((text): PromptPart[] => [{ type: 'text', text }]),
  z.array(PromptPart).min(1).max(maxPromptParts),
])

export const RelayMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session:create'), projectId: Id, ...requestId }),
  /** Without `lastSeq` it begins with a snapshot. */
  z.object({ type: z.literal('session:resume'), ...about, lastSeq: z.int().min(0).optional() }),
  z.object({ type: z.literal('session:terminate'), ...about }),
  /** On a role whose agent has failed it is the retry. `load`: bring the ACP session of the one before back (AC4). */
  z.object({
    type: z.literal('agent:spawn'),
    ...aboutRole,
    role: NewRole,
    agentId: Id.nullish(),
    workspace: WorkspacePath.nullish(),
    load: z.boolean().optional(),
  }),
  z.object({ type: z.literal('agent:message'), ...aboutRole, content: Content }),
  z.object({ type: z.literal('agent:withdraw'), ...aboutRole, messageId: Id }),
  z.object({ type: z.literal('agent:cancel'), ...aboutRole }),
  z.object({ type: z.literal('agent:terminate'), ...aboutRole }),
  /** AG6: its mode, or an option that it offers; the model is one of these. */
  z.object({ type: z.literal('agent:configure'), ...aboutRole, change: ConfigChange }),
  /** AG6: what becomes of the turn that met the limit. */
  z.object({ type: z.literal('agent:go-on'), ...aboutRole, goOn: z.boolean() }),
  z.object({ type: z.literal('agent:list'), ...about }),
  z.object({ type: z.literal('agent:get'), ...aboutRole }),
  z
    .object({
      type: z.literal('permission:answer'),
      ...about,
      approvalId: z.int().min(1),
      optionId: z.string().min(1).max(1000).optional(),
      /** Without naming an option: the mildest that comes to this. */
      outcome: z.enum(['allowed', 'denied']).optional(),
      /** AG6: with an option that allows; kept by us. */
      always: AlwaysTerms.optional(),
    })
    .refine((answer) => (answer.optionId === undefined) !== (answer.outcome === undefined), 'say either optionId or outcome'),
])
type OnWire = z.output<typeof RelayMessage>

type Inside<Message> = Message extends { sessionId: string } ? Omit<Message, 'sessionId'> & { userSessionId: string } : Message
/** As the server calls things. */
export type RelayRequest = Inside<OnWire>

export function requestIn(message: OnWire): RelayRequest {
  if (!('sessionId' in message)) return message
  const { sessionId: userSessionId, ...rest } = message
  return { ...rest, userSessionId } as RelayRequest
}

export const relayTypes: readonly string[] = RelayMessage.options.map((option) => [...option.shape.type.values][0] ?? '')

type Requested = { requestId?: string | undefined }

/**
 * The bodies of the events; an agent's messages all have its role, or in `turns:KEY`, the stream of a chat or a task, the agent's id.
 * `messageId` names a prompt and the turn that it became.
 */
export interface RelayEventBodies {
  'session:created': Requested & { projectId: string; by: string }
  'session:terminated': Requested & { reason: string; agentsTerminated: number }
  'agent:spawning': Requested & { role: string; agentId: string; workspace: string; launchId: string | null; by: string }
  'agent:ready': {
    role: string
    agentId: string
    /** The key of the conversation it holds. */
    conversation: string
    workspace: string
    branch: string | null
    note: string | null
    how: 'new' | 'loaded' | 'resumed'
    notRestored: string | null
    images: boolean
    modes: readonly AgentMode[]
    modeId: string | null
    options: readonly AgentOption[]
  }
  /** `messageId`: the turn that was running; what became of it is unknown. */
  'agent:failed': {
    role: string
    step: FailureStep
    error: string
    exitCode: number | null
    signal: string | null
    messageId: string | null
  }
  /** It was idle, or of no use: its process was ended. It is started again, with what it knew, when something waits for it. */
  'agent:asleep': { role: string }
  'agent:terminated': Requested & { role: string; reason: string }
  /** It waits; `position` 1 is next. */
  'agent:queued': Requested & {
    role: string
    messageId: string
    position: number
    content: readonly PromptPart[]
    by: string
  }
  /** Its turn has begun: the agent is told it now. */
  'agent:prompted': Requested & { role: string; messageId: string; content: readonly PromptPart[]; by: string }
  'agent:withdrawn': Requested & { role: string; messageId: string; reason: string }
  /** Asked of the agent; `agent:configured` tells what came of it. */
  'agent:configuring': Requested & { role: string; change: ConfigChange; by: string }
  'agent:configured': { role: string; change: ConfigChange; error: string | null; notice?: Notice | null }
  /** `messageId` and `update` stand first, so that the pieces of a turn are found in the log. null: of no turn. */
  'agent:update': { messageId: string | null; update: AgentUpdate; role: string }
  /** `stopReason` is the agent's word, `cancelled`, or `error` with the error in words. `limitedUntil`: see `agent:limited`, which follows. */
  'agent:response': Requested & {
    role: string
    messageId: string
    content: string
    cut: boolean
    stopReason: string
    error: string | null
    limitedUntil?: string | undefined
  }
  /** AG6: at its limit until then, as the agent has said; null: no longer. `goesOn`: by itself, because `by` said so. */
  'agent:limited': Requested & {
    role: string
    messageId: string | null
    until: string | null
    goesOn: boolean
    by: string | null
  }
  'permission:requested': {
    role: string
    approvalId: number
    messageId: string
    title: string
    call: ToolCall
    options: PermissionRequest['options']
    likeness: string | null
    deadline: string
  }
  'permission:resolved': Requested & {
    role: string
    approvalId: number
    outcome: PermissionOutcome
    optionId: string | null
    decidedBy: string
  }
}

/** The message of an event, spliced from its parts so that a body is never parsed on its way. */
export function relayText(type: string, userSessionId: string, seq: number, at: string, data: string): string {
  const head = `{"type":${JSON.stringify(type)},"sessionId":${JSON.stringify(userSessionId)},"seq":${seq},"timestamp":"${at}"`
  return data === '{}' ? `${head}}` : `${head},${data.slice(1)}`
}

/** Answers carry the id of their request and no `seq`. */
export const resumedAnswer = ({ id, headSeq }: Pick<UserSession, 'id' | 'headSeq'>) => ({
  type: 'session:resumed',
  sessionId: id,
  headSeq,
})

export const listAnswer = ({ id, agents }: UserSession) => ({ type: 'agent:list', sessionId: id, agents })

export const infoAnswer = (userSessionId: string, agent: UserSession['agents'][number]) => ({
  type: 'agent:info',
  sessionId: userSessionId,
  agent,
})

/** AG3: nothing had to be done, or another had asked for it before. */
export const terminatedAnswer = (userSessionId: string, role: string, reason = 'already terminated') => ({
  type: 'agent:terminated',
  sessionId: userSessionId,
  role,
  reason,
})

/** US4: another had asked for it before. */
export const endedAnswer = (userSessionId: string, reason: string, agentsTerminated: number) => ({
  type: 'session:terminated',
  sessionId: userSessionId,
  reason,
  agentsTerminated,
})

export const snapshotMessage = (id: string, atSeq: number, { userSession, turns }: UserSessionState) => ({
  type: 'session:snapshot',
  sessionId: id,
  atSeq,
  ...userSession,
  agents: userSession?.agents ?? [],
  turns,
})
