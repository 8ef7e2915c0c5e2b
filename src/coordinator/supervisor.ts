/**
 * Supervises the launches of this machine (CO1, CO2): waiting, running and stopping ones. Carries out orders, reports what
 * happened and decides nothing. Repeated orders have no effect, and stopping one launch never affects another.
 *
 *   waiting ──its turn──▶ starting ──▶ running ──▶ over     (withdrawn, failed to start, exited; told once)
 */
import { dirname, join } from 'node:path'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { LaunchOrder, LaunchParticulars } from '../protocol/processes/link.ts'
import { type SandboxLimits, sandboxLimits } from '../protocol/processes/sandbox-limits.ts'
import {
  cutDetail,
  type Detail,
  detailFields,
  statusNotice,
  textOf,
} from '../protocol/status-texts.ts'
import type { AcpAgent } from './acp-agent.ts'
import type { AcpAgents } from './acp-agents.ts'
import { AgentProcess, type AgentProcessOptions, CannotStart, type Exit } from './agent-process.ts'
import type { Gateway } from './gateway/gateway.ts'
import { openGatewayFor } from './gateway/open-gateway.ts'
import { RecentIds } from './link.ts'
import { launchesToStart } from './next-launch.ts'
import { SandboxWatch } from './sandbox/sandbox-watch.ts'
import type { NewFact } from './spool.ts'

const retryMs = 1000
/** Wait for the offer that is sent along with an order. */
const offerWithinMs = 100
/** Remembered ids of ended launches, so that an old message does not start one again. */
const maxRememberedLaunches = 10_000
const maxErrorChars = 4000

export interface SupervisorOptions extends Pick<AgentProcessOptions, 'program' | 'env' | 'table'> {
  /** Owner of the launches; part of the launch mark. */
  readonly folderId: string
  /** Parent of the folders for launches without a project folder. */
  readonly launchesFolder: string
  readonly clock: Clock
  readonly logger: Logger
  /** Requests a launch's particulars; rejects when the server cannot be reached. */
  readonly take: (launchId: string) => Promise<LaunchParticulars | 'withdrawn'>
  readonly serverUrl: () => string
  readonly report: (fact: NewFact) => void
  readonly gateway: Gateway
  readonly acpAgents: AcpAgents
  /** Launches whose orphaned processes were found at the start, and ended. */
  readonly orphans: Promise<ReadonlySet<string>>
}

interface Launch {
  readonly order: LaunchOrder
  phase: 'waiting' | 'starting' | 'running'
  countedAsStarting: boolean
  stopping: boolean
  readonly stopped: AbortController
  readonly offer: PromiseWithResolvers<LaunchParticulars | undefined>
  process?: AgentProcess
  acpAgent?: AcpAgent
  done?: Promise<void>
}

/** Exit of a launch for which nothing was started. */
const nothingRan: Exit = { exitCode: null, signal: null }

