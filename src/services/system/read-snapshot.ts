/**
 * Returns the state of streams and their positions from one snapshot. A reader that follows from
 * there misses nothing.
 */
import type { Instant } from '../../domain/instant.ts'
import { home, parseStream, type StreamName } from '../../domain/stream-name.ts'
import type { UserSessionState } from '../../protocol/consoles/user-session.ts'
import type { CoordinatorOrders } from '../../protocol/processes/link.ts'
import {
  type ChatLimit,
  type ConversationState,
  type HomeState,
  type ProjectState,
  snapshotListLimit,
  snapshotMessageLimit,
  type TurnsState,
} from '../../protocol/snapshot.ts'
import { mostWaiting } from '../../protocol/threads/fold-conversation.ts'
import type { WaitingMessage } from '../../protocol/threads/thread-state.ts'
import { isOpen } from '../../protocol/threads/thread-turn.ts'
import { agentsOfProject, agentsPage } from '../../store/agents/agents.ts'
import { pendingApprovals, pendingApprovalsOf } from '../../store/approvals/approvals.ts'
import { pendingChangesOn } from '../../store/consoles/user-sessions.ts'
import { agentsOf, identityIn } from '../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { afterAllMessages, messagesBefore } from '../../store/conversations/messages.ts'
import { selectHandedOver, selectWaiting } from '../../store/conversations/unread.ts'
import { selectPosition } from '../../store/log/event-log.ts'
import { newest } from '../../store/page-cursor.ts'
import { openCoordinatorRequestsOf } from '../../store/processes/coordinator-requests.ts'
import { selectEpoch } from '../../store/processes/coordinators.ts'
import { ordersOf } from '../../store/processes/launches.ts'
import { findProject, projectsPage } from '../../store/projects/projects.ts'
import { type Context, defineQuery, type Reader, type StreamPosition } from '../../store/store.ts'
import { selectContextsIn, selectLimitedIn } from '../../store/turns/contexts.ts'
import { runningTurnsOn, settledPermissionsOn } from '../../store/turns/turn-items.ts'
import { isPushed, selectRunningIn, turnStream } from '../../store/turns/turns.ts'
import { tasksPage } from '../../store/work/tasks.ts'
import { workSessionsPage } from '../../store/work/work-sessions.ts'
import {
  newestTurns,
  pendingRequests,
  runningView,
  userSessionView,
} from '../consoles/user-session-view.ts'
import { conversationView } from '../conversations/conversation-view.ts'
import { readTurnOutput } from '../turns/turn-output.ts'

type StreamState =
  | HomeState
  | ProjectState
  | ConversationState
  | TurnsState
  | CoordinatorOrders
  | UserSessionState
  | Record<string, never>

interface Snapshot {
  /** In the requested order. */
  readonly positions: readonly StreamPosition[]
  readonly state: Readonly<Record<StreamName, StreamState>>
}

export const readSnapshot = defineQuery('read-snapshot', {
  scope: 'read',
  on: 'nobody',
  run: async (
    reader,
    { streams }: { streams: readonly StreamName[] },
    clock,
  ): Promise<Snapshot> => {
    const positions: StreamPosition[] = []
    const states: [StreamName, StreamState][] = []
    for (const name of streams) {
      positions.push((await reader.first(selectPosition, { name })) ?? { head: 0, floor: 0 })
      states.push([name, await stateOf(reader, name, clock)])
    }
    return { positions, state: Object.fromEntries(states) as Snapshot['state'] }
  },
})

type Clock = Pick<Context, 'now' | 'timeZone'>

async function stateOf(
  reader: Reader,
  name: StreamName,
  { now, timeZone }: Clock,
): Promise<StreamState> {
  const stream = parseStream(name)
  if (stream?.kind === home) return homeState(reader)
  if (stream?.kind === 'project') return projectState(reader, stream.id)
  if (stream?.kind === 'conversation') return conversationState(reader, stream.id)
  if (stream?.kind === 'turns') return turnsState(reader, stream.id)
  if (stream?.kind === 'coordinator') return coordinatorOrders(reader, stream.id, now)
  if (stream?.kind === 'user-session') return userSessionState(reader, stream.id, timeZone)
  return {}
}

const coordinatorOrders = async (
  reader: Reader,
  coordinatorId: string,
  now: Instant,
): Promise<CoordinatorOrders> => ({
  launches: await ordersOf(reader, coordinatorId),
  turns: await runningTurnsOn(reader, coordinatorId),
  permissions: await settledPermissionsOn(reader, coordinatorId),
  configures: await pendingChangesOn(reader, coordinatorId),
  questions: await openCoordinatorRequestsOf(reader, {
    coordinatorId,
    epoch: await epochOf(reader, coordinatorId),
    now,
  }),
})

