/**
 * Moves an agent in a role to another state: writes its row and event, and ends its turns,
 * permission requests, work session and, if it was the last, its user session.
 */

import {
  decideUserSession,
  type RoleAgentDecision,
  type RoleAgentEvent,
} from '../../../domain/consoles/lifecycle.ts'
import { consoleKey } from '../../../domain/conversations/key.ts'
import { type Detail, noticeField, textOf, withOutput } from '../../../domain/notices.ts'
import { type Launch, whyStopped } from '../../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { projectStream, userSessionStream } from '../../../domain/stream-name.ts'
import { readable } from '../../../platform/log/readable.ts'
import { lifeOf, type RoleAgentRow } from '../../../store/consoles/user-sessions.ts'
import { noticesColumn } from '../../../store/fields.ts'
import { selectOutput } from '../../../store/processes/launches.ts'
import type { Context, Reader, Tx } from '../../../store/store.ts'
import { selectOpenTurns, type TurnRow } from '../../../store/turns/turns.ts'
import { announceEndIfEmpty } from '../../consoles/role-agent-record.ts'
import { tellSession } from '../../tell-session.ts'
import { roleContextKey } from '../../turns/context-record.ts'
import { clearLimit } from '../../turns/limit-record.ts'
import { finishWorkSession } from '../../work/end-work-session.ts'
import { planOf } from '../../work/plan-record.ts'
import { endTurn } from '../turns/end-turn.ts'

/** Characters of process output in a failure text. */
const maxOutputChars = 2000

export async function moveRoleAgent(
  tx: Tx,
  row: RoleAgentRow,
  event: RoleAgentEvent,
  { requestId, isReplaced = false }: { requestId?: string | undefined; isReplaced?: boolean },
  context: Context,
): Promise<{ decision: RoleAgentDecision; row: RoleAgentRow }> {
  tx.lock(userSessionStream(row.user_session_id))
  const decision = decideUserSession(lifeOf(row), event)
  const { now } = context
  switch (decision.became) {
    case 'unchanged':
      return { decision, row }
    case 'leaving':
      return {
        decision,
        row: await writeRow(tx, {
          ...row,
          terminating_at: now,
          ...reasonColumns(row, decision.reason),
          terminate_request_id: requestId ?? null,
        }),
      }
    case 'ready':
      return {
        decision,
        row: await writeRow(tx, {
          ...row,
          state: 'ACTIVE',
          asleep_at: null,
          opened_at: now,
          last_active_at: now,
        }),
      }
    case 'asleep': {
      // The process is gone already: what ran is unknown, and what waits stays and wakes it.
      const running = (await tx.all(selectOpenTurns, { roleAgentId: row.id })).filter(
        (turn) => turn.state === 'running',
      )
      if (event.type === 'process-ended')
        await endTurns(tx, running, { why: event.end.error }, context)
      tx.append(userSessionStream(row.user_session_id), {
        type: 'agent:asleep',
        data: { role: row.role },
      })
      return { decision, row: await writeRow(tx, { ...row, state: 'ACTIVE', asleep_at: now }) }
    }
    case 'failed': {
      const { step, error, exitCode, signal } = decision
      const open = await tx.all(selectOpenTurns, { roleAgentId: row.id })
      const messageId = open.find((turn) => turn.state === 'running')?.id ?? null
      const data = {
        role: row.role,
        step,
        error: textOf(error),
        ...noticeField(error),
        exitCode,
        signal,
        messageId,
      }
      const announcedSeq = tx.append(userSessionStream(row.user_session_id), {
        type: 'agent:failed',
        data,
      })
      await endTurns(tx, open, { reason: 'failed', announcedSeq }, context)
      await endWork(tx, row, step === 'running' ? 'process_exited' : 'error', context)
      return {
        decision,
        row: await writeRow(tx, {
          ...row,
          state: 'FAILED',
          asleep_at: null,
          step,
          error: textOf(error),
          notices: noticesColumn(row.notices, { error }),
          exit_code: exitCode,
          signal,
        }),
      }
    }
    case 'terminated': {
      const open = await tx.all(selectOpenTurns, { roleAgentId: row.id })
      await endTurns(tx, open, { reason: 'terminated' }, context)
      const terminateRequestId = row.terminate_request_id ?? requestId
      const { reason } = decision
      const data = {
        role: row.role,
        reason: textOf(reason),
        ...noticeField(reason),
        requestId: terminateRequestId,
      }
      const terminated_seq = tx.append(userSessionStream(row.user_session_id), {
        type: 'agent:terminated',
        data,
      })
      await endWork(tx, row, open.length > 0 ? 'stopped' : 'finished', context)
      if (!isReplaced) await clearLimit(tx, roleContextKey(row), context)
      const terminated = await writeRow(tx, {
        ...row,
        state: 'TERMINATED',
        ...reasonColumns(row, reason),
        terminated_seq,
      })
      await announceEndIfEmpty(tx, row.user_session_id)
      return { decision, row: terminated }
    }
  }
}

