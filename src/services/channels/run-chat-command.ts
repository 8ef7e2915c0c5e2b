/** Runs the commands of a paired chat: /start, /help, /new, /status, /stop, /continue. Each is answered in the chat. */

import { type ChatStatus, chatWords, type VendorLimit } from '../../domain/channels/chat-texts.ts'
import { type ChatAddress, type ChatCommand, channelKey } from '../../domain/channels/key.ts'
import type { Instant } from '../../domain/instant.ts'
import { coordinatorStream, home, projectStream, type StreamName } from '../../domain/stream-name.ts'
import { withdrawn } from '../../domain/turns/lifecycle.ts'
import type { ChannelRoute } from '../../protocol/channels/channel.ts'
import { selectLiveAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { type ChatRow, selectChat } from '../../store/channels/channels.ts'
import { selectPanels } from '../../store/conversations/panels.ts'
import { selectUnreadIn } from '../../store/conversations/unread.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { isPushed, selectOpenIn, selectRunningIn, type TurnRow } from '../../store/turns/turns.ts'
import { resetConversation } from '../conversations/change-history.ts'
import { closeChat, launchInProgress } from '../conversations/start-chat.ts'
import { stopLaunch } from '../processes/launch-record.ts'
import { isAssigned } from '../projects/project-record.ts'
import { markMessagesRead } from '../turns/answer-chat.ts'
import { orderCancel } from '../turns/cancel-turn.ts'
import { clearLimitsIn, currentLimit, setContinuation } from '../turns/limit-record.ts'
import { chatStream, queueOutgoing } from './channel-chat-record.ts'
import type { ChatWork } from './queries.ts'
import { chatHasChanged } from './take-channel-message.ts'

/** Waiting messages counted by /status and /stop. */
const maxCountedWaiting = 1000

export interface CommandInChat extends ChatAddress {
  readonly command: ChatCommand
  readonly senderId: string
  /** From `find-chat`. */
  readonly route: ChannelRoute | null
  readonly work: ChatWork | null
}

type RoutedCommand = CommandInChat & { readonly route: ChannelRoute }

export const runChatCommand = defineUseCase('run-chat-command', {
  streams: (input: CommandInChat): StreamName[] => [
    chatStream(input),
    home,
    ...(input.route ? [projectStream(input.route.projectId)] : []),
    ...(input.work ? [coordinatorStream(input.work.coordinatorId)] : []),
  ],
  run: async (tx, input, context): Promise<{ said: string }> => {
    const { now } = context
    const chat = await tx.first(selectChat, input)
    if (chat?.state !== 'paired' || (input.route && !(await isAssigned(tx, input.route)))) throw chatHasChanged()
    await tx.update('channel_chats', { ...chat, last_in_at: now })
    await tx.change('channels', { channel: input.channel, last_in_at: now })
    const said = await answerCommand(tx, input, chat, context)
    await queueOutgoing(tx, input, said, now)
    return { said }
  },
})

async function answerCommand(tx: Tx, input: CommandInChat, { language }: ChatRow, context: Context): Promise<string> {
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

const shownLimit = (row: { limited_until: Instant; goes_on_left: number }, { now, timeZone: zone }: Context): VendorLimit => ({
  until: row.limited_until,
  zone,
  now,
  goesOn: row.goes_on_left > 0,
})

/** Resets the history that the agent gets and ends the agent, unless somebody has the chat open on the page. */
async function resetChat(tx: Tx, { route, senderId, ...place }: RoutedCommand, context: Context): Promise<void> {
  const key = channelKey(place)
  if (await tx.row('conversations', { key })) await resetConversation.run(tx, { key }, context)
  await clearLimitsIn(tx, key, context.now)
  const { projectId, agentId } = route
  const panel = await tx.first(selectPanels, { project_id: projectId, agent_id: agentId, limit: 1 })
  if (!panel) await closeChat(tx, route, { by: senderId, now: context.now })
}

async function statusOf(reader: Reader, addressed: RoutedCommand, context: Context): Promise<ChatStatus> {
  const { route, ...place } = addressed
  const limit = await currentLimit(reader, contextOf(addressed))
  const unread = await reader.all(selectUnreadIn, { ...route, key: channelKey(place), limit: maxCountedWaiting })
  return {
    agent: (await reader.row('agents', { id: route.agentId }))?.name ?? route.agentId,
    project: (await reader.row('projects', { id: route.projectId }))?.name ?? route.projectId,
    doing: await agentActivity(reader, route, channelKey(place)),
    waiting: unread.length,
    limit: limit ? shownLimit(limit, context) : null,
  }
}

async function agentActivity(reader: Reader, route: ChannelRoute, key: string): Promise<ChatStatus['doing']> {
  if ((await reader.all(selectRunningIn, { key })).some((turn) => turn.agent_id === route.agentId)) return 'answering'
  if (await reader.first(selectLiveAgentSession, { ...route, purpose: 'chat' })) return 'there'
  const launch = await launchInProgress(reader, route)
  if (!launch) return 'away'
  return launch.state === 'held' ? 'held' : 'starting'
}

/** Drops queued turns and cancels the running one, or stops its process if it cannot be cancelled. */
async function stop(
  tx: Tx,
  input: RoutedCommand,
  context: Context,
): Promise<'stopped' | 'dropped' | 'nothingRuns' | 'cannotStop'> {
  const { route, work, senderId, ...place } = input
  const key = channelKey(place)
  const open = (await tx.all(selectOpenIn, { key, limit: maxCountedWaiting })).filter((turn) => turn.agent_id === route.agentId)
  const running = open.find(({ state }) => state === 'running')
  const how = running && work ? await stopWork(tx, running, { work, by: senderId }, context) : undefined
  // A cancelled turn's messages are settled by its end.
  const dropped = open.filter(({ state, not_before }) => state === 'queued' && not_before === null)
  for (const turn of dropped) await dropTurn(tx, turn, context)
  if (running && how === 'ended') await dropTurn(tx, running, context)
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
  { work, by }: { work: ChatWork; by: string },
  context: Context,
): Promise<'cancelled' | 'ended' | undefined> {
  const launch = await findLaunch(tx, work.launchId)
  if (!launch || launch.state === 'ended') return undefined
  if (launch.coordinatorId !== work.coordinatorId || turn.launch_id !== launch.id) throw chatHasChanged()
  if (isPushed(turn)) {
    await orderCancel(tx, turn, launch, { by, now: context.now })
    return 'cancelled'
  }
  await stopLaunch(tx, launch, { reason: 'stopped_by_person' }, context)
  return 'ended'
}

async function dropTurn(tx: Tx, turn: TurnRow, context: Context): Promise<void> {
  const stop_reason = turn.state === 'queued' ? withdrawn : 'cancelled'
  await tx.update('turns', { ...turn, state: 'cancelled', stop_reason, ended_at: context.now })
  await markMessagesRead(tx, turn, null, context)
}
