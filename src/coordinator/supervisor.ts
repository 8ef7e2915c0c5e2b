/**
 * Supervises the launches of this machine (CO1, CO2). Starts what the server has begun, at once,
 * reports what happened and decides nothing. Repeated orders have no effect, and stopping one
 * launch never affects another.
 *
 *   begun ──▶ starting ──▶ running ──▶ over     (failed to start, stopped, exited; told once)
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
import { SandboxWatch } from './sandbox/sandbox-watch.ts'
import type { NewFact } from './spool.ts'

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
  readonly serverUrl: () => string
  readonly report: (fact: NewFact) => void
  readonly gateway: Gateway
  readonly acpAgents: AcpAgents
  /** Launches whose orphaned processes were found at the start, and ended. */
  readonly orphans: Promise<ReadonlySet<string>>
}

interface Launch {
  readonly particulars: LaunchParticulars
  stopping: boolean
  readonly stopped: AbortController
  process?: AgentProcess
  acpAgent?: AcpAgent
  done?: Promise<void>
}

/** Exit of a launch for which nothing was started. */
const nothingRan: Exit = { exitCode: null, signal: null }

export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #launches = new Map<string, Launch>()
  readonly #over = new RecentIds(maxRememberedLaunches)
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
    return this.#launches.size
  }

  get holds(): string[] {
    return [...this.#launches.keys()]
  }

  markOver(launchId: string): void {
    this.#over.add(launchId)
  }

  /** SB13: of sandboxes that are made from now on. */
  setSandboxLimits(limits: SandboxLimits): void {
    this.#sandboxLimits = limits
  }

  /**
   * Compares with the server's list after a connect: what is missing there ends, and what is
   * missing here is reported as ended.
   */
  synchronize(orders: readonly LaunchOrder[]): void {
    if (this.#isClosed) return
    const named = new Set(orders.map(({ launchId }) => launchId))
    for (const launchId of this.#launches.keys()) if (!named.has(launchId)) this.stop(launchId)
    for (const { launchId, state, stopReason } of orders) {
      if (stopReason !== null) this.stop(launchId)
      // What was begun for this one and never arrived is sent again (CO11).
      else if (state === 'running' || (state === 'starting' && !this.#hasSynchronized))
        void this.#reportIfMissing(launchId)
    }
    this.#hasSynchronized = true
  }

  begin(particulars: LaunchParticulars): void {
    const { launchId } = particulars
    if (this.#isClosed || this.#isKnown(launchId)) return
    const launch: Launch = { particulars, stopping: false, stopped: new AbortController() }
    this.#launches.set(launchId, launch)
    launch.done = this.#run(launch)
  }

  /** One that has not arrived is not started any more. */
  stop(launchId: string): void {
    const launch = this.#launches.get(launchId)
    if (!launch) return void this.#reportIfMissing(launchId)
    launch.stopping = true
    launch.stopped.abort()
    launch.acpAgent?.cancelStart()
    launch.process?.stop()
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
    for (const { particulars } of launches) this.stop(particulars.launchId)
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

  async #run(launch: Launch): Promise<void> {
    const { launchId } = launch.particulars
    try {
      await this.#supervise(launch)
    } catch (error) {
      this.#reportFailure(launch, error)
    }
    this.#launches.delete(launchId)
    this.markOver(launchId)
  }

  async #supervise(launch: Launch): Promise<void> {
    const { logger, report, acpAgents } = this.#options
    const { launchId, agentId, projectId } = launch.particulars
    const exited = Promise.withResolvers<Exit>()
    try {
      const started = await this.#start(launch, exited.resolve)
      if (!started) return this.#reportExit(launch, nothingRan)
      const { pid, birth, pipes, folder } = started
      launch.process = started
      report({ type: 'process-started', launchId, pid, birth })
      logger.info({ launchId, agentId, projectId, process: pid }, 'agent started')
      if (this.#isKilling) started.kill()
      else if (launch.stopping) started.stop()
      if (!this.#readsOutput) started.pauseOutput()
      if (pipes) launch.acpAgent?.begin(pipes, folder, started.inSandbox)
      const exit = await exited.promise
      await launch.acpAgent?.end(exit)
      acpAgents.leaveAfter(launchId, started.gone)
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
  async #start(launch: Launch, onExit: (exit: Exit) => void): Promise<AgentProcess | undefined> {
    const { folderId, launchesFolder, report, serverUrl, acpAgents, gateway, ...rest } =
      this.#options
    const { particulars } = launch
    const { acp, launchId } = particulars
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
    const { launchId } = launch.particulars
    this.#options.report({
      type: 'process-exited',
      launchId,
      ...exit,
      found: null,
      stopped: launch.stopping,
    })
    if (launch.process) this.#options.logger.info({ launchId, ...exit }, 'agent ended')
  }

  #reportFailure({ particulars: { launchId } }: Launch, error: unknown): void {
    const { report, logger } = this.#options
    const failure = startFailure(error)
    report({
      type: 'start-failed',
      launchId,
      ...detailFields('error', cutDetail(failure, maxErrorChars)),
    })
    logger.warn({ launchId, error: textOf(failure) }, 'agent could not be started')
  }

  #isKnown = (launchId: string): boolean => this.#launches.has(launchId) || this.#over.has(launchId)

  /**
   * Reports a launch that the server believes to be here: it ended with the previous coordinator,
   * was ended as an orphan, or never arrived.
   */
  async #reportIfMissing(launchId: string): Promise<void> {
    if (this.#isClosed || this.#isKnown(launchId)) return
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
