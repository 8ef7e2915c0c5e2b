/**
 * Hands unread messages to a pulling agent session (NA7, `get_pending_messages`). Their turn runs
 * from now on, and they stay unread until `answer-chat`, so the next session receives them again if
 * no answer comes. A repeated call returns the same messages and newer ones. The session is bound
 * to the conversation of its first turn (CX1).
 */

import { projectStream } from '../../../domain/stream-name.ts'
import { chooseDispatch } from '../../../domain/turns/lifecycle.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import {
  type AgentCaller,
  messagesOfTurn,
  moveUnread,
  splitUnread,
} from '../../../store/conversations/unread.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import { defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import {
  newTurnRow,
  type QueuedChat,
  queuedChats,
  selectRunningOfSession,
  type TurnRow,
} from '../../../store/turns/turns.ts'
import { liveAgentSession } from '../../agent-sessions/agent-session-record.ts'
import { openConversation } from '../../conversations/conversation-record.ts'
import { startableChats } from '../../conversations/conversation-workplace.ts'
import { senderOf, sendersOf } from '../../conversations/message-senders.ts'
import { contextFacts, getOrCreateContext } from '../../turns/context-record.ts'
import { contextOpened } from '../../turns/move-context.ts'
import { addTurn, lockTurn, moveTurn } from '../../turns/move-turn.ts'
import { buildPrimer } from '../../turns/primer-record.ts'
import { expectFiles } from '../../turns/turn-files.ts'
import { tellHandedOver } from './messages-as-prompt.ts'

export interface HandedOverMessages {
  readonly messages: readonly Message[]
  readonly senders: readonly string[]
  readonly summary: string | null
  readonly conversationKey: string | null
  /**
   * Text for a new context: who and where, and what was said before. Null when the context knows
   * it.
   */
  readonly primer: string | null
}

const noMessages: HandedOverMessages = {
  messages: [],
  senders: [],
  summary: null,
  conversationKey: null,
  primer: null,
}

/**
 * Finds the next turn for a session, and the queued turns of the same conversation to merge into
 * it.
 */
async function nextTurnFor(
  reader: Reader,
  caller: AgentCaller,
): Promise<{ turn: TurnRow; merged: QueuedChat[] } | undefined> {
  const row = await reader.row('agent_sessions', { id: caller.agentSessionId })
  const post = row?.state === 'active' ? { ...caller, lane: row.lane } : undefined
  const waiting = post ? await queuedChats(reader, post) : []
  const running = await reader.first(selectRunningOfSession, caller)
  if (running)
    return { turn: running, merged: waiting.filter((each) => isSameConversation(each, running)) }
  const bound = row?.context_id ? await reader.row('contexts', { id: row.context_id }) : undefined
  const held = bound && (await contextFacts(reader, bound))
  const facts = { contexts: held ? [held] : [], contextLimit: 1, runningTurns: 0, isOpening: false }
  const { dispatch } = chooseDispatch(post ? await startableChats(reader, post) : [], facts)
  const turn =
    typeof dispatch === 'object' ? await reader.row('turns', { id: dispatch.id }) : undefined
  return (
    turn && {
      turn,
      merged: waiting.filter((each) => each.id !== turn.id && isSameConversation(each, turn)),
    }
  )
}

const isSameConversation = (waiting: QueuedChat, turn: TurnRow): boolean =>
  waiting.conversationKey === turn.conversation_key && waiting.originKey === turn.origin_key

export const handOverMessages = defineUseCase('hand-over-messages', {
  // The project's lock decides whether the session is still alive.
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: AgentCaller) => [projectStream(projectId)],
  lockCacheKey: ({ agentSessionId }) => agentSessionId,
  run: async (tx, caller, context): Promise<HandedOverMessages> => {
    const { now, random } = context
    const { purpose, launchId } = await liveAgentSession(tx, caller)
    const next = purpose === 'chat' ? await nextTurnFor(tx, caller) : undefined
    if (!next) return noMessages
    const { turn, merged } = next
    lockTurn(tx, turn)
    const { conversation_key: key, origin_key: originKey } = turn
    // DC2: closes a chapter that is due, so that its summary is not handed over.
    const { summary } = (await openConversation(tx, key, now)).row
    // CX4: closing the chapter may have ended the bound context. Then the turn is for another
    // process.
    if ((await nextTurnFor(tx, caller))?.turn.id !== turn.id) return noMessages
    const before = turn.state === 'running' ? await messagesOfTurn(tx, turn.id) : []
    for (const { id } of merged) await mergeTurn(tx, id, turn.id, now)
    await splitUnread(tx, turn.id, async () => {
      const rest = newTurnRow({ ...turn, ...requeued, id: random.uuid(), created_at: now })
      await addTurn(tx, rest)
      return rest.id
    })
    const messages = await messagesOfTurn(tx, turn.id)
    const { agentId, projectId, agentSessionId } = caller
    const bound = await getOrCreateContext(tx, { agentId, projectId, key, originKey }, context)
    const isNew = bound.agent_session_id !== agentSessionId
    const promptSeqs = new Set(
      messages.filter((each) => each.conversationKey === key).map(({ seq }) => seq),
    )
    const priming = await buildPrimer(tx, bound, { turn, promptSeqs }, now)
    const opened = isNew ? { opened_at: now, how: 'pulled' as const, primed_at: now } : {}
    const held = {
      agent_session_id: agentSessionId,
      launch_id: launchId,
      told_through: priming.givenThrough,
      decisions_told_at: now,
    }
    await contextOpened(tx, bound, { ...opened, ...held })
    if (isNew) await tx.update('agent_sessions', { id: agentSessionId, context_id: bound.id })
    // Sent again with the same messages, because an earlier response may have been lost (AS8).
    const primer = isNew ? priming.primer : (turn.primer ?? priming.decided)
    const [context_id, agent_session_id, launch_id] = [bound.id, agentSessionId, launchId]
    const given = { context_id, agent_session_id, launch_id, primer, content: '[]' }
    const begun = await moveTurn(tx, turn, { type: 'start' }, now, given)
    const launch = launchId === null ? undefined : await findLaunch(tx, launchId)
    if (begun && launch) await expectFiles(tx, turn, launch, context)
    // Handed over again, it runs already.
    if (!begun)
      await tx.update('turns', { id: turn.id, context_id, agent_session_id, launch_id, primer })
    tellHandedOver(
      tx,
      caller,
      messages.filter((message) => !before.some(({ id }) => id === message.id)),
    )
    const { nameOf } = await sendersOf(tx, messages.map(senderOf))
    const senders = messages.map((message) => nameOf(senderOf(message)))
    return { messages, senders, summary: summary || null, conversationKey: key, primer }
  },
})

const requeued = {
  state: 'queued',
  agent_session_id: null,
  launch_id: null,
  context_id: null,
  started_at: null,
  primer: null,
} as const

async function mergeTurn(tx: Tx, id: string, into: string, now: string): Promise<void> {
  const row = await tx.row('turns', { id })
  if (!row) return
  await tx.write(moveUnread, { from: id, to: into })
  await moveTurn(tx, row, { type: 'join' }, now)
}
