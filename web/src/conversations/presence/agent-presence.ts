/**
 * Derives the presence of a chat's agent (CH9) from its sessions, its processes and the
 * coordinators. Pure. The browser's clock need not be the server's: what is compared are times of
 * one of them, or ids.
 */

import type { AgentSession } from '../../../../src/protocol/agent-sessions/agent-session.ts'
import type { Agent } from '../../../../src/protocol/agents/agent.ts'
import type { Coordinator } from '../../../../src/protocol/processes/coordinator.ts'
import type { Process, ProcessEndReason } from '../../../../src/protocol/processes/process.ts'
import type { Connection } from '../../live/connection.ts'

export interface ChatCall {
  /** The time by the browser's clock. */
  readonly at: number
  /** The agent's session that was over already then. */
  readonly before: string | undefined
  /** The agent's newest process at that time. */
  readonly afterLaunch: string | undefined
  readonly calls: number
}

export interface PresenceInput {
  readonly agent: Pick<Agent, 'command'>
  /** The agent's sessions in the project, newest first; undefined until they are known. */
  readonly agentSessions: readonly AgentSession[] | undefined
  readonly processes: readonly Process[] | undefined
  readonly coordinators: readonly Coordinator[] | undefined
  /** Whether the agent has taken a message and not answered it. */
  readonly thinking: boolean
  /** Whether an approval it asked for is undecided. */
  readonly asking: boolean
  /** The call of the agent by this panel; undefined when there was none. */
  readonly called: ChatCall | undefined
  /** The time of the last message to the agent, by the server's clock. */
  readonly askedAt: string | undefined
}

export type AgentPresence =
  | {
      readonly is:
        | 'connecting'
        | 'ready'
        | 'thinking'
        | 'asking'
        | 'leaving'
        | 'away'
        | 'noCoordinator'
    }
  | { readonly is: 'offline'; readonly since: number | undefined }
  /** The agent is started by somebody else. */
  | { readonly is: 'waiting'; readonly since: number }
  | {
      readonly is: 'starting'
      readonly since: number
      readonly step: 'ordered' | 'waiting' | 'starting' | 'running'
    }
  | { readonly is: 'left' | 'unreachable'; readonly at: number }
  | {
      readonly is: 'failed' | 'held'
      readonly process: Process
      readonly failed: Process | undefined
    }

const failures: ReadonlySet<ProcessEndReason | null> = new Set([
  'crashed',
  'start_failed',
  'start_timeout',
] as const)

export function presenceOf(given: PresenceInput, connection: Connection): AgentPresence {
  if (connection.state === 'offline') return { is: 'offline', since: connection.since }
  // A process in a role of a console takes no chat messages.
  const input = {
    ...given,
    processes: given.processes?.filter(({ roleAgentId }) => roleAgentId === null),
  }
  const { agentSessions, thinking, asking } = input
  if (connection.state !== 'live' || agentSessions === undefined) return { is: 'connecting' }
  const chat = agentSessions.find(({ purpose }) => purpose === 'chat')
  if (chat?.state === 'active') {
    const silentSince = unreachableSince(processOf(input, chat.launchId), input)
    if (silentSince !== undefined) return { is: 'unreachable', at: silentSince }
    return { is: thinking ? (asking ? 'asking' : 'thinking') : 'ready' }
  }
  const coming = startingFor(input, chat)
  if (coming) return coming
  // An agent that runs for a task, or is asked to go when it has answered, may answer too.
  if (thinking && (!chat || chat.state === 'terminating'))
    return { is: asking ? 'asking' : 'thinking' }
  if (chat?.state === 'terminating') return { is: 'leaving' }
  return presenceWithoutSession(input, chat)
}

const processOf = (
  { processes = [] }: PresenceInput,
  launchId: string | null,
): Process | undefined => processes.find((each) => each.launchId === launchId)

/** The time since which the coordinator of a process is unreachable, if it is. */
function unreachableSince(
  process: Process | undefined,
  { coordinators = [] }: PresenceInput,
): number | undefined {
  const coordinator = coordinators.find(({ id }) => id === process?.coordinatorId)
  return coordinator?.state === 'unreachable' ? Date.parse(coordinator.lastHeardAt) : undefined
}

/** The presence while a process starts that is not for a task. */
function startingFor(
  input: PresenceInput,
  chat: AgentSession | undefined,
): AgentPresence | undefined {
  const { processes = [], agentSessions = [] } = input
  const taken = new Set(
    agentSessions
      .filter((each) => each !== chat || each.state === 'ended')
      .map(({ launchId }) => launchId),
  )
  const coming = processes.find(
    (each) =>
      each.state !== 'ended' &&
      each.stopReason === null &&
      each.launchId !== chat?.launchId &&
      !taken.has(each.launchId),
  )
  if (!coming || coming.state === 'ended') return undefined
  if (coming.state === 'held') return { is: 'held', process: coming, failed: lastFailed(processes) }
  const silentSince = unreachableSince(coming, input)
  if (silentSince !== undefined) return { is: 'unreachable', at: silentSince }
  return { is: 'starting', since: Date.parse(coming.orderedAt), step: coming.state }
}

const lastFailed = (processes: readonly Process[]): Process | undefined =>
  processes.find(({ state, reason }) => state === 'ended' && failures.has(reason))

function presenceWithoutSession(
  input: PresenceInput,
  chat: AgentSession | undefined,
): AgentPresence {
  const { called, askedAt, processes = [], coordinators, agent } = input
  const wasCalled = called !== undefined && (!chat?.endedAt || called.before === chat.id)
  const wasAsked = askedAt !== undefined && (!chat?.endedAt || askedAt > chat.endedAt)
  const [last] = processes
  const failed = last?.state === 'ended' && failures.has(last.reason) ? last : undefined
  const failedSince =
    failed &&
    ((wasCalled && called.afterLaunch !== failed.launchId) ||
      (askedAt !== undefined && askedAt < (failed.endedAt ?? '')))
  if (failedSince) return { is: 'failed', process: failed, failed }
  if (!wasCalled && !wasAsked)
    return chat?.endedAt ? { is: 'left', at: Date.parse(chat.endedAt) } : { is: 'away' }
  const since = wasCalled ? called.at : Date.parse(askedAt ?? '')
  if (agent.command === null) return { is: 'waiting', since }
  if (coordinators && !coordinators.some(({ state }) => state === 'connected'))
    return { is: 'noCoordinator' }
  return { is: 'starting', since, step: 'ordered' }
}
