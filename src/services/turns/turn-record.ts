/**
 * Queues and starts turns alike for roles, chats and tasks: row, events, the order to the
 * coordinator. The domain decides.
 */

import { consoleKey } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { conversationStream, coordinatorStream } from '../../domain/stream-name.ts'
import type { OpenContext, TurnOrder } from '../../protocol/turns/link.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { Post } from '../../store/agent-sessions/agent-sessions.ts'
import type { RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import type { Context, Tx } from '../../store/store.ts'
import {
  newTurnRow,
  relayRole,
  selectOpenIn,
  selectQueuedChat,
  type TurnRow,
  turnStream,
} from '../../store/turns/turns.ts'
import { leaveSessions } from './context-record.ts'
import { addTurn, moveTurn } from './move-turn.ts'
import { expectFiles } from './turn-files.ts'

/** Queued turns cancelled in one conversation. There is at most one per agent, plus retries. */
const maxCancelledTurns = 1000

interface Prompt {
  readonly id: string
  readonly launchId: string
  readonly content: readonly PromptPart[]
  readonly by: string
  readonly now: Instant
}

export const newTurn = (agent: RoleAgentRow, { id, launchId, content, by, now }: Prompt): TurnRow =>
  newTurnRow({
    id,
    conversation_key: consoleKey(agent.user_session_id, agent.role),
    agent_id: agent.agent_id,
    project_id: agent.project_id,
    lane: '',
    launch_id: launchId,
    role_agent_id: agent.id,
    user_session_id: agent.user_session_id,
    role: agent.role,
    work_session_id: agent.work_session_id,
    about: 'prompt',
    content: JSON.stringify(content),
    asked_by: by,
    created_at: now,
  })

interface ChatTurnInput extends Post {
  /** The conversation whose context answers. */
  readonly key: string
  readonly originKey: string
  readonly by: string
}

/**
 * Returns the queued turn of an agent in a conversation, for a new message to join. Creates it if
 * there is none.
 */
export async function queueChat(
  tx: Tx,
  { by, ...which }: ChatTurnInput,
  { now, random }: Context,
): Promise<string> {
  tx.lock(conversationStream(which.key))
  const waiting = await tx.first(selectQueuedChat, which)
  if (waiting) return waiting.id
  const id = random.uuid()
  const {
    key: conversation_key,
    originKey: origin_key,
    agentId: agent_id,
    projectId: project_id,
    lane,
  } = which
  const about = 'chat'
  await addTurn(tx, {
    id,
    conversation_key,
    origin_key,
    agent_id,
    project_id,
    lane,
    about,
    asked_by: by,
    created_at: now,
  })
  return id
}

interface StartOptions {
  readonly requestId?: string | undefined
  /**
   * The context to run in, for a coordinator that holds several, and how to open it if it is not
   * open.
   */
  readonly context?: OpenContext | undefined
  /** Text sent before the prompt. */
  readonly primer?: string | null
  /** What people chose in the conversation (AG14). */
  readonly configure?: TurnOrder['configure']
}

/**
 * Marks a turn as running and orders it from the coordinator. Returns the number of
 * `agent:prompted`, which its updates follow.
 */
export async function startTurn(
  tx: Tx,
  row: TurnRow,
  launch: Launch | undefined,
  { requestId, context, primer = null, configure }: StartOptions,
  { now }: Pick<Context, 'now'>,
): Promise<number> {
  const content: readonly PromptPart[] = JSON.parse(row.content)
  const { id: turnId, asked_by: by } = row
  const prompted = { role: relayRole(row), messageId: turnId, content, by, requestId }
  // A turn sent again because it did not run was announced before.
  const announce = (): number =>
    row.started_seq ?? tx.append(turnStream(row), { type: 'agent:prompted', data: prompted })
  let started_seq = 0
  const begun = await moveTurn(tx, row, { type: 'start' }, now, () => {
    started_seq = announce()
    return { primer, started_seq }
  })
  if (!begun) throw new Error(`The turn ${turnId} is ${row.state} and cannot start`)
  if (launch) {
    const applied =
      primer === null ? content : [{ type: 'text' as const, text: primer }, ...content]
    const files = await expectFiles(tx, row, launch, { now })
    const data = {
      launchId: launch.id,
      turnId,
      content: applied,
      ...(context && { context }),
      ...(configure && { configure }),
      ...(await leaveSessions(tx, row.agent_id)),
      ...files,
    }
    tx.append(coordinatorStream(launch.coordinatorId), { type: 'turn-ordered', data })
  }
  return started_seq
}

export async function cancelQueuedTurns(tx: Tx, key: string, now: Instant): Promise<void> {
  tx.lock(conversationStream(key))
  for (const turn of await tx.all(selectOpenIn, { key, limit: maxCancelledTurns })) {
    if (turn.state !== 'queued') continue
    await moveTurn(tx, turn, { type: 'withdraw' }, now)
    await tx.delete('unread_messages', { turn_id: turn.id })
  }
}
