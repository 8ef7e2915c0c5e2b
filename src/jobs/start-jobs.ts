/**
 * Starts all background jobs (SC5). In a cluster one node runs them at a time (job-lease.ts). Each is created anew with the
 * lease, as after a start, so that time without a sweep ends nothing.
 */

import type { ChannelDoor } from '../adapters/port.ts'
import { ownerId } from '../domain/access/caller.ts'
import { instant } from '../domain/instant.ts'
import type { MirrorTarget } from '../mirror/mirror.ts'
import { projectFolderWith } from '../mirror/project-folder.ts'
import { forEachSettled, inPages } from '../platform/for-each-settled.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import type { WaitingCalls } from '../server/agent-sessions/waiting-calls.ts'
import type { Launches } from '../server/processes/launches.ts'
import type { Figures } from '../server/system/figures.ts'
import type { FileOperations } from '../server/worktrees/file-operations.ts'
import type { Worktrees } from '../server/worktrees/worktrees.ts'
import { beginWithDemo, needsDemo } from '../services/flows/begin-with-demo.ts'
import { findLongStreams, sweepExpired, trimStream } from '../services/system/sweep-expired.ts'
import { importApproaches } from '../services/work/change-approach.ts'
import { saveDueCheckpoint } from '../services/work/end-work-session.ts'
import { findRunningWork, type RunningWork, runningPageSize } from '../services/work/queries.ts'
import type { Store } from '../store/store.ts'
import { AgentSessionSweeper } from './agent-session-sweeper.ts'
import { Cutover } from './cutover.ts'
import { FileStateJob } from './file-states.ts'
import { LaunchSweeper } from './launch-sweeper.ts'
import { PanelSweeper } from './panel-sweeper.ts'
import { type PeriodicJob, runPeriodically } from './periodic-job.ts'
import { runChannel } from './run-channels.ts'
import { UserSessionSweeper } from './user-session-sweeper.ts'
import { WorktreeRemover } from './worktree-remover.ts'

/**
 * Saves checkpoints of running work every few minutes while it changes (CK1). Changes are in the store and files within a second
 * anyway; checkpoints mark moments to return to. Safe to run twice or on several nodes.
 */
const checkpointSaver = (store: Store, clock: Clock): PeriodicJob => ({
  // The shortest interval a project may choose.
  everyMs: 3000,
  failureText: 'running work could not be saved',
  waitsFirst: true,
  run: () => saveAllDue(store, clock),
})

export const saveAllDue = (store: Store, clock: Clock): Promise<void> =>
  forEachSettled(
    inPages<RunningWork>(
      (last) => store.query(findRunningWork, last ?? { projectId: '', workSessionId: '' }),
      runningPageSize,
    ),
    async ({ projectId, workSessionId, dueAt }) => {
      if (dueAt <= instant(clock.now()))
        await store.run(saveDueCheckpoint, { projectId, workSessionId })
    },
  )

/** Upper bound per run: more than a store under load creates in a minute. */
const maxSweeps = 100
/** Upper bound per stream and run. */
const maxTrims = 20

/** Removes expired rows and trims long streams once a minute (services/system/sweep-expired.ts). Safe to run twice. */
export const expiredRemover = (store: Store): PeriodicJob => ({
  everyMs: 60_000,
  failureText: 'expired rows could not be removed',
  waitsFirst: true,
  run: async () => {
    for (let sweeps = 0; sweeps < maxSweeps; sweeps++)
      if (!(await store.run(sweepExpired, {})).more) break
    for (const stream of await store.query(findLongStreams, {}))
      for (let trims = 0; trims < maxTrims; trims++)
        if (!(await store.run(trimStream, { stream })).more) break
  },
})

export interface JobOptions {
  readonly store: Store
  readonly logger: Logger
  readonly config: ConfigValues
  readonly server: {
    readonly launches: Launches
    readonly lastSeen: LastSeen
    readonly waitingCalls: WaitingCalls
    readonly worktrees: Worktrees
    readonly fileOperations: FileOperations
  }
  readonly figures: Figures
  readonly channels: readonly ChannelDoor[]
}

/** The returned function stops them when running work is finished. */
export async function startJobs(options: JobOptions, clock: Clock): Promise<() => Promise<void>> {
  const { store, logger, config, server, channels } = options
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
    new FileStateJob({ fileOperations: server.fileOperations, clock, logger }),
    new WorktreeRemover({ store, logger, worktrees: server.worktrees }),
  ]
  const stops = jobs.map((job) => runPeriodically(job, { clock, logger }))
  for (const channel of channels)
    if (channel.isConfigured(config)) stops.push(runChannel(channel, { ...options, clock }))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

// Creates the demo project and agents of a new store (UI6). Runs at every start, so that an interrupted first start is
// completed.

/** `makeRepository` returns the folder of a new repository; undefined where git cannot be run. */
export async function createDemoProject(
  store: Store,
  logger: Logger,
  makeRepository: () => Promise<string | undefined>,
): Promise<void> {
  if (!(await store.query(needsDemo, {}))) return
  const path = await makeRepository()
  if (!path)
    logger.warn(
      'git could not be run, so the demo project has no repository; install git to work in worktrees',
    )
  await store.run(beginWithDemo, { path, by: ownerId })
}

/** Mirrors project files. Imports what people write into approaches.json (AR3), and logs why when it cannot. */
export const projectFiles = (store: Store, logger: Pick<Logger, 'info' | 'warn'>): MirrorTarget =>
  projectFolderWith(async ({ added, moved, problem, ...place }) => {
    await store.run(importApproaches, { ...place, added, moved, problem, by: ownerId })
    if (problem !== null)
      logger.warn({ ...place, problem }, 'changed approaches.json was not imported')
    const approaches = added.length + moved.length
    if (approaches > 0) logger.info({ ...place, approaches }, 'approaches imported from file')
  })