export class Supervisor {
  readonly #options: SupervisorOptions
  /** In the order of their orders. */
  readonly #launches = new Map<string, Launch>()
  readonly #over = new RecentIds(maxRememberedLaunches)
  #maxConcurrent = 0
  #sandboxLimits = sandboxLimits()
  readonly #watch: SandboxWatch
  /** Launches of the previous coordinator have been dealt with. */
  #hasSynchronized = false
  #isClosed = false
  #readsOutput = true
  #isKilling = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#watch = new SandboxWatch(options.table, options.clock)
  }

  get active(): number {
    return [...this.#launches.values()].filter(({ phase }) => phase !== 'waiting').length
  }

  markOver(launchId: string): void {
    this.#over.add(launchId)
  }

  /** SB13: of sandboxes that are made from now on. */
  setSandboxLimits(limits: SandboxLimits): void {
    this.#sandboxLimits = limits
  }

  setMaxConcurrent(maxConcurrent: number): void {
    this.#maxConcurrent = maxConcurrent
    this.#startWaiting()
  }

  /** Compares with the server's list after a connect: what is missing here is reported as ended, what is missing there ends. */
  synchronize(orders: readonly LaunchOrder[]): void {
    if (this.#isClosed) return
    const named = new Set(orders.map(({ launchId }) => launchId))
    for (const launchId of this.#launches.keys()) if (!named.has(launchId)) this.stop(launchId)
    for (const order of orders) {
      if (order.stopReason !== null && this.#launches.has(order.launchId)) this.stop(order.launchId)
      // CO4: the server began it with its order, which never arrived. It is taken again.
      else if (order.state === 'starting' && order.stopReason === null && this.#hasSynchronized)
        this.order({ ...order, state: 'waiting' }, true)
      else this.order(order)
    }
    this.#hasSynchronized = true
  }

  /** `begun`: the server counts it as starting and expects a report. */
  order(order: LaunchOrder, begun = order.offered === true): void {
    const { launchId } = order
    if (this.#isClosed || this.#launches.has(launchId) || this.#over.has(launchId)) return
    if (order.state !== 'waiting') void this.#reportMissing(launchId)
    else if (order.stopReason === null) {
      const offer = Promise.withResolvers<LaunchParticulars | undefined>()
      this.#launches.set(launchId, {
        order,
        phase: 'waiting',
        countedAsStarting: begun,
        stopping: false,
        stopped: new AbortController(),
        offer,
      })
      this.#startWaiting()
    }
  }

  offer(order: LaunchOrder, particulars: LaunchParticulars): void {
    this.order({ ...order, offered: true })
    this.#launches.get(order.launchId)?.offer.resolve(particulars)
  }

  stop(launchId: string): void {
    const launch = this.#launches.get(launchId)
    if (!launch) return
    launch.stopping = true
    launch.stopped.abort()
    launch.offer.resolve(undefined)
    launch.acpAgent?.cancelStart()
    launch.process?.stop()
    if (launch.phase !== 'waiting') return
    // The launch only waited: nothing to report, and it may be ordered again.
    if (!launch.countedAsStarting) return void this.#launches.delete(launchId)
    this.#reportExit(launch, nothingRan)
    this.#removeLaunch(launchId)
  }

  /** Stops everything and starts nothing until `reopen`. Resolves when all has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.stopAll()
  }

  /** Forgets all launches, for a new instance. */
  reopen(): void {
    this.#isClosed = false
    this.#hasSynchronized = false
    this.#over.clear()
  }

  async stopAll(): Promise<void> {
    const launches = [...this.#launches.values()]
    for (const { order } of launches) this.stop(order.launchId)
    await Promise.all(launches.map(({ done }) => done))
  }

  killAll(): void {
    this.#isKilling = true
    for (const { process } of this.#launches.values()) process?.kill()
  }

  /** Pauses or resumes reading agent output. */
  readOutput(yes: boolean): void {
    this.#readsOutput = yes
    this.#options.acpAgents.readOutput(yes)
    for (const { process } of this.#launches.values()) {
      if (yes) process?.resumeOutput()
      else process?.pauseOutput()
    }
  }

  /** CO2: starts what waits and has room. */
  #startWaiting(): void {
    if (this.#isClosed) return
    const launches = [...this.#launches.values()]
    const ordersOf = (isWaiting: boolean): LaunchOrder[] =>
      launches.flatMap(({ order, phase }) => ((phase === 'waiting') === isWaiting ? [order] : []))
    const next = launchesToStart(ordersOf(true), ordersOf(false), this.#maxConcurrent)
    for (const { launchId } of next) {
      const launch = this.#launches.get(launchId)
      if (!launch) continue
      launch.phase = 'starting'
      launch.done = this.#run(launch)
    }
  }

  async #run(launch: Launch): Promise<void> {
    const { launchId } = launch.order
    try {
      const particulars = await this.#take(launch)
      if (particulars) await this.#supervise(launch, particulars)
      else if (launch.phase === 'waiting') return
    } catch (error) {
      this.#reportFailure(launch, error)
    }
    this.#removeLaunch(launchId)
    this.#startWaiting()
  }

  #removeLaunch(launchId: string): void {
    this.#launches.delete(launchId)
    this.markOver(launchId)
  }

  /** Undefined when the launch was withdrawn, or is waiting again because the server could not be reached. */
  async #take(launch: Launch): Promise<LaunchParticulars | undefined> {
    const { take, clock, logger } = this.#options
    const { launchId } = launch.order
    launch.countedAsStarting = true
    try {
      const taken =
        (launch.order.offered && (await this.#waitForOffer(launch))) || (await take(launchId))
      if (taken !== 'withdrawn') return taken
      logger.info({ launchId }, 'launch withdrawn')
      launch.stopping = true
      return void this.#reportExit(launch, nothingRan)
    } catch (error) {
      if (launch.stopping) return void this.#reportExit(launch, nothingRan)
      logger.debug({ launchId, error: String(error) }, 'launch could not be taken; retrying')
      launch.phase = 'waiting'
      clock.after(retryMs, () => this.#startWaiting())
      return undefined
    }
  }

  async #waitForOffer({ offer }: Launch): Promise<LaunchParticulars | undefined> {
    const cancel = this.#options.clock.after(offerWithinMs, () => offer.resolve(undefined))
    const particulars = await offer.promise
    cancel()
    return particulars
  }

  async #supervise(launch: Launch, particulars: LaunchParticulars): Promise<void> {
    const { logger, report, acpAgents } = this.#options
    const { launchId, agentId, projectId } = launch.order
    if (launch.stopping) return this.#reportExit(launch, nothingRan)
    const exited = Promise.withResolvers<Exit>()
    try {
      const started = await this.#start(launch, particulars, exited.resolve)
      if (!started) return this.#reportExit(launch, nothingRan)
      const { pid, birth, pipes, folder } = started
      launch.process = started
      launch.phase = 'running'
      report({ type: 'process-started', launchId, pid, birth })
      logger.info({ launchId, agentId, projectId, process: pid }, 'agent started')
      if (this.#isKilling) started.kill()
      else if (launch.stopping) started.stop()
      if (!this.#readsOutput) started.pauseOutput()
      if (pipes) launch.acpAgent?.begin(pipes, folder, started.inSandbox)
      const exit = await exited.promise
      await launch.acpAgent?.end(exit)
      this.#reportExit(launch, exit)
      const left = await started.gone
      if (left.length > 0)
        logger.error(
          { launchId, left: left.map((each) => each.pid) },
          'processes of an agent could not be ended',
        )
    } finally {
      acpAgents.remove(launchId)
    }
  }

  /** Undefined when the launch was stopped. */
  async #start(
    launch: Launch,
    particulars: LaunchParticulars,
    onExit: (exit: Exit) => void,
  ): Promise<AgentProcess | undefined> {
    const { folderId, launchesFolder, report, serverUrl, acpAgents, gateway, ...rest } =
      this.#options
    const { launchId } = launch.order
    const { acp } = particulars
    try {
      if (acp) launch.acpAgent = await acpAgents.add(particulars, acp, () => launch.process?.stop())
      // Stopped while the ACP library was loading.
      if (launch.stopping) {
        launch.acpAgent?.cancelStart()
        return undefined
      }
      const { signal } = launch.stopped
      const folder = await (launch.acpAgent?.prepareWorkspace() ??
        acpAgents.folderFor(particulars, signal))
      if (launch.stopping) return undefined
      return await AgentProcess.start({
        ...rest,
        particulars: { ...particulars, folder },
        mark: { launchId, folderId },
        serverUrl: serverUrl(),
        fallbackFolder: launchFolder(launchesFolder, launchId),
        sandbox: {
          git: acpAgents.git,
          dataFolder: dirname(launchesFolder),
          limits: this.#sandboxLimits,
          watch: this.#watch,
          onLimit: (why) => endedFor(launch, why),
          ask: async (target) => (await launch.acpAgent?.sandbox.askHost(target)) ?? false,
        },
        gateway: await openGatewayFor(gateway, particulars, launch),
        onOutput: (text) => report({ type: 'process-output', launchId, text }),
        onExit,
      })
    } catch (error) {
      launch.acpAgent?.reportFailure(startFailure(error))
      throw error
    }
  }

  #reportExit(launch: Launch, exit: Exit): void {
    const { launchId } = launch.order
    this.#options.report({
      type: 'process-exited',
      launchId,
      ...exit,
      found: null,
      stopped: launch.stopping,
    })
    if (launch.process) this.#options.logger.info({ launchId, ...exit }, 'agent ended')
  }

  #reportFailure({ order: { launchId } }: Launch, error: unknown): void {
    const { report, logger } = this.#options
    const failure = startFailure(error)
    report({
      type: 'start-failed',
      launchId,
      ...detailFields('error', cutDetail(failure, maxErrorChars)),
    })
    logger.warn({ launchId, error: textOf(failure) }, 'agent could not be started')
  }

  /** Reports a launch that the server believes to run here: it ended with the previous coordinator, or was ended as an orphan. */
  async #reportMissing(launchId: string): Promise<void> {
    this.markOver(launchId)
    const { orphans, report, logger } = this.#options
    const found = (await orphans).has(launchId) ? 'leftover' : 'gone'
    report({
      type: 'process-exited',
      launchId,
      exitCode: null,
      signal: null,
      found,
      stopped: found === 'leftover',
    })
    logger.warn({ launchId, found }, 'agent of an earlier coordinator no longer runs')
  }
}

/** SB13: turns that run fail with the reason, and so does a start. */
function endedFor({ acpAgent }: Launch, why: Detail): void {
  if (!acpAgent) return
  acpAgent.sandbox.endedFor = why
  acpAgent.reportFailure(why)
}

function launchFolder(folder: string, launchId: string): string {
  if (!/^[\w-]{1,200}$/.test(launchId)) throw new CannotStart(statusNotice('launchIdNoName'))
  return join(folder, launchId)
}

const startFailure = (error: unknown): Detail =>
  error instanceof CannotStart
    ? error.detail
    : statusNotice('notStartedBecause', { why: String(error) })
