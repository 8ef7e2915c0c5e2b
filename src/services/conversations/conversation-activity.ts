/** Derives what a conversation is doing now from its turns, process and permission requests. */
import type { Conversation } from '../../protocol/conversations/conversation.ts'
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
  selectNewestIn,
  selectOpenIn,
  selectRunningIn,
  type TurnRow,
  turnStream,
} from '../../store/turns/turns.ts'
import { mustWaitForFolder } from './conversation-workplace.ts'

const hasFailed = ({ state }: Pick<TurnRow, 'state'>): boolean =>
  state === 'failed' || state === 'unknown'

type Activity = Pick<Conversation, 'activity' | 'waitsFor'>

export async function activityOf(reader: Reader, row: ConversationRow): Promise<Activity> {
  const waiting = await findWaitingTurn(reader, row.key)
  const activity = waiting ? 'waiting' : await activityOfIdle(reader, row)
  return { activity, waitsFor: waiting ? 'checkout' : null }
}

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
      (await mustWaitForFolder(reader, turn))
    )
      return turn
  }
  return undefined
}

async function activityOfIdle(
  reader: Reader,
  row: ConversationRow,
): Promise<Conversation['activity']> {
  const { key } = row
  const open = await reader.all(selectOpenIn, { key, limit: 10 })
  const running = open.find(({ state }) => state === 'running')
  if (running)
    return (await reader.first(selectPendingOfTurn, { turnId: running.id })) ? 'waiting' : 'working'
  const place = rolePlaceOf(identityIn(row))
  const isLimited = (await reader.first(selectLimitedIn, { key })) !== undefined
  if (place) return activityInRole(reader, { ...place, key }, isLimited)
  if (isLimited) return 'limited'
  const [queued] = open
  if (queued) {
    const launches = await liveLaunchesOf(reader, {
      agentId: queued.agent_id,
      projectId: queued.project_id,
      lane: queued.lane,
    })
    return launches.some(({ state }) => state === 'held') ? 'failed' : 'starting'
  }
  const { work_session_id: id } = row
  if (id !== null && (await reader.row('sessions', { id }))?.ended_at) return 'ended'
  const last = await reader.first(selectNewestIn, { key })
  return last && hasFailed(last) ? 'failed' : 'idle'
}

/**
 * Turns whose changes and costs are summed up, and pieces in which the newest step is looked for.
 */
const maxCounted = 500
const maxPieces = 20

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
  const which = { stream: turnStream(turn), turnId: turn.id, startedSeq: turn.started_seq ?? 0 }
  const since = turn.started_at ?? turn.created_at
  for (const piece of await newestPieces(reader, which, maxPieces)) {
    const { data: update } = AgentUpdate.safeParse(piece)
    if (update?.kind === 'tool') {
      const { toolKind, title } = update.call
      return { turnId: turn.id, since, step: 'tool', tool: { toolKind, title } }
    }
    if (update?.kind === 'text' || update?.kind === 'thought')
      return { turnId: turn.id, since, step: update.kind, tool: null }
  }
  return { turnId: turn.id, since, step: null, tool: null }
}

async function activityInRole(
  reader: Reader,
  { key, ...place }: RolePlace & { readonly key: string },
  isLimited: boolean,
): Promise<Conversation['activity']> {
  const agent = await reader.first(selectInRole, place)
  if (!agent || agent.state === 'TERMINATED') return 'ended'
  if (agent.state === 'FAILED') return 'failed'
  if (agent.state === 'SPAWNING') return 'starting'
  if (isLimited) return 'limited'
  const last = await reader.first(selectNewestIn, { key })
  // What became of an earlier agent in this role says nothing of the one that holds it now.
  return last?.role_agent_id === agent.id && hasFailed(last) ? 'failed' : 'idle'
}