const reasonColumns = ({ notices }: RoleAgentRow, reason: Detail) => ({
  terminate_reason: textOf(reason),
  notices: noticesColumn(notices, { reason }),
})

export const addRoleAgent = (tx: Tx, row: RoleAgentRow): Promise<void> =>
  tx.insert('role_agents', row)

async function writeRow(tx: Tx, row: RoleAgentRow): Promise<RoleAgentRow> {
  await tellSession(tx, consoleKey(row.user_session_id, row.role))
  await tx.update('role_agents', row)
  return row
}

async function endTurns(
  tx: Tx,
  open: readonly TurnRow[],
  { why, ...ending }: { why?: Detail | undefined; reason?: string; announcedSeq?: number },
  context: Context,
): Promise<void> {
  for (const turn of open) await endTurn(tx, turn, { type: 'agent-gone', why }, ending, context)
}

/** WK5: an intended end with no open turn and no task left completes the work. */
async function endWork(
  tx: Tx,
  row: RoleAgentRow,
  why: 'finished' | 'stopped' | 'process_exited' | 'error',
  { now }: Context,
): Promise<void> {
  tx.lock(projectStream(row.project_id))
  const work =
    row.work_session_id === null ? undefined : await tx.row('sessions', { id: row.work_session_id })
  if (!work) return
  const isDone = why === 'finished' && (await planOf(tx, work.id)) === 'done'
  const reason = why === 'finished' ? 'stopped' : why
  await finishWorkSession(
    tx,
    work,
    isDone ? { type: 'complete' } : { type: 'interrupt', reason },
    now,
  )
}

/** Handles the end of a role's process (AG4). `ended` is the launch after its end. */
export async function endRoleAgentOf(tx: Tx, ended: Launch, context: Context): Promise<void> {
  const row =
    ended.roleAgentId === null ? undefined : await tx.row('role_agents', { id: ended.roleAgentId })
  if (row?.launch_id !== ended.id) return
  const { exitCode, signal, reason } = ended
  const end = {
    exitCode,
    signal,
    error: await errorOf(tx, ended),
    stoppedByPerson: reason === 'stopped_by_person',
    toSleep: reason !== null && endsOfTheHealthy.has(reason),
  }
  await moveRoleAgent(tx, row, { type: 'process-ended', end }, {}, context)
}

/** AG7: an agent whose process ended so sleeps in its role. */
const endsOfTheHealthy: ReadonlySet<NonNullable<Launch['reason']>> = new Set([
  'finished',
  'idle',
  'shutdown',
  'leftover',
])

const endTexts: Readonly<Partial<Record<NonNullable<Launch['reason']>, Detail>>> = {
  exited: statusNotice('processEndedItself'),
  withdrawn: statusNotice('startWithdrawn'),
  start_timeout: statusNotice('notReadyInTime'),
}

async function errorOf(reader: Reader, { id, detail, reason }: Launch): Promise<Detail> {
  const what =
    detail ?? (reason && endTexts[reason]) ?? whyStopped(reason) ?? statusNotice('processEnded')
  // What an agent wrote last explains no stop that came from outside.
  return reason === 'shutdown' ? what : withLastOutput(reader, id, what)
}

export async function withLastOutput(reader: Reader, id: string, words: Detail): Promise<Detail> {
  const output = ((await reader.first(selectOutput, { id }))?.output ?? '').trim()
  const lines = output.split('\n').filter((line) => !line.startsWith('[Holdfast: '))
  return withOutput(words, readable(lines.join('\n')).slice(-maxOutputChars))
}
