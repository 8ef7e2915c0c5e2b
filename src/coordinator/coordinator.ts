/**
 * The coordinator of a machine, put together (CO1): the link brings orders to the supervisor, the supervisor's facts go through the
 * spool to the link. Stopped on purpose it leaves nothing running; a loss of the server ends nothing until it has been alone too long.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { ProcessSource } from '../platform/processes.ts'
import { AcpAgents, type SpokenAgentsOptions } from './acp-agents.ts'
import { Questions } from './coordinator-requests.ts'
import { endLeftovers } from './leftovers.ts'
import { Link, type LinkOptions } from './link.ts'
import { ProcessTable } from './process-table.ts'
import { type NewFact, Spool } from './spool.ts'
import { Supervisor, type SupervisorOptions } from './supervisor.ts'
import { TimeAlone } from './time-alone.ts'

/** For the last facts to arrive, when it is stopped on purpose. */
const lastFactsMs = 2000

export interface CoordinatorDependencies
  extends Pick<LinkOptions, 'find' | 'token' | 'about' | 'newInstance' | 'random'>,
    Pick<SupervisorOptions, 'keeper' | 'program' | 'env' | 'launchesFolder'>,
    Pick<SpokenAgentsOptions, 'worktreesFolder'> {
  readonly source: ProcessSource
  readonly spoolFile: string
  readonly mostSpooledBytes?: number
  readonly aloneMinutes: number
  readonly clock: Clock
  readonly logger: Logger
  /** It was alone for too long and has ended everything. */
  readonly onAlone: () => void
}

export class Coordinator {
  readonly #parts: CoordinatorDependencies
  readonly #spool: Spool
  readonly #link: Link
  readonly #supervisor: Supervisor
  readonly #spoken: AcpAgents
  readonly #questions: Questions
  readonly #alone: TimeAlone
  #stopping: Promise<void> | undefined

  constructor(parts: CoordinatorDependencies) {
    this.#parts = parts
    const { source, keeper, clock, logger } = parts
    const table = new ProcessTable(source)
    const leftovers = endLeftovers(table, keeper, logger).catch((error: unknown) => {
      logger.error({ error: String(error) }, 'it cannot be seen what the coordinator before has left')
      return new Set<string>()
    })
    this.#spool = new Spool({
      file: parts.spoolFile,
      mostBytes: parts.mostSpooledBytes,
      warn: (message) => logger.warn(message),
      onRoom: (room) => this.#supervisor.readOutput(room),
    })
    this.#spoken = new AcpAgents({
      ...parts,
      version: parts.about.version,
      serverUrl: () => this.#link.url,
      fetchTurn: (launchId, turnId) => this.#link.fetchTurn(launchId, turnId),
      tell: (fact) => this.#tell(fact),
    })
    this.#questions = new Questions({ answer: (ask) => this.#spoken.answer(ask), tell: (fact) => this.#tell(fact), logger })
    this.#supervisor = new Supervisor({
      ...parts,
      spoken: this.#spoken,
      table,
      leftovers,
      take: (launchId) => this.#link.take(launchId),
      serverUrl: () => this.#link.url,
      tell: (fact) => this.#tell(fact),
    })
    this.#supervisor.readOutput(!this.#spool.isFull)
    for (const fact of this.#spool.facts) {
      if (fact.type === 'process-exited' || fact.type === 'start-failed') this.#supervisor.remember(fact.launchId)
    }
    this.#alone = new TimeAlone({
      clock,
      aloneMinutes: parts.aloneMinutes,
      onAlone: () => void this.#leave(),
      onTakeover: () => this.#makeWay(),
    })
    this.#link = new Link({
      ...parts,
      spool: this.#spool,
      onHeard: () => this.#alone.heard(),
      onWelcome: ({ maxConcurrent, aloneMinutes, takeoverMinutes }) => {
        this.#alone.allow(aloneMinutes, takeoverMinutes)
        this.#supervisor.allow(maxConcurrent)
      },
      onOrders: ({ launches, turns, permissions, configures, questions }) => {
        this.#supervisor.adopt(launches)
        this.#spoken.adopt(turns, permissions)
        for (const order of configures) this.#spoken.configure(order)
        for (const question of questions) this.#questions.asked(question)
      },
      onOrder: (order) => this.#supervisor.order(order),
      onOffer: (order, launch) => this.#supervisor.offer(order, launch),
      onStop: (launchId) => this.#supervisor.stop(launchId),
      onTurn: (order) => this.#spoken.turn(order),
      onCancel: (launchId, turnId) => this.#spoken.cancel(launchId, turnId),
      onSettled: (settled) => this.#spoken.settle(settled),
      onConfigure: (order) => this.#spoken.configure(order),
      onQuestion: (question) => this.#questions.asked(question),
      onFenced: () => this.#beginAnew(),
    })
  }

  start(): void {
    this.#alone.start()
    this.#link.start()
  }

  /** On purpose: ends all agents, tells their exits, says goodbye. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  /** Ends all agents at once; `stop`, which is under way, is done when they are gone. */
  hurry(): void {
    this.#supervisor.killAll()
  }

  async #stop(): Promise<void> {
    this.#alone.stop()
    await this.#supervisor.close()
    this.#tell({ type: 'goodbye' })
    await this.#link.flush(lastFactsMs)
    await this.#link.close()
    this.#spool.close()
  }

  #tell(fact: NewFact): void {
    this.#spool.add(fact)
    this.#link.wake()
  }

  async #beginAnew(): Promise<void> {
    await this.#supervisor.close()
    if (!this.#stopping) this.#supervisor.reopen()
  }

  async #leave(): Promise<void> {
    this.#parts.logger.warn('alone for too long; ending everything')
    await this.stop()
    this.#parts.onAlone()
  }

  #makeWay(): void {
    this.#parts.logger.warn('the server was not heard of, and another may take over soon; ending what runs here')
    void this.#supervisor.stopAll()
  }
}
