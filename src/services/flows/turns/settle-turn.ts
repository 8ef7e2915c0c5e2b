/**
 * Applies the end of a turn to its subject (CH12), in the same commit. In a chat the text or the
 * error is posted, in a role the text is kept; a summary is stored; a task is completed by an
 * answer only.
 */

import { afterActivity } from '../../../domain/agent-sessions/lifecycle.ts'
import { chatWords } from '../../../domain/channels/chat-texts.ts'
import { isChannelChat, isChat } from '../../../domain/conversations/key.ts'
import type { Instant } from '../../../domain/instant.ts'
import { afterText, both, cutDetail, type Detail, textOf } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { projectStream } from '../../../domain/stream-name.ts'
import {
  denied,
  limitReached,
  probablyError,
  type TurnAbout,
} from '../../../domain/turns/lifecycle.ts'
import { promptToContinue, summaryFrom } from '../../../domain/turns/prompts.ts'
import { agentAnswering } from '../../../protocol/agents/known-agents.ts'
import { type Message, maxContentChars } from '../../../protocol/conversations/message.ts'
import { activityOf, newestOfLaunch } from '../../../store/agent-sessions/agent-sessions.ts'
import { identityOf } from '../../../store/conversations/conversation-identity.ts'
import { findLaunch, selectAgentName, selectOutput } from '../../../store/processes/launches.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { isPushed, newTurnRow, type TurnRow } from '../../../store/turns/turns.ts'
import { chatOfConversation } from '../../channels/channel-chat-record.ts'
import { setSummary } from '../../conversations/change-conversation.ts'
import { applyLimit, willContinue } from '../../turns/limit-record.ts'
import { addTurn } from '../../turns/move-turn.ts'
import type { EndedTurn } from '../../turns/record-end.ts'
import { noteInTurn } from '../../turns/tell-in-turn.ts'
import { updateTask } from '../../work/change-task.ts'
import { markMessagesRead, postAnswer } from '../messages/post-answer.ts'
import { storeAnswer, storePrompt } from '../work/work-conversation.ts'
import { startInContext } from './start-in-context.ts'

/** Characters of an answer kept as a task's result. */
const maxResultChars = 50_000

/** Stop reasons after which a task is continued once before it fails. */
const continuedStopReasons: ReadonlySet<string | null> = new Set([
  'empty',
  denied,
  probablyError,
  'max_tokens',
  'max_turn_requests',
])

interface Settled {
  /** What was posted. */
  readonly message?: Message | undefined
  readonly read: readonly Message[]
}

/** Whom a turn was for, and so what becomes of its end. */
const settlements: Readonly<
  Record<TurnAbout, (tx: Tx, turn: TurnRow, ended: EndedTurn, context: Context) => Promise<Settled>>
> = {
  chat: settleChat,
  prompt: settlePrompt,
  summary: settleSummary,
  task: settleTask,
}

const nothingRead: Settled = { read: [] }

export async function settleTurn(
  tx: Tx,
  turn: TurnRow,
  ended: EndedTurn,
  context: Context,
): Promise<Settled> {
  tx.lock(projectStream(turn.project_id))
  const own = turn.launch_id === null ? undefined : await newestOfLaunch(tx, turn.launch_id)
  if (own && own.state !== 'ended')
    await tx.update('agent_sessions', activityOf(afterActivity(context.now, own, 'answer')))
  return settlements[turn.about](tx, turn, ended, context)
}

const callerOf = (turn: TurnRow) => ({
  agentId: turn.agent_id,
  projectId: turn.project_id,
  agentSessionId: turn.agent_session_id ?? '',
})

async function settleChat(
  tx: Tx,
  turn: TurnRow,
  ended: EndedTurn,
  context: Context,
): Promise<Settled> {
  const { conversation_key: key } = turn
  const { limitedUntil: until } = ended
  // A pulling agent's answer is posted to the letter.
  const answer = isPushed(turn) ? await shownText(tx, turn, ended) : ended.text
  const elsewhere =
    until &&
    (await channelLimitText(tx, turn, { until, said: textOf(ended.error ?? ended.text) }, context))
  const content = cutDetail(elsewhere ?? answer, maxContentChars)
  const message = await postAnswer(tx, callerOf(turn), { content, turn, key }, context)
  const read = await markMessagesRead(tx, turn, message?.seq ?? null, context)
  // Other conversations offer no way to choose whether to continue.
  const { kind } = await identityOf(tx, key)
  if (isChat(kind) || isChannelChat(kind)) await applyLimit(tx, turn, ended, context)
  return { message, read }
}

/**
 * In a role the answer is kept as it is: how the turn ended is told in the user session's stream.
 */
async function settlePrompt(
  tx: Tx,
  turn: TurnRow,
  ended: EndedTurn,
  context: Context,
): Promise<Settled> {
  await storeAnswer(tx, turn, ended.text, context)
  await applyLimit(tx, turn, ended, context)
  return nothingRead
}

