/**
 * Handles a coordinator's report that a process has exited (PX1-PX6). The decision is in
 * domain/agent-process. A repeated report changes nothing, and one from an earlier epoch is
 * refused.
 */

import type { LiveAgentSession } from '../../../domain/agent-sessions/lifecycle.ts'
import { Refusal } from '../../../domain/errors.ts'
import {
  decideExit,
  type ExitDecision,
  type ExitFacts,
} from '../../../domain/processes/process-exit.ts'
import { durationMs, effectiveSettings } from '../../../domain/projects/settings.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { home, projectStream } from '../../../domain/stream-name.ts'
import type { ProcessExit, ProcessExitAnswer } from '../../../protocol/processes/process-exit.ts'
import { liveOfPair } from '../../../store/agent-sessions/agent-sessions.ts'
import { selectEpoch, selectExitReport } from '../../../store/processes/coordinators.ts'
import { findLaunch, liveLaunchesOfPair } from '../../../store/processes/launches.ts'
import { chosenSettings } from '../../../store/projects/projects.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { workOf } from '../../agent-sessions/agent-session-record.ts'
import { noSuchAgent, noSuchLaunch, noSuchProject } from '../../refusals.ts'
import { endAgentSession } from '../agent-sessions/end-agent-session.ts'
import { suspect } from '../agent-sessions/sweep-agent-session.ts'

type Report = ProcessExit & {
  readonly projectId: string
  /** The reporting coordinator. Report ids and epochs are scoped to it. */
  readonly reporterId: string
  /** A person who manages may report what any coordinator's process did. */
  readonly byHand?: boolean | undefined
}

export const reportProcessExit = defineUseCase('report-process-exit', {
  scope: 'coordinator',
  on: 'agent',
  streams: ({ projectId }: Report) => [home, projectStream(projectId)],
  run: async (tx, input, context): Promise<ProcessExitAnswer> => {
    await requireOwnLaunch(tx, input)
    const live = await liveOfPair(tx, input)
    const { remainingProcesses: remaining, launchId = null, epoch = null } = input
    const decision = decideExit(
      context.now,
      { remaining, launchId, epoch },
      await factsOf(tx, input, live),
    )
    if (decision.decision === 'fenced')
      throw new Refusal(
        'fenced',
        refusalText('epochTakenOver', { given: epoch ?? 'none', current: decision.currentEpoch }),
        {
          epoch: decision.currentEpoch,
        },
      )
    if (decision.decision === 'duplicate') return { decision: 'duplicate', ended: [] }
    await recordReport(tx, input, context)
    return applyDecision(tx, decision, live, context)
  },
})

/**
 * SE3: a coordinator ends only its own launches; another's is not found. One that the server did
 * not order is its own.
 */
async function requireOwnLaunch(
  reader: Reader,
  { launchId, reporterId, byHand }: Report,
): Promise<void> {
  const launch = byHand || !launchId ? undefined : await findLaunch(reader, launchId)
  if (launch && launch.coordinatorId !== reporterId) throw noSuchLaunch(launch.id)
}

async function factsOf(
  reader: Reader,
  input: Report,
  live: readonly LiveAgentSession[],
): Promise<ExitFacts> {
  const { agentId, projectId, reporterId, reportId } = input
  const project = await reader.row('projects', { id: projectId })
  if (!project) throw noSuchProject(projectId)
  if (!(await reader.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
  const earlierReport =
    reportId &&
    (await reader.first(selectExitReport, { reporter_id: reporterId, report_id: reportId }))
  return {
    seenBefore: Boolean(earlierReport),
    currentEpoch: (await reader.first(selectEpoch, { coordinatorId: reporterId }))?.epoch ?? null,
    live,
    launchesElsewhere: await launchesElsewhere(reader, input),
    work: await workOf(reader, { agentId, projectId, lane: '' }),
    graceMs: durationMs(effectiveSettings(chosenSettings(project)), 'process_exit.grace_seconds'),
  }
}

/** PX5: launches that other coordinators are starting or running. */
async function launchesElsewhere(
  reader: Reader,
  { reporterId, ...pair }: Report,
): Promise<string[]> {
  const launches = await liveLaunchesOfPair(reader, pair)
  const begun = launches.filter(({ state }) => state === 'starting' || state === 'running')
  return begun.filter(({ coordinatorId }) => coordinatorId !== reporterId).map(({ id }) => id)
}

async function recordReport(
  tx: Tx,
  { reporterId, reportId, epoch }: Report,
  { now }: Context,
): Promise<void> {
  if (reportId)
    await tx.insert('exit_reports', {
      reporter_id: reporterId,
      report_id: reportId,
      created_at: now,
    })
  if (epoch != null) await tx.put('coordinator_epochs', { coordinator_id: reporterId, epoch })
}

async function applyDecision(
  tx: Tx,
  decision: Exclude<ExitDecision, { decision: 'fenced' | 'duplicate' }>,
  live: readonly LiveAgentSession[],
  context: Context,
): Promise<ProcessExitAnswer> {
  if (decision.decision === 'judging') {
    const held = live.find(({ id }) => id === decision.suspectId)
    if (held && decision.begins) await suspect(tx, held, context.now)
    return { decision: 'judging', ended: [] }
  }
  const ended = decision.decision === 'ended' ? decision.ended : []
  for (const { id, reason } of ended) {
    const held = live.find((each) => each.id === id)
    if (held) await endAgentSession(tx, held, reason, context)
  }
  return { decision: decision.decision, ended: ended.map(({ id }) => id) }
}
