/**
 * Begins turns, of agents in roles and in chats alike: which one is next in a process, and what its
 * agent is told. What makes a turn possible (a message, the end of another, an agent that is ready,
 * a limit that is over) calls this in its own commit; the scan in server/processes/work-scanner.ts
 * finds what nobody has begun. Doing it too early or twice changes nothing.
 */

import { Refusal } from '../../../domain/errors.ts'
import type { Detail } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import {
  conversationStream,
  projectStream,
  userSessionStream,
} from '../../../domain/stream-name.ts'
import { chooseDispatch, nextQueued, type ProcessFacts } from '../../../domain/turns/lifecycle.ts'
import type { Conversation } from '../../../protocol/conversations/conversation.ts'
import { newestOfLaunch, type Post, postOf } from '../../../store/agent-sessions/agent-sessions.ts'
import type { RoleAgentRow } from '../../../store/consoles/user-sessions.ts'
import { contextLimit, findLaunch } from '../../../store/processes/launches.ts'
import {
  selectReadyOfPost,
  selectReadyWithWaiting,
} from '../../../store/processes/ready-launches.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { selectContextsOfLaunch } from '../../../store/turns/contexts.ts'
import {
  isOfRole,
  selectOpenTurns,
  selectRunningOfLaunch,
  type TurnRow,
} from '../../../store/turns/turns.ts'
import { findWaitingTurn } from '../../conversations/conversation-activity.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { conversationView } from '../../conversations/conversation-view.ts'
import { mustWaitForFolder, startableChats } from '../../conversations/conversation-workplace.ts'
import { reasonToGo } from '../../processes/reason-to-go.ts'
import { contextFacts, roleContextKey } from '../../turns/context-record.ts'
import { currentLimit } from '../../turns/limit-record.ts'
import { messagesAsPrompt } from '../messages/messages-as-prompt.ts'
import { replaceProcess } from './context-health.ts'
import { startInContext } from './start-in-context.ts'

/** A process that takes turns. */
export type TurnProcess = Pick<Launch, 'id' | 'agentId' | 'projectId' | 'lane' | 'roleAgentId'>

export type NextTurn =
  | { readonly turnId: string }
  /** The process goes, and another one takes what waits. */
  | { readonly goes: Detail }

/** What begins next in a process, if anything can. */
export async function findNextTurn(
  reader: Reader,
  process: TurnProcess,
): Promise<NextTurn | undefined> {
  const { id: launchId, agentId, roleAgentId } = process
  const running = await reader.all(selectRunningOfLaunch, { launchId })
  // CX4: turns that run are finished where they began.
  const why = roleAgentId === null ? await reasonToGo(reader, { launchId, agentId }) : undefined
  if (why) return running.length === 0 ? { goes: why } : undefined
  const waiting =
    roleAgentId === null
      ? await startableChats(reader, postOf(process))
      : await startablePrompts(reader, process)
  if (waiting.length === 0) return undefined
  const { dispatch } = chooseDispatch(waiting, await processFacts(reader, launchId, running))
  if (dispatch === 'nothing') return undefined
  return dispatch === 'make-room'
    ? { goes: statusNotice('otherConversation') }
    : { turnId: dispatch.id }
}

/** The prompt that waited longest in a role, when its agent is free. */
async function startablePrompts(reader: Reader, process: TurnProcess) {
  const agent = await reader.row('role_agents', { id: process.roleAgentId ?? '' })
  if (!agent || !isAwake(agent, process)) return []
  // Other prompts would meet the limit too. `end-limit` sends the parked one first.
  if (await currentLimit(reader, roleContextKey(agent))) return []
  const next = nextQueued(await reader.all(selectOpenTurns, { roleAgentId: agent.id }))
  if (!next || (await mustWaitForFolder(reader, next))) return []
  return [{ id: next.id, conversationKey: next.conversation_key, originKey: next.origin_key }]
}

const isAwake = (agent: RoleAgentRow, process: TurnProcess): boolean =>
  agent.launch_id === process.id &&
  agent.state === 'ACTIVE' &&
  agent.asleep_at === null &&
  agent.terminating_at === null

