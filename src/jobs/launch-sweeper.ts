/**
 * Stops processes that are no longer needed and marks silent coordinators (NA5, NA6, CO6). Reads first and writes only for what
 * is due, each in its own commit; safe to run twice. Time in which nothing could be heard does not count, so a late run, a clock
 * change or a stopped server ends nothing.
 */
import { systemId } from '../domain/access/caller.ts'
import { instant } from '../domain/instant.ts'
import { addOfflinePeriod, type OfflinePeriod } from '../domain/silence.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { heartbeatMs } from '../protocol/processes/link.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import type { WaitingCalls } from '../server/agent-sessions/waiting-calls.ts'
import type { Launches } from '../server/processes/launches.ts'
import { markUnreachable } from '../services/flows/store-facts.ts'
import { sweepLaunch } from '../services/processes/launch-record.ts'
import {
  type DueLaunch,
  findDueLaunches,
  findSilentCoordinators,
} from '../services/processes/queries.ts'
import type { Store } from '../store/store.ts'
import { lateMs, logFailure, type PeriodicJob } from './periodic-job.ts'

const everyMs = 2000
/** Lower bound of silence: coordinators send a message every ten seconds. */
const leastSilenceMs = 1.5 * heartbeatMs

export interface LaunchSweeperOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly launches: Launches
  readonly lastSeen: LastSeen
  readonly waitingCalls: Pick<WaitingCalls, 'isWaiting'>
  readonly unreachableSeconds: number
  readonly takeoverMinutes: number | null
}

export class LaunchSweeper implements PeriodicJob {
  readonly everyMs = everyMs
  readonly failureText = 'processes could not be checked'
  readonly #options: LaunchSweeperOptions
  #deaf: readonly OfflinePeriod[]
  /** End of the last successful run. */
  #heardUntil: number

  constructor(options: LaunchSweeperOptions) {
    this.#options = options
    this.#heardUntil = options.clock.now()
    // Nothing could be heard before this server started.
    this.#deaf = [{ from: instant(0), to: instant(this.#heardUntil) }]
  }

  async run(): Promise<void> {
    const { store, clock, unreachableSeconds, takeoverMinutes } = this.#options
    const now = clock.now()
    const late = now - this.#heardUntil - everyMs
    if (late > lateMs)
      this.#deaf = addOfflinePeriod(this.#deaf, { from: instant(now - late), to: instant(now) })
    const { all, unreachable, lost } = await store.query(findSilentCoordinators, {
      unreachableMs: Math.max(unreachableSeconds * 1000, leastSilenceMs),
      takeoverMs: takeoverMinutes === null ? null : takeoverMinutes * 60_000,
      deaf: this.#deaf,
    })
    for (const silent of unreachable) await this.#each(silent, () => this.#show(silent))
    for (const coordinatorId of lost)
      await this.#each({ coordinatorId }, () => this.#takeOver(coordinatorId))
    for (const coordinatorId of all) await this.#checkLaunchesOf(coordinatorId)
    this.#heardUntil = now
  }

  async #show(silent: Parameters<typeof markUnreachable.run>[1]): Promise<void> {
    const { store, logger } = this.#options
    if (await store.run(markUnreachable, silent)) logger.warn(silent, 'coordinator silent')
  }

  async #takeOver(coordinatorId: string): Promise<void> {
    await this.#options.launches.takeOver(coordinatorId, systemId)
    this.#options.logger.warn({ coordinatorId }, 'coordinator silent for too long; work taken over')
  }

  async #checkLaunchesOf(coordinatorId: string): Promise<void> {
    const { store } = this.#options
    let page = await store.query(findDueLaunches, { coordinatorId, deaf: this.#deaf })
    for (;;) {
      for (const due of page.due) await this.#each(due, () => this.#check(due))
      if (!page.last) return
      page = await store.query(findDueLaunches, {
        coordinatorId,
        deaf: this.#deaf,
        last: page.last,
      })
    }
  }

  async #check({ agentSessionId, ...which }: DueLaunch): Promise<void> {
    const { store, clock, lastSeen, waitingCalls, logger } = this.#options
    const waits = agentSessionId !== null && waitingCalls.isWaiting(agentSessionId)
    const lastSeenAt = waits ? instant(clock.now()) : agentSessionId && lastSeen.of(agentSessionId)
    const { stopped } = await store.run(sweepLaunch, { ...which, deaf: this.#deaf, lastSeenAt })
    if (stopped !== null) logger.info({ ...which, reason: stopped }, 'stopping process')
  }

  async #each(which: object, work: () => Promise<void>): Promise<void> {
    await logFailure(this.#options.logger, 'It could not be swept', which, work)
  }
}