async function turnsState(reader: Reader, key: string): Promise<TurnsState> {
  const running: TurnsState['running'][number][] = []
  for (const turn of await reader.all(selectRunningIn, { key })) {
    if (turn.about === 'summary' || !isPushed(turn)) continue
    const pieces = { stream: turnStream(turn), turnId: turn.id, startedSeq: turn.started_seq ?? 0 }
    const { items } = await readTurnOutput(reader, pieces)
    const { permissions } = await pendingRequests(reader, turn.id)
    running.push({
      agentId: turn.agent_id,
      turn: await runningView(reader, turn),
      items: items.filter((item) => !isOpen(item)),
      permissions,
    })
  }
  return { running, commands: await commandsIn(reader, key) }
}

/** The commands of the agents of a conversation, the newest context first. */
export async function commandsIn(reader: Reader, key: string): Promise<TurnsState['commands']> {
  const contexts = (await reader.all(selectContextsIn, { key, limit: maxContexts })).filter(
    ({ state }) => state !== 'ended',
  )
  return contexts.flatMap(({ agent_id: agentId, commands: commandsSaid }) =>
    commandsSaid === null ? [] : [{ agentId, commands: JSON.parse(commandsSaid) }],
  )
}

/** Contexts of a conversation that are looked at for commands: the newest. */
const maxContexts = 20

const epochOf = async (reader: Reader, coordinatorId: string): Promise<number> =>
  (await reader.first(selectEpoch, { coordinatorId }))?.epoch ?? 0

async function userSessionState(
  reader: Reader,
  id: string,
  timeZone: string,
): Promise<UserSessionState> {
  const row = await reader.row('user_sessions', { id })
  if (!row) return { userSession: null, turns: [] }
  return {
    userSession: await userSessionView(reader, row),
    turns: await newestTurns(reader, id, timeZone),
  }
}

const page = { ...newest, limit: snapshotListLimit }

async function homeState(reader: Reader): Promise<HomeState> {
  return {
    projects: await projectsPage(reader, page),
    agents: await agentsPage(reader, page),
    pendingApprovals: await pendingApprovals(reader),
  }
}

async function projectState(reader: Reader, projectId: string): Promise<ProjectState> {
  const project = await findProject(reader, projectId)
  if (!project)
    return { project: null, agents: [], workSessions: [], tasks: [], pendingApprovals: 0 }
  return {
    project,
    agents: await agentsOfProject(reader, projectId, snapshotListLimit),
    workSessions: await workSessionsPage(reader, projectId, page),
    tasks: await tasksPage(reader, { projectId }, page),
    pendingApprovals: await pendingApprovalsOf(reader, projectId),
  }
}

async function conversationState(reader: Reader, key: string): Promise<ConversationState> {
  const row = await reader.row('conversations', { key })
  if (!row) return { conversation: null, messages: [], handedOver: [], waiting: [], limit: null }
  const messages = await messagesBefore(reader, {
    key,
    seq: afterAllMessages,
    hidden: false,
    limit: snapshotMessageLimit,
  })
  return {
    conversation: await conversationView(reader, row),
    messages,
    handedOver: await handedOverIn(reader, row),
    waiting: await waitingIn(reader, row),
    limit: await limitIn(reader, key),
  }
}

export async function limitIn(reader: Reader, key: string): Promise<ChatLimit | null> {
  const row = await reader.first(selectLimitedIn, { key })
  return row?.limited_until ? { until: row.limited_until, goesOn: row.goes_on_left > 0 } : null
}

/** Queried per agent, because an agent has few unread messages. */
export async function handedOverIn(reader: Reader, row: ConversationRow): Promise<number[]> {
  const { key } = row
  const seqs: number[] = []
  for (const agentId of agentsOf(identityIn(row))) {
    const rows = await reader.all(selectHandedOver, { agentId, key, limit: snapshotListLimit })
    seqs.push(...rows.map(({ seq }) => seq))
  }
  return seqs
}

/** What waits in a conversation, in the order in which its agents will be told. */
export async function waitingIn(reader: Reader, row: ConversationRow): Promise<WaitingMessage[]> {
  const { key } = row
  const waiting: WaitingMessage[] = []
  for (const agentId of agentsOf(identityIn(row)))
    for (const each of await reader.all(selectWaiting, { agentId, key, limit: mostWaiting }))
      waiting.push({ seq: each.seq, rank: each.moved_to === null ? each.priority_rank : null })
  return waiting
}
