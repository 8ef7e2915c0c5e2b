/**
 * Has processes stopped that have outlived what they were for, and shows coordinators that are silent (NA5, NA6, CO6), every few
 * seconds. Reads first and writes only for what is due, each in a commit of its own; harmless when done twice. Time in which nobody
 * could be heard counts for nobody: a late tick, a clock that jumps and a server that was away end nothing.
 */
import { systemId } from '../domain/access/who.ts'
import { instant } from '../domain/instant.ts'
import { type Deaf, withDeaf } from '../domain/silence.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { heartbeatMs } from '../protocol/processes/link.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import type { WaitingCalls } from '../server/agent-sessions/waiting-calls.ts'
import type { Launches } from '../server/processes/launches.ts'
import { markUnreachable } from '../services/processes/mark-unreachable.ts'
import { type DueLaunch, findDueLaunches, findSilentCoordinators } from '../services/processes/queries.ts'
import { sweepLaunch } from '../services/processes/sweep-launch.ts'
import type { Store } from '../store/store.ts'
import { byItself, lateMs, type PeriodicJob } from './periodic-job.ts'

const everyMs = 2000
/** A coordinator that says something every ten seconds is not silent after five. */
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
  readonly complaint = 'Processes could not be swept'
  readonly #options: LaunchSweeperOptions
  #deaf: readonly Deaf[]
  /** The end of the last tick that did its work. */
  #heardUntil: number

  constructor(options: LaunchSweeperOptions) {
    this.#options = options
    this.#heardUntil = options.clock.now()
    // Before this server was there nobody could be heard by it.
    this.#deaf = [{ from: instant(0), to: instant(this.#heardUntil) }]
  }

  async round(): Promise<void> {
    const { store, clock, unreachableSeconds, takeoverMinutes } = this.#options
    const now = clock.now()
    const late = now - this.#heardUntil - everyMs
    if (late > lateMs) this.#deaf = withDeaf(this.#deaf, { from: instant(now - late), to: instant(now) })
    const { all, unreachable, lost } = await store.query(findSilentCoordinators, {
      unreachableMs: Math.max(unreachableSeconds * 1000, leastSilenceMs),
      takeoverMs: takeoverMinutes === null ? null : takeoverMinutes * 60_000,
      deaf: this.#deaf,
    })
    for (const silent of unreachable) await this.#each(silent, () => this.#show(silent))
    for (const coordinatorId of lost) await this.#each({ coordinatorId }, () => this.#takeOver(coordinatorId))
    for (const coordinatorId of all) await this.#lookAtLaunchesOf(coordinatorId)
    this.#heardUntil = now
  }

  async #show(silent: Parameters<typeof markUnreachable.run>[1]): Promise<void> {
    const { store, logger } = this.#options
    if (await store.run(markUnreachable, silent)) logger.warn(silent, 'A coordinator is not heard of')
  }

  async #takeOver(coordinatorId: string): Promise<void> {
    await this.#options.launches.takeOver(coordinatorId, systemId)
    this.#options.logger.warn({ coordinatorId }, 'A coordinator was silent for too long; its work was taken over')
  }

  async #lookAtLaunchesOf(coordinatorId: string): Promise<void> {
    const { store } = this.#options
    let page = await store.query(findDueLaunches, { coordinatorId, deaf: this.#deaf })
    for (;;) {
      for (const due of page.due) await this.#each(due, () => this.#lookAt(due))
      if (!page.last) return
      page = await store.query(findDueLaunches, { coordinatorId, deaf: this.#deaf, last: page.last })
    }
  }

  async #lookAt({ agentSessionId, ...which }: DueLaunch): Promise<void> {
    const { store, clock, lastSeen, waitingCalls, logger } = this.#options
    const waits = agentSessionId !== null && waitingCalls.isWaiting(agentSessionId)
    const lastSeenAt = waits ? instant(clock.now()) : agentSessionId && lastSeen.of(agentSessionId)
    const { stopped } = await store.run(sweepLaunch, { ...which, deaf: this.#deaf, lastSeenAt })
    if (stopped !== null) logger.info({ ...which, reason: stopped }, 'A process is stopped')
  }

  async #each(which: object, work: () => Promise<void>): Promise<void> {
    await byItself(this.#options.logger, 'It could not be swept', which, work)
  }
}
