/**
 * Processes that are no longer needed are stopped, and silent coordinators are marked or taken over
 * (NA5, NA6, CO6). Time in which nothing could be heard does not count (hearing.ts).
 */
import { systemId } from '../domain/access/caller.ts'
import { instant } from '../domain/instant.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { heartbeatMs } from '../protocol/processes/link.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import type { WaitingCalls } from '../server/agent-sessions/waiting-calls.ts'
import type { Launches } from '../server/processes/launches.ts'
import { findInTheWay, giveRoom } from '../services/flows/processes/give-room.ts'
import { markUnreachable } from '../services/flows/processes/store-facts.ts'
import { sweepLaunch } from '../services/processes/launch-record.ts'
import {
  type DueLaunch,
  findDueLaunches,
  findSilentCoordinators,
  listCoordinatorIds,
  type SilentCoordinator,
} from '../services/processes/queries.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'
import type { Hearing } from './hearing.ts'

const everyMs = 2000
/** Somebody waits for the answer. */
const roomEveryMs = 1000
/** Lower bound of silence: coordinators send a message every ten seconds. */
const leastSilenceMs = 1.5 * heartbeatMs

export interface DueProcessesOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly hearing: Hearing
  readonly launches: Launches
  readonly lastSeen: LastSeen
  readonly waitingCalls: Pick<WaitingCalls, 'isWaiting'>
  readonly unreachableSeconds: number
  readonly takeoverMinutes: number | null
  /** For a machine without a capacity of its own. */
  readonly maxConcurrent: number
}

export const dueProcesses = (options: DueProcessesOptions): readonly DueWork[] => [
  silentCoordinators(options),
  ...(options.takeoverMinutes === null ? [] : [lostCoordinators(options, options.takeoverMinutes)]),
  dueLaunches(options),
  idleInTheWay(options),
]

const silentCoordinators = ({
  store,
  logger,
  hearing,
  unreachableSeconds,
}: DueProcessesOptions): DueWork<SilentCoordinator> => ({
  everyMs,
  failureText: 'silent coordinators could not be marked',
  find: () =>
    store.query(findSilentCoordinators, {
      state: 'connected',
      silentMs: Math.max(unreachableSeconds * 1000, leastSilenceMs),
      offline: hearing.offline,
    }),
  async run(silent) {
    if (await store.run(markUnreachable, silent)) logger.warn(silent, 'coordinator silent')
  },
})

const lostCoordinators = (
  { store, logger, hearing, launches }: DueProcessesOptions,
  takeoverMinutes: number,
): DueWork<SilentCoordinator> => ({
  everyMs,
  failureText: 'the work of a lost coordinator could not be taken over',
  find: () =>
    store.query(findSilentCoordinators, {
      state: 'unreachable',
      silentMs: takeoverMinutes * 60_000,
      offline: hearing.offline,
    }),
  async run({ coordinatorId }) {
    await launches.takeOver(coordinatorId, systemId)
    logger.warn({ coordinatorId }, 'coordinator silent for too long; work taken over')
  },
})

/** Idle processes go where others wait for a place. */
const idleInTheWay = ({ store, logger, maxConcurrent }: DueProcessesOptions): DueWork<string> => ({
  everyMs: roomEveryMs,
  failureText: 'room for waiting processes could not be made',
  find: () => store.query(findInTheWay, { maxConcurrent }),
  async run(launchId) {
    if ((await store.run(giveRoom, { launchId })).stopped)
      logger.info({ launchId }, 'stopping idle process for another')
  },
})

function dueLaunches({
  store,
  clock,
  logger,
  hearing,
  lastSeen,
  waitingCalls,
}: DueProcessesOptions): DueWork<DueLaunch> {
  return {
    everyMs,
    failureText: 'due processes could not be stopped',
    async *find() {
      for (const coordinatorId of await store.query(listCoordinatorIds, {})) {
        let page = await store.query(findDueLaunches, { coordinatorId, offline: hearing.offline })
        yield* page.due
        while (page.last) {
          const { last } = page
          page = await store.query(findDueLaunches, {
            coordinatorId,
            offline: hearing.offline,
            last,
          })
          yield* page.due
        }
      }
    },
    async run({ agentSessionId, ...which }) {
      const isWaiting = agentSessionId !== null && waitingCalls.isWaiting(agentSessionId)
      const seenAt = agentSessionId && lastSeen.of(agentSessionId)
      const { stopped } = await store.run(sweepLaunch, {
        ...which,
        offline: hearing.offline,
        lastSeenAt: isWaiting ? instant(clock.now()) : seenAt,
      })
      if (stopped !== null) logger.info({ ...which, reason: stopped }, 'stopping process')
    },
  }
}
