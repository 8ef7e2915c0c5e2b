/**
 * Takes what comes in from chats on channels: messages and commands of paired ones, and unpaired
 * senders. A receipt with the platform's message id makes it idempotent.
 */

import { systemId } from '../../domain/access/caller.ts'
import {
  type ChatLanguage,
  type ChatStatus,
  chatWords,
  type VendorLimit,
} from '../../domain/channels/chat-texts.ts'
import { type ChatAddress, type ChatCommand, channelKey } from '../../domain/channels/key.ts'
import {
  askingLifetimeMs,
  isAnswered,
  maxAskingChats,
  maxUnpairedAttempts,
  readCode,
} from '../../domain/channels/pairing.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { ChannelRoute } from '../../protocol/channels/channel.ts'
import { selectLiveAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { type ChatRow, selectAsking, selectChat } from '../../store/channels/channels.ts'
import { postKey, selectPanels } from '../../store/conversations/panels.ts'
import { selectUnreadIn } from '../../store/conversations/unread.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { newRow } from '../../store/rows.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { isPushed, selectOpenIn, selectRunningIn, type TurnRow } from '../../store/turns/turns.ts'
import { chatStream, queueOutgoing, routeFor, writeChat } from '../channels/channel-chat-record.ts'
import { resetConversation } from '../conversations/change-conversation.ts'
import { openConversation } from '../conversations/conversation-record.ts'
import { defaultWorkplace } from '../conversations/conversation-workplace.ts'
import { stopLaunch } from '../processes/launch-record.ts'
import { clearLimitsIn, currentLimit, setContinuation } from '../turns/limit-record.ts'
import { appendMessage } from './append-message.ts'
import { orderCancel } from './cancel-turn.ts'
import { endTurn } from './end-turn.ts'
import { closeChat, launchInProgress } from './start-chat.ts'

/** What came in from a chat, as the platform tells it. */
export interface Incoming extends ChatAddress {
  readonly kind: ChatRow['kind']
  readonly title: string
  readonly handle: string | null
  readonly language: ChatLanguage
  /** The author, as the platform knows them. */
  readonly senderId: string
  readonly senderName: string
  /** The platform's message id, unique for our account. */
  readonly messageId: string
  readonly content: string
  /** An attachment that cannot be accepted. */
  readonly attachment: 'photo' | 'voice' | 'other' | null
  /** The command that the content is, and what follows it. */
  readonly command: { readonly command: ChatCommand; readonly rest: string } | undefined
}

/**
 * What a message caused: a message to an agent, a command, an unknown sender's request, or nothing.
 */
export type Taken = 'message' | 'command' | 'unpaired' | 'nothing'

interface TakenIncoming {
  readonly taken: Taken
  /** The answer to a command. */
  readonly said?: string
}

/**
 * Takes what comes in from a chat on a channel: a message or a command of a paired one, or a
 * request to be paired.
 */
export const takeIncoming = defineUseCase('take-incoming', {
  scope: 'server',
  on: 'nobody',
  streams: (input: Incoming) => [chatStream(input)],
  run: async (tx, input, context): Promise<TakenIncoming> => {
    const { channel, command, content, attachment } = input
    const { now } = context
    const chat = await tx.first(selectChat, input)
    if (chat?.state !== 'paired') {
      await takeUnpaired(tx, input, chat, now)
      return { taken: 'unpaired' }
    }
    if (!command && content === '' && attachment === null) return { taken: 'nothing' }
    await tx.update('channel_chats', { ...chat, last_in_at: now })
    await tx.update('channels', { channel, last_in_at: now })
    const route = await routeFor(tx, channel, chat)
    if (!command) {
      await takeMessage(tx, input, chat, route, context)
      return { taken: 'message' }
    }
    if (route) tx.lock(projectStream(route.projectId))
    const order = { channel, chatId: input.chatId, senderId: input.senderId, route }
    const said = await answerCommand(tx, { ...order, command: command.command }, chat, context)
    await queueOutgoing(tx, input, said, now)
    return { taken: 'command', said }
  },
})

/**
 * Stores a message from a paired chat (CN1) in its conversation, unread for the routed agent, in
 * one commit. Work detection then starts the agent as for the page's chat.
 */
async function takeMessage(
  tx: Tx,
  input: Incoming,
  chat: ChatRow,
  route: ChannelRoute | null,
  context: Context,
): Promise<void> {
  const { now } = context
  const words = chatWords(chat.language)
  if (!route) return queueOutgoing(tx, input, words.noAgent, now)
  if (input.attachment)
    await queueOutgoing(tx, input, words.notTaken(words.attachment[input.attachment]), now)
  if (input.content === '') return
  const { row } = await openConversation(tx, channelKey(input), now)
  const workplace =
    row.project_id === route.projectId ? row.workplace : await defaultWorkplace(tx, route)
  const change = { project_id: route.projectId, agent_id: route.agentId, workplace }
  if (row.project_id !== route.projectId || row.agent_id !== route.agentId)
    await tx.update('conversations', { key: row.key, ...change })
  const routed = { ...row, ...change }
  const message = {
    senderId: input.senderId,
    senderName: input.senderName || undefined,
    receiverId: route.agentId,
    role: 'user',
    content: input.content,
    clientId: input.messageId,
  } as const
  const also = [projectStream(route.projectId)]
  await appendMessage(tx, routed, message, context, { readers: [route.agentId], also })
}

/**
 * Handles a message from an unpaired chat (CN2). A valid code pairs the chat. Otherwise the owner
 * sees the chat and the sender is told how to be paired, a few times. The message is not stored;
 * senders, attempts and answers are bounded.
 */
async function takeUnpaired(
  tx: Tx,
  input: Incoming,
  before: ChatRow | undefined,
  now: Instant,
): Promise<void> {
  tx.lock(home)
  const known = before ? withRenewedRequest(before, now) : await addAskingChat(tx, input, now)
  if (!known) return
  const { kind, title, handle, language } = input
  const row = {
    ...known,
    kind,
    title,
    handle,
    language,
    attempts: known.attempts + 1,
    last_in_at: now,
  }
  const words = chatWords(language)
  const code = readCode(input.command?.rest || input.content)
  const pairedBy =
    code !== undefined && known.attempts < maxUnpairedAttempts
      ? await consumeCode(tx, input, code, now)
      : undefined
  if (pairedBy !== undefined) {
    const paired = {
      ...row,
      state: 'paired',
      attempts: 0,
      decided_at: now,
      decided_by: pairedBy,
    } as const
    await writeChat(tx, paired, pairedBy)
    await queueOutgoing(tx, input, words.paired, now)
    return
  }
  if (isAnswered(known.state, known.attempts)) {
    await writeChat(tx, row, systemId)
    await queueOutgoing(tx, input, code === undefined ? words.unpaired : words.wrongCode, now)
    // Later messages are not answered. Only tried codes are counted.
  } else if (code !== undefined && known.attempts < maxUnpairedAttempts)
    await tx.update('channel_chats', row)
}

/** An old request counts as a new one. */
const withRenewedRequest = (row: ChatRow, now: Instant): ChatRow =>
  row.state === 'asking' && isExpired(row.asked_at, now)
    ? { ...row, asked_at: now, attempts: 0 }
    : row

const isExpired = (askedAt: Instant, now: Instant): boolean =>
  later(askedAt, askingLifetimeMs) <= now

/** Undefined when too many chats are asking. */
async function addAskingChat(tx: Tx, input: Incoming, now: Instant): Promise<ChatRow | undefined> {
  const { channel } = input
  const asking = await tx.all(selectAsking, { channel, limit: maxAskingChats + 1 })
  const forgotten = asking.filter(({ asked_at }) => isExpired(asked_at, now))
  for (const { chat_id } of forgotten)
    await tx.delete('channel_chats', { channel, chat_id: chat_id })
  if (asking.length - forgotten.length >= maxAskingChats) return undefined
  const { chatId: chat_id, kind, title, handle, language } = input
  const about = { channel, chat_id, kind, title, handle, language }
  const row = newRow('channel_chats', { ...about, state: 'asking', asked_at: now, last_in_at: now })
  await tx.insert('channel_chats', row)
  return row
}

/** Consumes a valid code and returns its maker. */
async function consumeCode(
  tx: Tx,
  { channel }: ChatAddress,
  code: string,
  now: Instant,
): Promise<string | undefined> {
  const found = await tx.row('pairing_codes', { channel, hash: hashSecret(code) })
  if (!found || found.expires_at <= now) return undefined
  await tx.delete('pairing_codes', { channel, hash: found.hash })
  return found.created_by
}

// Runs the commands of a paired chat: /start, /help, /new, /status, /stop, /continue. Each is
// answered in the chat.

/** Waiting messages counted by /status and /stop. */
const maxCountedWaiting = 1000

interface CommandInChat extends ChatAddress {
  readonly command: ChatCommand
  readonly senderId: string
  readonly route: ChannelRoute | null
}

type RoutedCommand = CommandInChat & { readonly route: ChannelRoute }

async function answerCommand(
  tx: Tx,
  input: CommandInChat,
  { language }: ChatRow,
  context: Context,
): Promise<string> {
  const words = chatWords(language)
  const { command, route } = input
  if (command === 'start') return words.paired
  if (command === 'help') return words.help
  if (!route) return words.noAgent
  const addressed = { ...input, route }
  if (command === 'new') {
    await resetChat(tx, addressed, context)
    return words.begun
  }
  if (command === 'status') return words.status(await statusOf(tx, addressed, context))
  if (command === 'stop') return words[await stop(tx, addressed, context)]
  const limit = await currentLimit(tx, contextOf(addressed))
  if (!limit) return words.noLimit
  await setContinuation(tx, limit, { goOn: true, by: input.senderId })
  return words.goesOn(shownLimit(limit, context))
}

const contextOf = ({ route: { projectId, agentId }, ...place }: RoutedCommand) => ({
  projectId,
  agentId,
  key: channelKey(place),
  originKey: '',
})

const shownLimit = (
  row: { limited_until: Instant; goes_on_left: number },
  { now, timeZone: zone }: Context,
): VendorLimit => ({
  until: row.limited_until,
  zone,
  now,
  goesOn: row.goes_on_left > 0,
})

/**
 * Resets the history that the agent gets and ends the agent, unless somebody has the chat open on
 * the page.
 */
async function resetChat(
  tx: Tx,
  { route, senderId, ...place }: RoutedCommand,
  context: Context,
): Promise<void> {
  const key = channelKey(place)
  if (await tx.row('conversations', { key })) await resetConversation.run(tx, { key }, context)
  await clearLimitsIn(tx, key, context.now)
  const { projectId, agentId } = route
  const post = { projectId, agentId, lane: '' }
  const panel = await tx.first(selectPanels, { ...postKey(post), limit: 1 })
  if (!panel) await closeChat(tx, post, { by: senderId, now: context.now })
}

async function statusOf(
  reader: Reader,
  addressed: RoutedCommand,
  context: Context,
): Promise<ChatStatus> {
  const { route, ...place } = addressed
  const limit = await currentLimit(reader, contextOf(addressed))
  const unread = await reader.all(selectUnreadIn, {
    ...route,
    key: channelKey(place),
    limit: maxCountedWaiting,
  })
  return {
    agent: (await reader.row('agents', { id: route.agentId }))?.name ?? route.agentId,
    project: (await reader.row('projects', { id: route.projectId }))?.name ?? route.projectId,
    doing: await agentActivity(reader, route, channelKey(place)),
    waiting: unread.length,
    limit: limit ? shownLimit(limit, context) : null,
  }
}

async function agentActivity(
  reader: Reader,
  route: ChannelRoute,
  key: string,
): Promise<ChatStatus['doing']> {
  if ((await reader.all(selectRunningIn, { key })).some((turn) => turn.agent_id === route.agentId))
    return 'answering'
  const post = { ...route, lane: '' }
  if (await reader.first(selectLiveAgentSession, { ...post, purpose: 'chat' })) return 'there'
  const launch = await launchInProgress(reader, post)
  if (!launch) return 'away'
  return launch.state === 'held' ? 'held' : 'starting'
}

/**
 * Drops queued turns and cancels the running one, or stops its process if it cannot be cancelled.
 */
async function stop(
  tx: Tx,
  input: RoutedCommand,
  context: Context,
): Promise<'stopped' | 'dropped' | 'nothingRuns' | 'cannotStop'> {
  const { route, senderId, ...place } = input
  const key = channelKey(place)
  const open = (await tx.all(selectOpenIn, { key, limit: maxCountedWaiting })).filter(
    (turn) => turn.agent_id === route.agentId,
  )
  const running = open.find(({ state }) => state === 'running')
  const how = running && (await stopWork(tx, running, senderId, context))
  // A cancelled turn's messages are settled by its end.
  const dropped = open.filter(({ state, not_before }) => state === 'queued' && not_before === null)
  for (const turn of dropped) await endTurn(tx, turn, { type: 'stop' }, {}, context)
  if (running && how === 'ended') await endTurn(tx, running, { type: 'stop' }, {}, context)
  const limit = await currentLimit(tx, contextOf(input))
  const isTakenBack = limit !== undefined && limit.goes_on_left > 0
  if (isTakenBack) await setContinuation(tx, limit, { goOn: false, by: input.senderId })
  if (how) return 'stopped'
  if (running) return 'cannotStop'
  return dropped.length > 0 || isTakenBack ? 'dropped' : 'nothingRuns'
}

async function stopWork(
  tx: Tx,
  turn: TurnRow,
  by: string,
  context: Context,
): Promise<'cancelled' | 'ended' | undefined> {
  const launch = turn.launch_id === null ? undefined : await findLaunch(tx, turn.launch_id)
  if (!launch || launch.state === 'ended') return undefined
  if (isPushed(turn)) {
    await orderCancel(tx, turn, { by, now: context.now })
    return 'cancelled'
  }
  await stopLaunch(tx, launch, { reason: 'stopped_by_person' }, context)
  return 'ended'
}