/** The text shown to the person: the answer, or the partial answer and the reason it ended. */
async function shownText(
  reader: Reader,
  turn: TurnRow,
  { state, stopReason, error, text, tools }: EndedTurn,
): Promise<Detail> {
  const answer = text.trim()
  if (state === 'answered' || (stopReason === limitReached && error === null)) return answer
  if (state === 'cancelled' && stopReason !== denied)
    return afterText(
      answer,
      statusNotice('stoppedBy', { who: await nameOf(reader, turn.cancel_by) }),
    )
  if (stopReason === 'error' || stopReason === limitReached)
    return afterText(answer, statusNotice('didNotWork', { why: error ?? statusNotice('noReason') }))
  if (error === null) return answer
  if (typeof error === 'string') return [answer, error].filter(Boolean).join('\n\n')
  const ran =
    stopReason === 'empty' && tools.length > 0
      ? statusNotice('endedAfterTools', { tools: tools.join(', ') })
      : undefined
  return afterText(answer, ran ? both(error, ran) : error)
}

async function nameOf(reader: Reader, id: string | null): Promise<string> {
  if (id === null) return 'Holdfast'
  return (await reader.row('people', { id }))?.name ?? id
}

/**
 * The limit's end and what to do then, in the channel chat's language. Channels have no limit card.
 */
async function channelLimitText(
  reader: Reader,
  { project_id: projectId, agent_id: agentId, conversation_key: key }: TurnRow,
  met: { until: Instant; said: string },
  { now, timeZone: zone }: Context,
): Promise<string | undefined> {
  const { kind } = await identityOf(reader, key)
  const chat = await chatOfConversation(reader, { key, kind })
  if (!chat) return undefined
  const agent = (await reader.row('agents', { id: agentId }))?.name ?? agentId
  const willGoOn = await willContinue(reader, { key, projectId, agentId, originKey: '' })
  return chatWords(chat.language, chat.channel).atLimit({
    agent,
    zone,
    now,
    goesOn: willGoOn,
    ...met,
  })
}

async function settleSummary(
  tx: Tx,
  turn: TurnRow,
  { state, text }: EndedTurn,
  context: Context,
): Promise<Settled> {
  const key = turn.conversation_key
  const earlier = (await tx.row('conversations', { key }))?.summary ?? ''
  // A refusal or a limit notice is not used as a summary.
  const summary = summaryFrom(state === 'answered' ? text.trim() : '', earlier)
  await setSummary.run(
    tx,
    { ...callerOf(turn), conversationKey: key, summary, throughSeq: turn.through_seq ?? 0 },
    context,
  )
  return nothingRead
}

/** Stores the answer and completes or fails the task, unless the agent did so with its tools. */
async function settleTask(
  tx: Tx,
  turn: TurnRow,
  ended: EndedTurn,
  context: Context,
): Promise<Settled> {
  const words = await shownText(tx, turn, ended)
  await storeAnswer(tx, turn, words, context)
  const taskId = turn.task_id ?? ''
  const task = await tx.row('tasks', { project_id: turn.project_id, id: taskId })
  if (task?.status !== 'in_progress') return nothingRead
  if (
    continuedStopReasons.has(ended.stopReason) &&
    turn.retry_of === null &&
    (await continueOnce(tx, turn, ended, context))
  )
    return nothingRead
  const status = ended.state === 'answered' ? 'completed' : 'failed'
  const { limitedUntil } = ended
  const answer = textOf(words)
  const result = (
    limitedUntil === undefined ? answer : `It is at its limit until ${limitedUntil}.\n\n${answer}`
  ).slice(0, maxResultChars)
  await updateTask.run(tx, { ...callerOf(turn), taskId, status, result }, context)
  return nothingRead
}

/** Asks the same context to continue, once. The partial answer stays in the first turn. */
async function continueOnce(
  tx: Tx,
  turn: TurnRow,
  { stopReason }: EndedTurn,
  context: Context,
): Promise<boolean> {
  const { now, random } = context
  const launch = turn.launch_id === null ? undefined : await findLaunch(tx, turn.launch_id)
  const own = launch && (await newestOfLaunch(tx, launch.id))
  if (!launch || launch.stopReason !== null || own?.state !== 'active') return false
  const content = JSON.stringify([{ type: 'text', text: promptToContinue(stopReason) }])
  const { id: retry_of, usage: _, primer: __, ...rest } = turn
  const fresh = {
    state: 'queued',
    answer: '',
    cut: 0,
    started_at: null,
    started_seq: null,
    ended_at: null,
    ended_seq: null,
  } as const
  const again = newTurnRow({
    ...rest,
    ...fresh,
    stop_reason: null,
    error: null,
    notice: null,
    id: random.uuid(),
    created_at: now,
    content,
    retry_of,
  })
  await addTurn(tx, again)
  await storePrompt(tx, again, context)
  await startInContext(tx, again, launch, {}, context)
  return true
}

// Whether an ACP agent has connected to Holdfast's tools (AC11). Agents that are known connect when
// a context is opened; one that has not when its first turn ends works without them, and the person
// is told in that turn.

export const noteTools = defineUseCase('note-tools', {
  scope: 'agent',
  on: 'caller',
  streams: (_: { launchId: string }) => [],
  run: (tx, { launchId: id }): Promise<unknown> =>
    tx.update('launches', { id, tools: 'connected' }),
})

/** Tells once for each process. Call before the turn is ended. */
export async function tellMissingTools(
  tx: Tx,
  turn: TurnRow,
  { id, agentId }: Launch,
): Promise<void> {
  const name = (await tx.first(selectAgentName, { id }))?.agent_name
  if (!name || !agentAnswering(name)) return
  if ((await tx.first(selectOutput, { id }))?.tools !== null) return
  await tx.update('launches', { id, tools: 'missing' })
  noteInTurn(tx, turn, statusNotice('withoutTools', { agent: agentId }))
}
