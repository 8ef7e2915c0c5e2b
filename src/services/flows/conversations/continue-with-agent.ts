/**
 * Lets another agent go on in a session (SN21): in the same files, under the same title, with what
 * waits. An agent's first session stays that agent's; there another session goes on. The next turn
 * is primed with the whole (services/turns/primer-record.ts).
 */
import { inReadingOrder } from '../../../domain/conversations/messages.ts'
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import type { Conversation } from '../../../protocol/conversations/conversation.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import type { EventBodies } from '../../../protocol/events.ts'
import type { PromptPart } from '../../../protocol/turns/prompt.ts'
import { newestOfLaunch } from '../../../store/agent-sessions/agent-sessions.ts'
import { laneOf } from '../../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { afterAllMessages, messagesBefore } from '../../../store/conversations/messages.ts'
import { passUnread, selectUnreadIn } from '../../../store/conversations/unread.ts'
import { liveLaunchesIn } from '../../../store/processes/launches.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import {
  isPushed,
  selectOpenIn,
  selectRunningIn,
  selectRunningOfLaunch,
  type TurnRow,
} from '../../../store/turns/turns.ts'
import { selectOfConversation } from '../../../store/worktrees/worktrees.ts'
import { addThread, drawThreadKey } from '../../conversations/add-conversation.ts'
import {
  changeConversation,
  currentConversation,
  existingConversation,
  streamOfKey,
  writeMessage,
} from '../../conversations/conversation-record.ts'
import { viewFor } from '../../conversations/conversation-view.ts'
import {
  type AgentChat,
  agentsWith,
  checkCanGoOn,
  isThread,
  requireAgentChat,
} from '../../conversations/next-agent.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { tellSession } from '../../tell-session.ts'
import { chooseModel } from '../../turns/chat-options.ts'
import { clearLimit } from '../../turns/limit-record.ts'
import { addTurn, moveTurn } from '../../turns/move-turn.ts'
import { cancelQueuedTurns } from '../../turns/turn-record.ts'
import { endAgentSession } from '../agent-sessions/end-agent-session.ts'
import { appendMessage } from '../messages/append-message.ts'
import { beginWaiting } from '../turns/begin-turn.ts'

/** What waits in a session that is passed on: one turn, and what is repeated or parked. */
const maxPassed = 100
/** The newest messages that the session which goes on from a first one begins with. */
const maxCopied = 1000

interface Input {
  readonly key: string
  readonly agentId: string
  readonly model?: string | undefined
  readonly by: string
}

interface Continued {
  readonly conversation: Conversation
  /** Whether it goes on in another session. */
  readonly isNew: boolean
}

export const continueWithAgent = defineUseCase('continue-with-agent', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Input) => [streamOfKey(key)],
  run: async (tx, input, context): Promise<Continued> => {
    const { key, agentId, by } = input
    const row = requireAgentChat(await currentConversation(tx, key, context.now))
    await checkCanGoOn(tx, row, agentId)
    if (agentId === row.agent_id) {
      await giveModel(tx, row, input, context)
      return { conversation: await viewFor(tx, row, by), isNew: false }
    }
    tx.lock(projectStream(row.project_id))
    if ((await tx.all(selectRunningIn, { key })).length > 0)
      throw new Refusal('wrong_state', refusalText('turnRuns', { key }), { key })
    const goesOn = isThread(row)
      ? await passOn(tx, row, input, context)
      : await goOnElsewhere(tx, row, input, context)
    await giveModel(tx, await existingConversation(tx, goesOn), input, context)
    const conversation = await viewFor(tx, await existingConversation(tx, goesOn), by)
    return { conversation, isNew: goesOn !== key }
  },
})

const giveModel = async (tx: Tx, row: ConversationRow, input: Input, context: Context) =>
  input.model !== undefined && chooseModel(tx, row, { ...input, model: input.model }, context)

