/**
 * Where the agent of a chat is (CH9), from what the server said of its sessions, its processes and the coordinators. Pure. The
 * browser's clock need not be the server's: what is compared are times of one of them, or ids.
 */

import type { AgentSession } from '../../../src/protocol/agent-sessions/agent-session.ts'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import type { Process, ProcessEndReason } from '../../../src/protocol/processes/process.ts'
import type { Connection } from '../live/connection.ts'

export interface ChatCall {
  /** By the browser's clock. */
  readonly at: number
  /** The agent's session that was over already then. */
  readonly before: string | undefined
  /** Its newest process then. */
  readonly afterLaunch: string | undefined
  readonly calls: number
}

export interface PresenceInput {
  readonly agent: Pick<Agent, 'command'>
  /** Of the agent in the project, newest first; undefined until they are known. */
  readonly agentSessions: readonly AgentSession[] | undefined
  readonly processes: readonly Process[] | undefined
  readonly coordinators: readonly Coordinator[] | undefined
  /** Whether it was handed something that it has not answered. */
  readonly thinking: boolean
  /** Whether it asked for something that nobody has decided yet. */
  readonly asking: boolean
  /** Undefined when nobody called it. */
  readonly called: ChatCall | undefined
  /** When somebody last wrote to it, by the server's clock. */
  readonly askedAt: string | undefined
}

export type AgentPresence =
  | { readonly is: 'connecting' | 'ready' | 'thinking' | 'asking' | 'leaving' | 'away' | 'noCoordinator' }
  | { readonly is: 'offline'; readonly since: number | undefined }
  /** Others start it. */
  | { readonly is: 'waiting'; readonly since: number }
  | { readonly is: 'starting'; readonly since: number; readonly step: 'ordered' | 'waiting' | 'starting' | 'running' }
  | { readonly is: 'left' | 'unreachable'; readonly at: number }
  | { readonly is: 'failed' | 'held'; readonly process: Process; readonly failed: Process | undefined }

const failures: ReadonlySet<ProcessEndReason | null> = new Set(['crashed', 'start_failed', 'start_timeout'] as const)

export function presenceOf(seen: PresenceInput, connection: Connection): AgentPresence {
  if (connection.state === 'offline') return { is: 'offline', since: connection.since }
  // One in a role of a console is nobody's to chat with.
  const sight = { ...seen, processes: seen.processes?.filter(({ roleAgentId }) => roleAgentId === null) }
  const { agentSessions, thinking, asking } = sight
  if (connection.state !== 'live' || agentSessions === undefined) return { is: 'connecting' }
  const chat = agentSessions.find(({ purpose }) => purpose === 'chat')
  if (chat?.state === 'active') {
    const silentSince = unreachableSince(processOf(sight, chat.launchId), sight)
    if (silentSince !== undefined) return { is: 'unreachable', at: silentSince }
    return { is: thinking ? (asking ? 'asking' : 'thinking') : 'ready' }
  }
  const coming = startingFor(sight, chat)
  if (coming) return coming
  // One that is here for a task may answer too.
  if (thinking && !chat) return { is: 'thinking' }
  if (chat?.state === 'terminating') return { is: 'leaving' }
  return presenceWithoutSession(sight, chat)
}

const processOf = ({ processes = [] }: PresenceInput, launchId: string | null): Process | undefined =>
  processes.find((each) => each.launchId === launchId)

/** When the machine of a process was last heard of, if it is not heard of any more. */
function unreachableSince(process: Process | undefined, { coordinators = [] }: PresenceInput): number | undefined {
  const coordinator = coordinators.find(({ id }) => id === process?.coordinatorId)
  return coordinator?.state === 'unreachable' ? Date.parse(coordinator.lastHeardAt) : undefined
}

/** A process that is on its way, and not for a task. */
function startingFor(sight: PresenceInput, chat: AgentSession | undefined): AgentPresence | undefined {
  const { processes = [], agentSessions = [] } = sight
  const taken = new Set(agentSessions.filter((each) => each !== chat || each.state === 'ended').map(({ launchId }) => launchId))
  const coming = processes.find(
    (each) => each.state !== 'ended' && each.stopReason === null && each.launchId !== chat?.launchId && !taken.has(each.launchId),
  )
  if (!coming || coming.state === 'ended') return undefined
  if (coming.state === 'held') return { is: 'held', process: coming, failed: lastFailed(processes) }
  const silentSince = unreachableSince(coming, sight)
  if (silentSince !== undefined) return { is: 'unreachable', at: silentSince }
  return { is: 'starting', since: Date.parse(coming.orderedAt), step: coming.state }
}

const lastFailed = (processes: readonly Process[]): Process | undefined =>
  processes.find(({ state, reason }) => state === 'ended' && failures.has(reason))

function presenceWithoutSession(sight: PresenceInput, chat: AgentSession | undefined): AgentPresence {
  const { called, askedAt, processes = [], coordinators, agent } = sight
  const wasCalled = called !== undefined && (!chat?.endedAt || called.before === chat.id)
  const wasAsked = askedAt !== undefined && (!chat?.endedAt || askedAt > chat.endedAt)
  const [last] = processes
  const failed = last?.state === 'ended' && failures.has(last.reason) ? last : undefined
  const failedSince =
    failed &&
    ((wasCalled && called.afterLaunch !== failed.launchId) || (askedAt !== undefined && askedAt < (failed.endedAt ?? '')))
  if (failedSince) return { is: 'failed', process: failed, failed }
  if (!wasCalled && !wasAsked) return chat?.endedAt ? { is: 'left', at: Date.parse(chat.endedAt) } : { is: 'away' }
  const since = wasCalled ? called.at : Date.parse(askedAt ?? '')
  if (agent.command === null) return { is: 'waiting', since }
  if (coordinators && !coordinators.some(({ state }) => state === 'connected')) return { is: 'noCoordinator' }
  return { is: 'starting', since, step: 'ordered' }
}
