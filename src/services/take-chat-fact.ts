/**
 * What a coordinator says of an agent that is spoken to for a chat or a task (CH12). Pieces are kept until the turn is over; then the
 * answer is the agent's `respond_chat`, its summary, or the result of its task, in the same commit. What is told of a turn that is over
 * is dropped. A process that goes in the middle leaves what it was handed unread, for the next.
 */
import type { Launch } from '../domain/agent-process/lifecycle.ts'
import { parseChannelKey } from '../domain/channel/key.ts'
import { chatWords } from '../domain/channel/words.ts'
import { webKey } from '../domain/conversation/key.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import { say as ours } from '../domain/sentences.ts'
import { answerStream, projectStream } from '../domain/stream/name.ts'
import { summaryFrom } from '../domain/turn/words.ts'
import { mask } from '../platform/mask.ts'
import { type Message, maxContentChars } from '../protocol/message.ts'
import { storable } from '../protocol/text.ts'
import { deleteEventsThrough, raiseFloor, selectPosition } from '../store/event-log.ts'
import { newestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { selectAgent } from '../store/queries/agents.ts'
import { selectChat } from '../store/queries/channel-chats.ts'
import {
  type ChatTurnRow,
  deletePieces,
  insertPiece,
  piecesOf,
  selectChatTurn,
  selectRunningChatTurn,
  updateChatTurn,
  updateReady,
} from '../store/queries/chat-turns.ts'
import { selectConversation } from '../store/queries/conversations.ts'
import { processOf } from '../store/queries/launches.ts'
import { selectTask } from '../store/queries/tasks.ts'
import { heldBy } from '../store/queries/unread.ts'
import type { Context, Reader, Tx } from '../store/store.ts'
import { answerChat } from './answer-chat.ts'
import { chatWorks, goesOnInChat, meetChatLimit } from './chat-limit-record.ts'
import { stopLaunch } from './launch-record.ts'
import { limitOf } from './limit-record.ts'
import { askPermission, withdrawAsked, withdrawPermissions } from './permission-record.ts'
import { setSummary } from './set-summary.ts'
import type { TurnFact } from './take-turn-fact.ts'
import { updateTask } from './update-task.ts'

/** As much of an answer as becomes the result of a task. */
const maxResultChars = 50_000

export async function takeChatFact(tx: Tx, fact: TurnFact, launch: Launch, context: Context): Promise<void> {
  const { now } = context
  switch (fact.type) {
    case 'agent-ready':
      await tx.write(updateReady, { id: launch.id, readyAt: now })
      tx.append(projectStream(launch.projectId), { type: 'process-ready', data: { process: processOf(launch) } })
      return
    case 'agent-failed':
      await stopLaunch(tx, launch, { reason: 'start_failed', detail: mask(fact.error) }, context)
      return
    case 'turn-update': {
      const turn = fact.update.kind === 'text' && fact.turnId !== null && (await runningTurn(tx, launch, fact.turnId))
      return turn && fact.update.kind === 'text' ? say(tx, turn, fact.n, storable(fact.update.text)) : undefined
    }
    case 'turn-ended': {
      const turn = await runningTurn(tx, launch, fact.turnId)
      return turn && endTurn(tx, turn, fact, context)
    }
    case 'permission-asked': {
      if (!(await runningTurn(tx, launch, fact.turnId))) return
      const { agentId, projectId } = launch
      const workSessionId = (await newestOfLaunch(tx, launch.id))?.workSessionId ?? null
      return askPermission(tx, { agentId, projectId, workSessionId, userSessionId: null, role: null }, fact, now)
    }
    case 'permission-withdrawn':
      return withdrawAsked(tx, { launchId: launch.id, askId: fact.askId }, now)
  }
}

/** Its process has gone. `said`: the conversations whose answers are locked; of one that has begun since, the next turn clears the words. */
export async function forgetChatTurn(tx: Tx, { id: launchId }: Launch, said: readonly string[], { now }: Context): Promise<void> {
  const turn = await tx.first(selectRunningChatTurn, { launchId })
  if (!turn) return
  await withdrawPermissions(tx, turn.id, now)
  await close(tx, turn, { state: 'unknown', error: null }, now)
  if (said.includes(turn.conversation_key ?? '')) await saidWhole(tx, turn)
}

async function runningTurn(tx: Tx, { id: launchId }: Launch, turnId: string): Promise<ChatTurnRow | undefined> {
  const turn = await tx.first(selectRunningChatTurn, { launchId })
  return turn?.id === turnId ? turn : undefined
}

/** Whoever looks at the conversation reads it while it is being said; afterwards it is a message and nothing else. */
async function say(tx: Tx, turn: ChatTurnRow, n: number, text: string): Promise<void> {
  await tx.write(insertPiece, { turn_id: turn.id, n, said: text })
  if (turn.about !== 'chat' || turn.conversation_key === null) return
  const data = { turnId: turn.id, agentId: turn.agent_id, text }
  tx.append(answerStream(turn.conversation_key), { type: 'answer-said', data })
}

async function saidWhole(tx: Tx, { id: turnId, about, conversation_key: key }: ChatTurnRow): Promise<void> {
  if (about !== 'chat' || key === null) return
  const name = answerStream(key)
  const head = (await tx.first(selectPosition, { name }))?.head ?? 0
  await tx.write(deleteEventsThrough, { stream: name, seq: head })
  await tx.write(raiseFloor, { name, floor: head })
  tx.append(name, { type: 'answer-over', data: { turnId } })
}

async function close(tx: Tx, turn: ChatTurnRow, end: Pick<ChatTurnRow, 'state' | 'error'>, now: string): Promise<void> {
  await tx.write(deletePieces, { turnId: turn.id })
  await tx.write(updateChatTurn, { id: turn.id, ...end, ended_at: now })
}

type Ended = Extract<TurnFact, { type: 'turn-ended' }>

async function endTurn(tx: Tx, turn: ChatTurnRow, { outcome, error }: Ended, context: Context): Promise<void> {
  const { now } = context
  await withdrawPermissions(tx, turn.id, now)
  const text = (await piecesOf(tx, turn.id)).trim()
  const why = outcome === 'failed' ? mask(error ?? ours('noReason')) : null
  await close(tx, turn, { state: outcome, error: why }, now)
  await saidWhole(tx, turn)
  const own = await newestOfLaunch(tx, turn.launch_id)
  if (own?.id !== turn.agent_session_id || own.state === 'ended') return
  // A person who waits is told what went wrong, rather than asked the same again for ever.
  const said = why === null ? text : [text, ours('didNotWork', { why })].filter(Boolean).join('\n\n')
  const limit = limitOf({ state: outcome, error: why, answer: text }, now)
  await withoutRefusal(() => hand(tx, turn, { text, said, why, outcome, limit }, context))
}

interface Told {
  readonly text: string
  readonly said: string
  /** It failed, and says so. */
  readonly why: string | null
  readonly outcome: Ended['outcome']
  /** AG6: it met its vendor's limit, which lasts so long. */
  readonly limit: Instant | undefined
}

/** RE9: what cannot be taken from an agent any more is left out; what else the coordinator tells is taken all the same. */
async function withoutRefusal(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'busy') throw error
  }
}

