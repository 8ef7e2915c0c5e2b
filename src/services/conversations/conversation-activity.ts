/** Derives what a conversation is doing now from its turns, process and permission requests. */

import { limitReached } from '../../domain/turns/lifecycle.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { doingIn, noItems, withUpdate } from '../../protocol/threads/turn-items.ts'
import { AgentUpdate, type TurnUsage } from '../../protocol/turns/agent-update.ts'
import type { FileChanges } from '../../protocol/worktrees/file-state.ts'
import { selectPendingOfTurn } from '../../store/approvals/approvals.ts'
import { selectInRole } from '../../store/consoles/user-sessions.ts'
import {
  identityIn,
  type RolePlace,
  rolePlaceOf,
} from '../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { liveLaunchesOf } from '../../store/processes/launches.ts'
import type { Reader } from '../../store/store.ts'
import { selectLimitedIn } from '../../store/turns/contexts.ts'
import { newestPieces } from '../../store/turns/turn-items.ts'
import {
  selectFiguresIn,
  selectLastBegun,
  selectOpenIn,
  selectRunningIn,
  type TurnRow,
  turnStream,
} from '../../store/turns/turns.ts'
import { mustWaitForFolder } from './conversation-workplace.ts'

type Activity = Pick<Conversation, 'activity' | 'waitsFor' | 'paused'>

/**
 * What people see of a session everywhere (SL4): the first that applies of waiting, failed,
 * interrupted, limited, working, starting, ended and idle.
 */
export async function activityOf(reader: Reader, row: ConversationRow): Promise<Activity> {
  const { key } = row
  if (await findWaitingTurn(reader, key))
    return { activity: 'waiting', waitsFor: 'checkout', paused: null }
  const open = await reader.all(selectOpenIn, { key, limit: 10 })
  const running = open.find(({ state }) => state === 'running')
  const activity = running
    ? await activityOfTurn(reader, running)
    : await activityBetweenTurns(reader, row, open)
  // SN20: why what waits does not begin by itself.
  const paused = open.find((turn) => turn.paused !== null)?.paused ?? null
  return { activity, waitsFor: null, paused }
}

/** A turn that has begun says nothing of how the one before it ended. */
const activityOfTurn = async (reader: Reader, { id: turnId }: TurnRow) =>
  (await reader.first(selectPendingOfTurn, { turnId })) ? 'waiting' : 'working'

/**
 * CX9: the queued turn of an idle conversation that waits for another conversation's turn in the
 * same folder.
 */
export async function findWaitingTurn(reader: Reader, key: string): Promise<TurnRow | undefined> {
  const open = await reader.all(selectOpenIn, { key, limit: 10 })
  if (open.some(({ state }) => state === 'running')) return undefined
  for (const turn of open) {
    if (
      turn.about !== 'summary' &&
      turn.not_before === null &&
      turn.paused === null &&
      (await mustWaitForFolder(reader, turn))
    )
      return turn
  }
  return undefined
}

async function activityBetweenTurns(
  reader: Reader,
  row: ConversationRow,
  open: readonly TurnRow[],
): Promise<Conversation['activity']> {
  const { key, work_session_id: id } = row
  const place = rolePlaceOf(identityIn(row))
  const isLimited = (await reader.first(selectLimitedIn, { key })) !== undefined
  const last = await reader.first(selectLastBegun, { key })
  const queued = open.find(({ paused }) => paused === null)
  // What met a limit is parked, or goes on.
  const ended = last && endOf(last, isLimited || queued !== undefined)
  if (place) return activityInRole(reader, place, { last, ended, isLimited })
  if (ended === 'failed' || (queued && (await cannotStart(reader, queued)))) return 'failed'
  if (ended) return ended
  if (isLimited) return 'limited'
  if (queued) return 'starting'
  if (id !== null && (await reader.row('sessions', { id }))?.ended_at) return 'ended'
  return 'idle'
}

type LastTurn = Pick<TurnRow, 'state' | 'stop_reason' | 'role_agent_id'>

/** How the newest turn that began ended, where it is without an answer. */
function endOf(
  { state, stop_reason }: LastTurn,
  isRepeated: boolean,
): 'failed' | 'interrupted' | undefined {
  if (state === 'unknown') return 'interrupted'
  return state === 'failed' && !(isRepeated && stop_reason === limitReached) ? 'failed' : undefined
}

const cannotStart = async (
  reader: Reader,
  { agent_id: agentId, project_id: projectId, lane }: TurnRow,
): Promise<boolean> =>
  (await liveLaunchesOf(reader, { agentId, projectId, lane })).some(({ state }) => state === 'held')

/**
 * Turns whose changes and costs are summed up, and pieces in which the newest step is looked for.
 */
const maxCounted = 500
const maxPieces = 20
const maxStrandPieces = 200

/** What the turns of a conversation changed and cost, and what its agent does at this moment. */
export async function figuresOf(
  reader: Reader,
  { key }: ConversationRow,
): Promise<Pick<Conversation, 'lines' | 'cost' | 'doing'>> {
  let lines = null as { added: number; removed: number } | null
  // The newest turn may say what all changed together; without that it is the sum.
  let total: FileChanges | undefined
  let cost = null as { amount: number; currency: string } | null
  for (const turn of await reader.all(selectFiguresIn, { key, limit: maxCounted })) {
    const changes: (FileChanges & { total?: FileChanges }) | null = JSON.parse(
      turn.changes ?? 'null',
    )
    const used: TurnUsage | null = JSON.parse(turn.usage ?? 'null')
    if (lines === null) total = changes?.total
    if (changes && (lines === null || !total)) {
      const { added, removed } = total ?? changes
      lines = { added: (lines?.added ?? 0) + added, removed: (lines?.removed ?? 0) + removed }
    }
    // The newest one of several currencies counts.
    if (used?.cost && (cost?.currency ?? used.cost.currency) === used.cost.currency)
      cost = { currency: used.cost.currency, amount: (cost?.amount ?? 0) + used.cost.amount }
  }
  return { lines, cost, doing: await doingOf(reader, key) }
}

async function doingOf(reader: Reader, key: string): Promise<Conversation['doing']> {
  const [turn] = await reader.all(selectRunningIn, { key })
  if (!turn) return null
  const logged = { stream: turnStream(turn), turnId: turn.id, startedSeq: turn.started_seq ?? 0 }
  const since = turn.started_at ?? turn.created_at
  const pieces = [
    ...(await newestPieces(reader, logged, { limit: maxStrandPieces, kind: 'strand' })),
    ...(await newestPieces(reader, logged, { limit: maxPieces })),
  ]
  const { items } = pieces
    .flatMap((piece) => AgentUpdate.safeParse(piece).data ?? [])
    .reduce(withUpdate, noItems)
  return { turnId: turn.id, since, ...doingIn(items) }
}

async function activityInRole(
  reader: Reader,
  place: RolePlace,
  {
    last,
    ended,
    isLimited,
  }: {
    readonly last: LastTurn | undefined
    readonly ended: 'failed' | 'interrupted' | undefined
    readonly isLimited: boolean
  },
): Promise<Conversation['activity']> {
  const agent = await reader.first(selectInRole, place)
  if (!agent || agent.state === 'TERMINATED') return 'ended'
  if (agent.state === 'FAILED') return 'failed'
  // What became of an earlier agent in this role says nothing of the one that holds it now.
  if (ended && last?.role_agent_id === agent.id) return ended
  if (isLimited) return 'limited'
  return agent.state === 'SPAWNING' ? 'starting' : 'idle'
}
