/**
 * The coordinator of a machine (CO1). The link delivers orders to the supervisor, and the
 * supervisor's facts go through the spool to the link. A planned stop ends all agents. Losing the
 * server ends nothing until the offline limit is reached.
 */

import type { Logger } from '../platform/log/logger.ts'
import type { ProcessSource } from '../platform/processes/processes.ts'
import type { Clock } from '../platform/time/clock.ts'
import { AcpAgents, type AcpAgentsOptions } from './acp-agents.ts'
import { CoordinatorRequests } from './coordinator-requests.ts'
import { Gateway } from './gateway/gateway.ts'
import { findLeftSecretFiles } from './launch-secrets.ts'
import { Link, type LinkOptions } from './link.ts'
import { OfflineTimer } from './offline-timer.ts'
import { isPastRequest, PastReads } from './past-sessions.ts'
import { endOrphans, ProcessTable } from './process-tree.ts'
import { type NewFact, Spool } from './spool.ts'
import { Supervisor, type SupervisorOptions } from './supervisor.ts'

/** Wait for the last facts to be sent on a planned stop. */
const flushMs = 2000

export interface CoordinatorDependencies
  extends Pick<LinkOptions, 'find' | 'token' | 'about' | 'newInstance' | 'random'>,
    Pick<SupervisorOptions, 'folderId' | 'program' | 'env' | 'launchesFolder'>,
    Pick<AcpAgentsOptions, 'worktreesFolder'> {
  readonly source: ProcessSource
  readonly spoolFile: string
  readonly maxSpooledBytes?: number
  readonly aloneMinutes: number
  readonly clock: Clock
  readonly logger: Logger
  /** Called when the server was unreachable for too long and everything has been ended. */
  readonly onOfflineTooLong: () => void
}

export class Coordinator {
  readonly #options: CoordinatorDependencies
  readonly #spool: Spool
  readonly #link: Link
  readonly #supervisor: Supervisor
  readonly #acpAgents: AcpAgents
  readonly #requests: CoordinatorRequests
  readonly #offlineTimer: OfflineTimer
  readonly #gateway: Gateway
  #stopping: Promise<void> | undefined

  constructor(options: CoordinatorDependencies) {
    this.#options = options
    const { source, folderId, clock, logger } = options
    const table = new ProcessTable(source)
    const removeLeftSecretFiles = findLeftSecretFiles(options.launchesFolder)
    const orphans = endOrphans(table, folderId, logger)
      .catch((error: unknown) => {
        logger.error(
          { error: String(error) },
          'leftovers of the previous coordinator could not be found',
        )
        return new Set<string>()
      })
      .finally(removeLeftSecretFiles)
    this.#spool = new Spool({
      file: options.spoolFile,
      maxBytes: options.maxSpooledBytes,
      warn: (message) => logger.warn(message),
      onCapacityChange: (room) => this.#supervisor.readOutput(room),
    })
    this.#acpAgents = new AcpAgents({
      ...options,
      version: options.about.version,
      serverUrl: () => this.#link.url,
      fetchCredential: (step) => this.#link.fetchCredential(step),
      fetchTurn: (launchId, turnId) => this.#link.fetchTurn(launchId, turnId),
      report: (fact) => this.#report(fact),
    })
    const pastReads = new PastReads(options.env)
    this.#requests = new CoordinatorRequests({
      answer: (ask) => (isPastRequest(ask) ? pastReads.answer(ask) : this.#acpAgents.answer(ask)),
      report: (fact) => this.#report(fact),
      logger,
    })
    this.#gateway = new Gateway({ env: options.env, report: (fact) => this.#report(fact) })
    this.#supervisor = new Supervisor({
      ...options,
      gateway: this.#gateway,
      acpAgents: this.#acpAgents,
      table,
      orphans,
      serverUrl: () => this.#link.url,
      report: (fact) => this.#report(fact),
    })
    this.#supervisor.readOutput(!this.#spool.isFull)
    for (const fact of this.#spool.facts) {
      if (fact.type === 'process-exited' || fact.type === 'start-failed')
        this.#supervisor.markOver(fact.launchId)
    }
    this.#offlineTimer = new OfflineTimer({
      clock,
      aloneMinutes: options.aloneMinutes,
      onOfflineTooLong: () => void this.#stopAfterTimeout(),
      onTakeoverDue: () => this.#endForTakeover(),
    })
    this.#link = new Link({
      ...options,
      spool: this.#spool,
      onReceived: () => this.#offlineTimer.reset(),
      onWelcome: ({ aloneMinutes, takeoverMinutes, sandboxLimits }) => {
        this.#supervisor.setSandboxLimits(sandboxLimits)
        this.#offlineTimer.setLimits(aloneMinutes, takeoverMinutes)
      },
      onOrders: ({ launches, turns, permissions, configures, questions }) => {
        this.#supervisor.synchronize(launches)
        this.#acpAgents.synchronize(turns, permissions)
        for (const order of configures) this.#acpAgents.of(order)?.configure(order)
        for (const request of questions) this.#requests.handle(request)
      },
      onBegin: (launch) => this.#supervisor.begin(launch),
      holds: () => this.#supervisor.holds,
      onStop: (launchId) => this.#supervisor.stop(launchId),
      onTurn: (order) => this.#acpAgents.of(order)?.turn(order),
      onCancel: (launchId, turnId) => this.#acpAgents.of({ launchId })?.cancel(turnId),
      onSettled: (settled) => this.#acpAgents.of(settled)?.settle(settled),
      onConfigure: (order) => this.#acpAgents.of(order)?.configure(order),
      onRequest: (request) => this.#requests.handle(request),
      onFenced: () => this.#restartAfterFence(),
    })
  }

  start(): void {
    this.#offlineTimer.start()
    this.#link.start()
  }

  /** Ends all agents, reports their exits and says goodbye. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  /** Kills all agents, which lets a running `stop` finish sooner. */
  killAll(): void {
    this.#supervisor.killAll()
  }

  async #stop(): Promise<void> {
    this.#offlineTimer.stop()
    await this.#supervisor.close()
    this.#gateway.close()
    this.#report({ type: 'goodbye' })
    await this.#link.flush(flushMs)
    await this.#link.close()
    this.#spool.close()
  }

  #report(fact: NewFact): void {
    this.#spool.add(fact)
    this.#link.wake()
  }

  async #restartAfterFence(): Promise<void> {
    await this.#supervisor.close()
    if (!this.#stopping) this.#supervisor.reopen()
  }

  async #stopAfterTimeout(): Promise<void> {
    this.#options.logger.warn('offline for too long; ending all agents')
    await this.stop()
    this.#options.onOfflineTooLong()
  }

  #endForTakeover(): void {
    this.#options.logger.warn(
      'no contact with the server, and another coordinator may take over; ending all agents',
    )
    void this.#supervisor.stopAll()
  }
}