/** In place. Returns the key. */
async function passOn(tx: Tx, row: AgentChat, input: Input, context: Context): Promise<string> {
  const { key, project_id: projectId, agent_id: from } = row
  const { agentId, by } = input
  const lane = await laneOf(tx, key, agentId)
  const next = { agentId, lane, pulls: await isPulling(tx, agentId) }
  const agents = row.draft === 1 ? null : agentsWith(row, agentId, context.now)
  await changeConversation(tx, row, { agent_id: agentId, agents }, context.now)
  if (row.draft === 0)
    tx.append(conversationStream(key), { type: 'agent-chosen', data: { agentId, from, by } })
  await passQueue(tx, row, next, context)
  await clearLimit(tx, { agentId: from, projectId, key, originKey: '' }, context)
  await releaseProcesses(tx, row, context)
  await beginWaiting(tx, { agentId, projectId, lane }, context)
  await tellSession(tx, key)
  return key
}

/** Whom what waits goes to. */
interface Next {
  readonly agentId: string
  readonly lane: string
  /** An agent that pulls is handed messages, and nothing else. */
  readonly pulls: boolean
}

const isPulling = async (tx: Tx, agentId: string): Promise<boolean> =>
  (await tx.row('agents', { id: agentId }))?.protocol === 'mcp'

async function waitingTurns(tx: Tx, { key, agent_id }: AgentChat): Promise<TurnRow[]> {
  const open = await tx.all(selectOpenIn, { key, limit: maxPassed })
  return open.filter(
    (turn) =>
      turn.state === 'queued' &&
      turn.about === 'chat' &&
      turn.agent_id === agent_id &&
      turn.origin_key === '',
  )
}

/** Makes anew for the next agent what waits, with its messages. What was paused goes on. */
async function passQueue(tx: Tx, row: AgentChat, next: Next, context: Context): Promise<void> {
  const { now, random } = context
  for (const turn of await waitingTurns(tx, row)) {
    await moveTurn(tx, turn, { type: 'join' }, now, { not_before: null, paused: null })
    if (isPushed(turn)) {
      await askAgain(tx, row.key, turn, next, context)
      continue
    }
    const { conversation_key, project_id, asked_by, created_at, retry_of } = turn
    const id = random.uuid()
    const about = { conversation_key, project_id, asked_by, created_at, retry_of }
    const { agentId, lane } = next
    await addTurn(tx, { ...about, id, agent_id: agentId, lane, about: 'chat' })
    await tx.write(passUnread, { from: turn.id, to: id, agentId })
    tellWaiting(tx, project_id, { turnId: id, agentId, conversationKey: row.key })
  }
}

const tellWaiting = (tx: Tx, projectId: string, data: EventBodies['turn-waiting']): number =>
  tx.append(projectStream(projectId), { type: 'turn-waiting', data })

/** What its agent was told, and a limit kept from an answer (AG6): a turn without messages. */
async function askAgain(
  tx: Tx,
  key: string,
  { project_id, asked_by, content, retry_of, conversation_key }: TurnRow,
  { agentId, lane, pulls }: Next,
  context: Context,
): Promise<void> {
  if (pulls) {
    const row = await existingConversation(tx, key)
    const message = { content: textIn(content), senderId: asked_by, receiverId: agentId } as const
    await appendMessage(tx, row, { ...message, role: 'user' }, context, { readers: [agentId] })
    return
  }
  const id = context.random.uuid()
  const repeated = key === conversation_key ? { retry_of } : {}
  const about = { conversation_key: key, project_id, asked_by, content, ...repeated }
  await addTurn(tx, {
    ...about,
    id,
    agent_id: agentId,
    lane,
    about: 'chat',
    created_at: context.now,
  })
  tellWaiting(tx, project_id, { turnId: id, agentId, conversationKey: key })
}

const textIn = (content: string): string =>
  (JSON.parse(content) as PromptPart[])
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')

