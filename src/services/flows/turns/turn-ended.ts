/**
 * Takes a coordinator's word that a turn has ended, in a role or not: the turn is told again if it
 * did not run, or is over; then its context and its process are looked after, and the next turn
 * begins.
 */

import { type Detail, detailFrom } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { maskDetail } from '../../../platform/log/mask.ts'
import type { LinkFact } from '../../../protocol/processes/link.ts'
import type { RoleAgentRow } from '../../../store/consoles/user-sessions.ts'
import type { Context, Tx } from '../../../store/store.ts'
import type { TurnRow } from '../../../store/turns/turns.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { recordFiles } from '../../turns/turn-files.ts'
import { moveRoleAgent } from '../consoles/move-role-agent.ts'
import { beginElsewhere } from './begin-turn.ts'
import { replaceProcess, retryTurn, tellBroken, updateContextHealth } from './context-health.ts'
import { endTurn } from './end-turn.ts'
import { tellMissingTools } from './settle-turn.ts'

type TurnEnded = Extract<LinkFact, { type: 'turn-ended' }>

interface RunningIn {
  readonly launch: Launch
  /** Set for a process in a role. */
  readonly agent: RoleAgentRow | undefined
}

export async function turnEnded(
  tx: Tx,
  turn: TurnRow,
  { launch, agent }: RunningIn,
  fact: TurnEnded,
  context: Context,
): Promise<void> {
  lockTurn(tx, turn)
  if (fact.files) await recordFiles(tx, turn.id, { after: fact.files })
  if (!fact.notRun) await tellMissingTools(tx, turn, launch)
  tellBroken(tx, turn, fact.broken)
  const isLeaving = agent !== undefined && agent.terminating_at !== null
  if (fact.notRun && !isLeaving && (await retryTurn(tx, turn, launch, fact.notRun, context)))
    return beginElsewhere(tx, launch.projectId, context)
  const { outcome, stopReason, usage } = fact
  const event = { type: 'ended', outcome, stopReason, error: errorIn(fact) } as const
  const { ended } = await endTurn(tx, turn, event, { usage }, context)
  const active = agent && { ...agent, last_active_at: context.now }
  if (active) await tx.update('role_agents', { id: active.id, last_active_at: context.now })
  if (isLeaving) return
  if (active && fact.notRun) return failUselessAgent(tx, active, launch, errorIn(fact), context)
  const isAtLimit = ended?.limitedUntil !== undefined
  if (ended && !(agent && isAtLimit)) {
    const isBroken = typeof fact.broken === 'string'
    await updateContextHealth(tx, turn, launch, { ...ended, isBroken }, context)
  }
  // The process takes no new turn before it returns this one, so another process is started.
  if (fact.cancelIgnored) await replaceProcess(tx, launch, context)
  await beginElsewhere(tx, launch.projectId, context)
}

const errorIn = ({ error, notice }: TurnEnded): Detail | null =>
  maskDetail(detailFrom(error, notice))

/**
 * Fails an agent that takes no prompt even after its context was reopened and its process
 * restarted (CX7).
 */
async function failUselessAgent(
  tx: Tx,
  agent: RoleAgentRow,
  launch: Launch,
  why: Detail | null,
  context: Context,
): Promise<void> {
  const error = statusNotice('takesNoPrompt', { why: why ?? statusNotice('noReason') })
  const end = { exitCode: null, signal: null, error, stoppedByPerson: false, toSleep: false }
  await moveRoleAgent(tx, agent, { type: 'process-ended', end }, {}, context)
  await stopLaunch(tx, launch, { reason: 'finished', detail: error }, context)
}
