/**
 * Starts all background jobs (SC5). In a cluster one node runs them at a time (job-lease.ts). Each is created anew with the
 * lease, as after a start, so that time without a sweep ends nothing.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { ConfigValues } from '../protocol/config.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import type { WaitingCalls } from '../server/agent-sessions/waiting-calls.ts'
import type { Launches } from '../server/processes/launches.ts'
import type { Figures } from '../server/system/figures.ts'
import type { Worktrees } from '../server/worktrees/worktrees.ts'
import type { Store } from '../store/store.ts'
import { AgentSessionSweeper } from './agent-session-sweeper.ts'
import { checkpointSaver } from './checkpoint-saver.ts'
import { expiredRemover } from './clear-expired.ts'
import { Cutover } from './cutover.ts'
import { LaunchSweeper } from './launch-sweeper.ts'
import { PanelSweeper } from './panel-sweeper.ts'
import { type PeriodicJob, runPeriodically } from './periodic-job.ts'
import { runChannels } from './run-channels.ts'
import { UserSessionSweeper } from './user-session-sweeper.ts'
import { WorktreeRemover } from './worktree-remover.ts'

export interface JobOptions {
  readonly store: Store
  readonly logger: Logger
  readonly config: ConfigValues
  readonly server: {
    readonly launches: Launches
    readonly lastSeen: LastSeen
    readonly waitingCalls: WaitingCalls
    readonly worktrees: Worktrees
  }
  readonly figures: Figures
}

/** The returned function stops them when running work is finished. */
export async function startJobs(options: JobOptions, clock: Clock): Promise<() => Promise<void>> {
  const { store, logger, config, server } = options
  const { launches, lastSeen, waitingCalls } = server
  const jobs: readonly PeriodicJob[] = [
    new AgentSessionSweeper({ store, clock, logger, lastSeen }),
    new LaunchSweeper({
      store,
      clock,
      logger,
      launches,
      lastSeen,
      waitingCalls,
      unreachableSeconds: config['coordinator.unreachable_seconds'],
      takeoverMinutes: config['coordinator.takeover_minutes'],
    }),
    new UserSessionSweeper({ store, clock, logger }),
    new PanelSweeper({ store, clock, logger }),
    new Cutover({ store, logger }),
    checkpointSaver(store, clock),
    expiredRemover(store),
    new WorktreeRemover({ store, logger, worktrees: server.worktrees }),
  ]
  const stops = jobs.map((job) => runPeriodically(job, { clock, logger }))
  if (config['telegram.token'] !== null) stops.push(runChannels({ ...options, clock }))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