async function processFacts(
  reader: Reader,
  launchId: string,
  running: readonly TurnRow[],
): Promise<ProcessFacts> {
  const contexts = await reader.all(selectContextsOfLaunch, { launchId })
  const held = contexts.map(async (row) => ({
    ...(await contextFacts(reader, row)),
    hasRunningTurn: running.some(({ context_id }) => context_id === row.id),
  }))
  return {
    contexts: await Promise.all(held),
    contextLimit: await contextLimit(reader, launchId),
    runningTurns: running.length,
    isOpening: contexts.some(({ state }) => state === 'opening'),
  }
}

interface BeginOptions {
  /** What was found to be next. */
  readonly next?: NextTurn | undefined
  readonly requestId?: string | undefined
}

/**
 * Begins the next turn of a process and returns the number of its `agent:prompted`, or lets the
 * process go for it.
 */
export async function beginNextTurn(
  tx: Tx,
  launch: Launch,
  context: Context,
  { next: found, requestId }: BeginOptions = {},
): Promise<number | undefined> {
  // Whether another turn runs in the same folder is decided under the lock of the project.
  tx.lock(projectStream(launch.projectId))
  for (let next = found ?? (await findNextTurn(tx, launch)); next; ) {
    if ('goes' in next) {
      await replaceProcess(tx, launch, context, next.goes, 'other_conversation')
      return undefined
    }
    const begun = await begin(tx, next.turnId, { launch, requestId }, context)
    if (begun !== undefined) return begun
    next = await findNextTurn(tx, launch)
  }
  return undefined
}

async function begin(
  tx: Tx,
  id: string,
  { launch, requestId }: { readonly launch: Launch; readonly requestId?: string | undefined },
  context: Context,
): Promise<number | undefined> {
  const turn = await tx.row('turns', { id })
  if (!turn) return undefined
  if (isOfRole(turn)) {
    tx.lock(userSessionStream(turn.user_session_id))
    return startInContext(tx, turn, launch, { requestId }, context)
  }
  const agentSessionId = (await newestOfLaunch(tx, launch.id))?.id ?? ''
  const prompt = await messagesAsPrompt(tx, turn, { launch, agentSessionId }, context)
  return prompt && startInContext(tx, prompt.turn, launch, prompt, context)
}

/** Begins what waits for an agent in a process that is free, in the commit that lets it wait. */
export async function beginWaiting(tx: Tx, post: Post, context: Context): Promise<void> {
  const ready = await tx.first(selectReadyOfPost, postOf(post))
  if (ready) await beginIn(tx, ready.id, context)
}

async function beginIn(tx: Tx, launchId: string, context: Context): Promise<void> {
  const launch = await findLaunch(tx, launchId)
  if (!launch || launch.stopReason !== null) return
  if (launch.roleAgentId === null) {
    const own = await newestOfLaunch(tx, launchId)
    if (own?.state !== 'active' || own.purpose !== 'chat') return
  }
  await beginNextTurn(tx, launch, context)
}

/** Turns of other processes that begin with one commit; the scan begins the rest. */
const maxBegunElsewhere = 10

/** Begins turns that waited for a folder of the project, or for a person's word (CX9). */
export async function beginElsewhere(tx: Tx, projectId: string, context: Context): Promise<void> {
  const ready = await tx.all(selectReadyWithWaiting, { projectId, limit: maxBegunElsewhere })
  for (const { id } of ready) await beginIn(tx, id, context)
}

/**
 * Lets a turn start at a person's request beside another conversation's turn in the same folder
 * (CX9).
 */
export const beginTurn = defineUseCase('begin-turn', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; by: string }) => [streamOfKey(key)],
  run: async (tx, { key, by }, context): Promise<Conversation> => {
    const row = await existingConversation(tx, key)
    const turn = await findWaitingTurn(tx, key)
    if (!turn) throw new Refusal('wrong_state', refusalText('nothingWaits', { key }))
    await tx.update('turns', { id: turn.id, begins_beside: 1 })
    tx.append(conversationStream(key), { type: 'turn-begins', data: { turnId: turn.id, by } })
    await beginElsewhere(tx, turn.project_id, context)
    return conversationView(tx, row)
  },
})
