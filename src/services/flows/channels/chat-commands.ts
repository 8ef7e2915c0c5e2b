/**
 * Runs the commands of a paired chat on a channel: start, help, new, status, stop, continue. Each
 * is answered in the chat.
 */
import {
  type ChatStatus,
  chatWords,
  type VendorLimit,
} from '../../../domain/channels/chat-texts.ts'
import { type ChatAddress, type ChatCommand, channelKey } from '../../../domain/channels/key.ts'
import type { Instant } from '../../../domain/instant.ts'
import type { ChannelRoute } from '../../../protocol/channels/channel.ts'
import { selectLiveAgentSession } from '../../../store/agent-sessions/agent-sessions.ts'
import type { ChatRow } from '../../../store/channels/channels.ts'
import { laneOf } from '../../../store/conversations/conversation-identity.ts'
import { postKey, selectPanels } from '../../../store/conversations/panels.ts'
import { selectUnreadIn } from '../../../store/conversations/unread.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import type { Context, Reader, Tx } from '../../../store/store.ts'
import {
  isPushed,
  selectOpenIn,
  selectRunningIn,
  type TurnRow,
} from '../../../store/turns/turns.ts'
import { resetConversation } from '../../conversations/change-conversation.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { clearLimitsIn, currentLimit, setContinuation } from '../../turns/limit-record.ts'
import { closeChat, launchInProgress } from '../conversations/start-chat.ts'
import { orderCancel } from '../turns/cancel-turn.ts'
import { endTurn } from '../turns/end-turn.ts'

/** Waiting messages counted by /status and /stop. */
const maxCountedWaiting = 1000

export interface CommandInChat extends ChatAddress {
  readonly command: ChatCommand
  readonly senderId: string
  readonly route: ChannelRoute | null
}

type RoutedCommand = CommandInChat & { readonly route: ChannelRoute }

export async function answerCommand(
  tx: Tx,
  input: CommandInChat,
  { language }: ChatRow,
  context: Context,
): Promise<string> {
  const words = chatWords(language, input.channel)
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
  const post = { projectId, agentId, lane: await laneOf(tx, key, agentId) }
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
  const post = { ...route, lane: await laneOf(reader, key, route.agentId) }
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
