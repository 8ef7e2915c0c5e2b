/**
 * Builds the public view of a user session: its agents, running and queued turns, and permission
 * requests.
 */
import { consoleKey } from '../../domain/conversations/key.ts'
import { userSessionStream } from '../../domain/stream-name.ts'
import {
  maxRunningChars,
  type RoleAgent,
  snapshotTurnChars,
  snapshotTurnLimit,
  type Turn,
  type UserSession,
} from '../../protocol/consoles/user-session.ts'
import { shownPrompt } from '../../protocol/threads/thread-turn.ts'
import { approvalOf, selectPendingOfTurn } from '../../store/approvals/approvals.ts'
import {
  type Offers,
  type RoleAgentRow,
  selectOccupants,
  type UserSessionRow,
} from '../../store/consoles/user-sessions.ts'
import { afterAllMessages } from '../../store/conversations/messages.ts'
import { fields, noticesFrom } from '../../store/fields.ts'
import { selectPosition } from '../../store/log/event-log.ts'
import type { Reader } from '../../store/store.ts'
import {
  selectOpenTurns,
  selectTurnsOver,
  type TurnRow,
  turnOf,
  turnStream,
} from '../../store/turns/turns.ts'
import { roleContextKey } from '../turns/context-record.ts'
import { currentLimit, endedTurnView } from '../turns/limit-record.ts'
import { readTurnOutput } from '../turns/turn-output.ts'

export async function userSessionView(reader: Reader, row: UserSessionRow): Promise<UserSession> {
  const agents: RoleAgent[] = []
  for (const each of await reader.all(selectOccupants, { userSessionId: row.id }))
    agents.push(await roleAgentView(reader, each))
  return {
    ...fields(
      row,
      'id',
      'project_id',
      'account_id',
      'state',
      'created_at',
      'last_active_at',
      'terminated_at',
    ),
    headSeq: (await reader.first(selectPosition, { name: userSessionStream(row.id) }))?.head ?? 0,
    agents,
  }
}

export async function roleAgentView(reader: Reader, row: RoleAgentRow): Promise<RoleAgent> {
  const open = await reader.all(selectOpenTurns, { roleAgentId: row.id })
  const running = open.find((turn) => turn.state === 'running')
  const offers: Offers = JSON.parse(row.offers)
  const limit = row.state === 'ACTIVE' ? await currentLimit(reader, roleContextKey(row)) : undefined
  return {
    ...fields(
      row,
      'role',
      'agent_id',
      'state',
      'branch',
      'note',
      'launch_id',
      'work_session_id',
      'created_at',
      'last_active_at',
    ),
    ...fields(row, 'error', 'step', 'exit_code', 'signal', 'not_restored'),
    conversation: consoleKey(row.user_session_id, row.role),
    workspace: row.workspace ?? row.workspace_wanted ?? row.role,
    notices: noticesFrom(row.notices),
    asleep: row.asleep_at !== null,
    terminating: row.terminating_at !== null && row.state !== 'TERMINATED',
    ...fields(offers, 'images', 'modeId'),
    modes: [...offers.modes],
    options: [...offers.options],
    commands: [...(offers.commands ?? [])],
    usage: offers.usage ?? null,
    title: offers.title ?? null,
    limit: limit
      ? {
          until: limit.limited_until,
          messageId: limit.limited_turn_id,
          goesOn: limit.goes_on_left > 0,
        }
      : null,
    turn: running ? await runningView(reader, running) : null,
    queue: open
      .filter((turn) => turn.state === 'queued')
      .map((turn, index) => ({
        messageId: turn.id,
        position: index + 1,
        content: shownPrompt(JSON.parse(turn.content)),
        by: turn.asked_by,
        createdAt: turn.created_at,
      })),
    ...(running ? await pendingRequests(reader, running.id) : { permissions: [], questions: [] }),
  }
}

export async function runningView(reader: Reader, turn: TurnRow): Promise<Turn> {
  const pieces = { stream: turnStream(turn), turnId: turn.id, startedSeq: turn.started_seq ?? 0 }
  const { text, cut } = await readTurnOutput(reader, pieces)
  const all = turn.answer + text
  const shown = turnOf(turn, all.slice(-maxRunningChars))
  return { ...shown, content: shownPrompt(shown.content), cut: cut || all.length > maxRunningChars }
}

export async function pendingRequests(
  reader: Reader,
  turnId: string,
): Promise<Pick<RoleAgent, 'permissions' | 'questions'>> {
  const pending = (await reader.all(selectPendingOfTurn, { turnId })).map(approvalOf)
  const questions = pending.flatMap(({ id: questionId, question }) => {
    if (!question) return []
    const { messageId, message, schema, url, deadline } = question
    return [{ questionId, messageId, message, schema, url, deadline }]
  })
  const permissions = pending.flatMap(({ id: approvalId, permission }) => {
    if (!permission) return []
    const { messageId, call, options, likeness, deadline } = permission
    return [{ approvalId, messageId, title: call.title, call, options, likeness, deadline }]
  })
  return { permissions, questions }
}

/** The newest ended turns that fit, oldest first. */
export async function newestTurns(
  reader: Reader,
  userSessionId: string,
  timeZone: string,
): Promise<Turn[]> {
  const turns: Turn[] = []
  let chars = 0
  for (let before = afterAllMessages; turns.length < snapshotTurnLimit; ) {
    const [row] = await reader.all(selectTurnsOver, { userSessionId, before, limit: 1 })
    if (!row) break
    const turn = endedTurnView(row, timeZone)
    const shown = { ...turn, content: shownPrompt(turn.content) }
    chars += JSON.stringify(shown).length
    if (chars > snapshotTurnChars) break
    turns.unshift(shown)
    before = row.ended_seq ?? 0
  }
  return turns
}