/** The processes that the agent before had for this session go; what it knows of it is kept. */
export async function releaseProcesses(tx: Tx, row: AgentChat, context: Context): Promise<void> {
  for (const launch of await liveLaunchesIn(tx, row.lane)) {
    if (launch.agentId !== row.agent_id) continue
    // One that answers another agent, which the session has asked, stays.
    if ((await tx.all(selectRunningOfLaunch, { launchId: launch.id })).length > 0) continue
    const own = await newestOfLaunch(tx, launch.id)
    if (own && own.state !== 'ended') await endAgentSession(tx, own, 'closed', context)
    await stopLaunch(tx, launch, { reason: 'finished' }, context)
  }
}

/** In another session, with what was said and what waits. Returns its key. */
async function goOnElsewhere(
  tx: Tx,
  row: AgentChat,
  { agentId, by }: Input,
  context: Context,
): Promise<string> {
  const { now } = context
  const { key, project_id: projectId, agent_id: from } = row
  const { title, titled_by, account_id, summary, summary_by } = row
  const waiting = await tx.all(selectUnreadIn, { agentId: from, projectId, key, limit: maxCopied })
  const parked = (await waitingTurns(tx, row)).filter(isPushed)
  const goesOn = drawThreadKey(context)
  const begun = { title, titled_by, account_id, summary, summary_by, continued_from: key }
  const agents = agentsWith(row, agentId, now)
  const place = await placeOf(tx, row)
  const added = { key: goesOn, projectId, agentId, agents, ...begun, ...place }
  const thread = await addThread(tx, added, now)
  const unread = await copyHistory(tx, row, thread, { waiting, context })
  await cancelQueuedTurns(tx, key, now)
  await clearLimit(tx, { agentId: from, projectId, key, originKey: '' }, context)
  const lane = await laneOf(tx, goesOn, agentId)
  const next = { agentId, lane, pulls: await isPulling(tx, agentId) }
  for (const turn of parked) await askAgain(tx, goesOn, turn, next, context)
  for (const { senderId, content, media, priority } of unread) {
    const message = {
      senderId,
      content,
      media,
      priority,
      receiverId: agentId,
      role: 'user',
    } as const
    const target = await existingConversation(tx, goesOn)
    await appendMessage(tx, target, message, context, { readers: [agentId] })
  }
  await changeConversation(tx, await existingConversation(tx, key), { continued_as: goesOn }, now)
  const data = { agentId, from, by, continuedAs: goesOn }
  tx.append(conversationStream(key), { type: 'agent-chosen', data })
  await tellSession(tx, key)
  await tellSession(tx, goesOn)
  return goesOn
}

/** The same folder, whatever it is to the session before. */
async function placeOf(tx: Tx, row: AgentChat) {
  const { key, workplace, workplace_folder } = row
  const made = workplace === 'worktree' ? await tx.first(selectOfConversation, { key }) : undefined
  if (!made?.folder) return { workplace, workplace_folder }
  return { workplace: 'folder', workplace_folder: made.folder } as const
}

interface Copying {
  /** What no agent was given yet. */
  readonly waiting: readonly { readonly seq: number }[]
  readonly context: Context
}

/** Copies what agents are given of a conversation. Returns what waits, which is not copied. */
async function copyHistory(
  tx: Tx,
  from: ConversationRow,
  to: ConversationRow,
  { waiting, context }: Copying,
): Promise<Message[]> {
  const page = { key: from.key, seq: afterAllMessages, hidden: false, limit: maxCopied }
  const messages = (await messagesBefore(tx, page)).filter(({ seq }) => seq > from.kept_after)
  const waits = new Set(waiting.map(({ seq }) => seq))
  let row = to
  for (const each of inReadingOrder(messages.toReversed())) {
    if (waits.has(each.seq)) continue
    const { senderId, receiverId, role, content, toolCalls, toolCallId, media, senderName } = each
    const copy = { senderId, receiverId, role, content, toolCalls, toolCallId, media, senderName }
    row = (await writeMessage(tx, row, copy, context)).counted
  }
  await changeConversation(tx, row, {}, context.now)
  return messages.toReversed().filter(({ seq }) => waits.has(seq))
}
