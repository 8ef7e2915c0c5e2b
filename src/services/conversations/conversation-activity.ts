/** Derives what a conversation is doing now from its turns, process and permission requests. */
import { parseConsoleKey, parseWorkKey } from '../../domain/conversations/key.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { selectPendingOfTurn } from '../../store/approvals/approvals.ts'
import { selectInRole } from '../../store/consoles/user-sessions.ts'
import { type ConversationRow, conversationOf } from '../../store/conversations/conversations.ts'
import { liveLaunchesOf } from '../../store/processes/launches.ts'
import type { Reader } from '../../store/store.ts'
import { selectLimitedIn } from '../../store/turns/contexts.ts'
import { selectNewestIn, selectOpenIn, type TurnRow } from '../../store/turns/turns.ts'
import { selectWorkSession } from '../../store/work/work-sessions.ts'
import { mustWaitForFolder, workplaceOf } from './conversation-workplace.ts'

export const conversationView = async (reader: Reader, row: ConversationRow): Promise<Conversation> => ({
  ...conversationOf(row),
  ...(await activityOf(reader, row)),
  workplace: await workplaceOf(reader, row),
})

type Activity = Pick<Conversation, 'activity' | 'waitsFor'>

async function activityOf(reader: Reader, row: ConversationRow): Promise<Activity> {
  const waiting = await findWaitingTurn(reader, row.key)
  const activity = waiting ? 'waiting' : await activityOfIdle(reader, row)
  return { activity, waitsFor: waiting ? 'checkout' : null }
}

/** CX9: the queued turn of an idle conversation that waits for another conversation's turn in the same folder. */
export async function findWaitingTurn(reader: Reader, key: string): Promise<TurnRow | undefined> {
  const open = await reader.all(selectOpenIn, { key, limit: 10 })
  if (open.some(({ state }) => state === 'running')) return undefined
  for (const turn of open) {
    if (turn.about !== 'summary' && turn.not_before === null && (await mustWaitForFolder(reader, turn))) return turn
  }
  return undefined
}

async function activityOfIdle(reader: Reader, row: ConversationRow): Promise<Conversation['activity']> {
  const { key } = row
  const open = await reader.all(selectOpenIn, { key, limit: 10 })
  const running = open.find(({ state }) => state === 'running')
  if (running) return (await reader.first(selectPendingOfTurn, { turnId: running.id })) ? 'waiting' : 'working'
  const place = parseConsoleKey(key)
  const isLimited = (await reader.first(selectLimitedIn, { key })) !== undefined
  if (place) return activityInRole(reader, place, isLimited)
  if (isLimited) return 'limited'
  const [queued] = open
  if (queued) {
    const launches = await liveLaunchesOf(reader, { agentId: queued.agent_id, projectId: queued.project_id })
    return launches.some(({ state }) => state === 'held') ? 'failed' : 'starting'
  }
  const work = parseWorkKey(key)
  if (work && (await reader.first(selectWorkSession, { id: work.workSessionId }))?.ended_at) return 'ended'
  const last = await reader.first(selectNewestIn, { key })
  return last?.state === 'failed' || last?.state === 'unknown' ? 'failed' : 'idle'
}

async function activityInRole(
  reader: Reader,
  place: { readonly userSessionId: string; readonly role: string },
  isLimited: boolean,
): Promise<Conversation['activity']> {
  const agent = await reader.first(selectInRole, place)
  if (!agent || agent.state === 'TERMINATED') return 'ended'
  if (agent.state === 'FAILED') return 'failed'
  if (agent.state === 'SPAWNING') return 'starting'
  return isLimited ? 'limited' : 'idle'
}
