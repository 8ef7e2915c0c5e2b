/**
 * Starts all background jobs (SC5): the list of due work, and the channels. In a cluster one node
 * runs them at a time (job-lease.ts). With the lease hearing begins anew, as after a start, so that
 * time without a look ends nothing.
 */

import type { ChannelDoor } from '../adapters/port.ts'
import { ownerId } from '../domain/access/caller.ts'
import type { MirrorTarget } from '../mirror/mirror.ts'
import { projectFolderWith } from '../mirror/project-folder.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import type { WaitingCalls } from '../server/agent-sessions/waiting-calls.ts'
import type { Launches } from '../server/processes/launches.ts'
import type { Landings } from '../server/review/landings.ts'
import type { Figures } from '../server/system/figures.ts'
import type { FileOperations } from '../server/worktrees/file-operations.ts'
import type { Worktrees } from '../server/worktrees/worktrees.ts'
import { beginWithDemo, needsDemo } from '../services/flows/projects/begin-with-demo.ts'
import { importApproaches } from '../services/work/change-approach.ts'
import type { Store } from '../store/store.ts'
import { dueChapters } from './cutover.ts'
import { dueAgentSessions } from './due-agent-sessions.ts'
import { dueFileStates } from './due-file-states.ts'
import { dueLandings } from './due-landings.ts'
import { duePanels } from './due-panels.ts'
import { dueProcesses } from './due-processes.ts'
import { dueCheckpoints, expiredRows, longStreams, oldDrafts } from './due-upkeep.ts'
import { dueUserSessions } from './due-user-sessions.ts'
import { type DueWork, runPeriodically } from './due-work.ts'
import { dueWorktrees } from './due-worktrees.ts'
import { Hearing } from './hearing.ts'
import { runChannel } from './run-channels.ts'

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
    readonly landings: Landings
  }
  readonly figures: Figures
  readonly channels: readonly ChannelDoor[]
}

/** The returned function stops them when running work is finished. */
export async function startJobs(options: JobOptions, clock: Clock): Promise<() => Promise<void>> {
  const { store, logger, config, server, channels } = options
  const { launches, lastSeen, waitingCalls } = server
  const hearing = new Hearing({ store, clock, logger })
  const works: readonly DueWork[] = [
    ...dueAgentSessions({ store, logger, lastSeen }),
    ...dueProcesses({
      store,
      clock,
      logger,
      hearing,
      launches,
      lastSeen,
      waitingCalls,
      unreachableSeconds: config['coordinator.unreachable_seconds'],
      takeoverMinutes: config['coordinator.takeover_minutes'],
      maxConcurrent: config['coordinator.max_concurrent'],
    }),
    ...dueUserSessions({ store, clock, hearing }),
    duePanels(store),
    ...dueChapters({ store, logger }),
    dueCheckpoints(store, clock),
    expiredRows(store),
    oldDrafts(store),
    longStreams(store),
    ...dueFileStates(store, server.fileOperations),
    ...dueLandings(store, server.landings),
    dueWorktrees(store, server.worktrees),
  ]
  const stops = works.map((work) => runPeriodically(work, { clock, logger, hearing }))
  for (const channel of channels)
    if (channel.isConfigured(config)) stops.push(runChannel(channel, { ...options, clock }))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
    await hearing.record()
  }
}

// Creates the demo project and agents of a new store (UI6). Runs at every start, so that an
// interrupted first start is completed.

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

/**
 * Mirrors project files. Imports what people write into approaches.json (AR3), and logs why when it
 * cannot.
 */
export const projectFiles = (store: Store, logger: Pick<Logger, 'info' | 'warn'>): MirrorTarget =>
  projectFolderWith(async ({ added, changed, problem, ...place }) => {
    await store.run(importApproaches, { ...place, added, changed, problem, by: ownerId })
    if (problem !== null)
      logger.warn({ ...place, problem }, 'changed approaches.json was not imported')
    const approaches = added.length + changed.length
    if (approaches > 0) logger.info({ ...place, approaches }, 'approaches imported from file')
  })