async function hand(tx: Tx, turn: ChatTurnRow, { text, said, why, outcome, limit }: Told, context: Context): Promise<void> {
  const caller = { agentId: turn.agent_id, projectId: turn.project_id, agentSessionId: turn.agent_session_id }
  if (turn.about === 'chat') {
    const conversationKey = turn.conversation_key ?? ''
    const held = await heldBy(tx, caller, conversationKey)
    const spoken = { turnId: turn.id, asksNobody: await areAnswers(tx, held) }
    const elsewhere = limit && (await toldElsewhere(tx, turn, { until: limit, said: why ?? text }, context.now))
    const content = (elsewhere ?? said).slice(0, maxContentChars)
    await answerChat.run(tx, { ...caller, conversationKey, content, clientId: turn.id, spoken }, context)
    // Elsewhere, nobody could say whether it goes on.
    if (conversationKey !== webKey(turn.project_id, turn.agent_id) && !parseChannelKey(conversationKey)) return
    const chat = { key: conversationKey, projectId: turn.project_id, agentId: turn.agent_id }
    if (limit !== undefined) await meetChatLimit(tx, chat, held, limit)
    else if (outcome === 'answered') await chatWorks(tx, chat)
  } else if (turn.about === 'summary') {
    const earlier = (await tx.first(selectConversation, { key: turn.conversation_key ?? '' }))?.summary ?? ''
    // That it is at its limit is no summary either, although it calls it an answer.
    const summary = summaryFrom(why !== null || limit !== undefined ? '' : text, earlier)
    await setSummary.run(tx, { ...caller, summary, throughSeq: turn.through_seq ?? 0 }, context)
  } else {
    const isDone = outcome === 'answered' && limit === undefined
    const result = limit === undefined ? said : `It is at its limit until ${limit}.\n\n${said}`
    await endTask(tx, turn, { failed: !isDone, result: result.slice(0, maxResultChars) }, context)
  }
}

/** Where there is no card: until when the limit lasts and what to do then, in the language of the chat. */
async function toldElsewhere(
  reader: Reader,
  { project_id: projectId, agent_id: agentId, conversation_key }: ChatTurnRow,
  met: { until: Instant; said: string },
  now: Instant,
): Promise<string | undefined> {
  const key = conversation_key ?? ''
  const place = parseChannelKey(key)
  const chat = place && (await reader.first(selectChat, place))
  if (!chat) return undefined
  const agent = (await reader.first(selectAgent, { id: agentId }))?.name ?? agentId
  const goesOn = await goesOnInChat(reader, { key, projectId, agentId })
  return chatWords(chat.language).atLimit({ agent, zone: Temporal.Now.timeZoneId(), now, goesOn, ...met })
}

/** CV10: what was said in a turn is an answer. Whoever is spoken to always says something: two of them would answer each other for ever. */
async function areAnswers(reader: Reader, messages: readonly Message[]): Promise<boolean> {
  for (const { clientId } of messages)
    if (clientId === null || !(await reader.first(selectChatTurn, { id: clientId }))) return false
  return messages.length > 0
}

/** Unless the agent has said so itself, with its tools. */
async function endTask(tx: Tx, turn: ChatTurnRow, end: { failed: boolean; result: string }, context: Context): Promise<void> {
  const taskId = turn.task_id ?? ''
  const task = await tx.first(selectTask, { projectId: turn.project_id, id: taskId })
  if (task?.status !== 'in_progress') return
  const caller = { agentId: turn.agent_id, projectId: turn.project_id, agentSessionId: turn.agent_session_id }
  const status = end.failed ? 'failed' : 'completed'
  await updateTask.run(tx, { ...caller, taskId, status, result: end.result }, context)
}
