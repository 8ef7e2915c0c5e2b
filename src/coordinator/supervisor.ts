/**
 * The launches of this machine (CO1, CO2): which wait for their turn, which run, which are being stopped. It does what it is ordered
 * and tells what happened; it decides nothing. Being told the same twice changes nothing, and stopping one never touches another.
 *
 *   waiting ──its turn──▶ starting ──▶ running ──▶ over     (withdrawn, failed to start, exited; told once)
 */
import { join } from 'node:path'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { LaunchOrder, LaunchParticulars } from '../protocol/processes/link.ts'
import { statusText } from '../protocol/sentences.ts'
import type { AcpAgent } from './acp-agent.ts'
import type { AcpAgents } from './acp-agents.ts'
import { AgentProcess, type AgentProcessOptions, CannotStart, type Exit } from './agent-process.ts'
import type { NewFact } from './spool.ts'

/** Before a start that could not be asked for is asked for again. */
const askAgainMs = 1000
/** What is said together with an order is here before it or right behind it; if not, it was lost. */
const offerWithinMs = 100
/** Of launches that are over; enough that an old word about one is never taken for a new one. */
const mostRemembered = 10_000
const maxErrorLength = 4000

export interface SupervisorOptions extends Pick<AgentProcessOptions, 'program' | 'env' | 'table'> {
  /** Whose launches they are; part of their mark. */
  readonly keeper: string
  /** Where launches without a project folder get one of their own. */
  readonly launchesFolder: string
  readonly clock: Clock
  readonly logger: Logger
  /** Asks the server how to start it; rejects when it cannot be asked now. */
  readonly take: (launchId: string) => Promise<LaunchParticulars | 'withdrawn'>
  readonly serverUrl: () => string
  readonly tell: (fact: NewFact) => void
  /** Those of them that are spoken to. */
  readonly spoken: AcpAgents
  /** Launches whose leftovers were found at the start and are ended by now. */
  readonly leftovers: Promise<ReadonlySet<string>>
}

interface Launch {
  readonly order: LaunchOrder
  phase: 'waiting' | 'starting' | 'running'
  /** The server may count it as starting, and waits to hear what became of it. */
  asked: boolean
  stopping: boolean
  /** How to start it, when the server says so by itself; undefined when it does not, after all. */
  readonly offer: PromiseWithResolvers<LaunchParticulars | undefined>
  process: AgentProcess | undefined
  /** Set for an agent that is spoken to. */
  spoken: AcpAgent | undefined
  done: Promise<void> | undefined
}

/** How a launch ended of which nothing was started. */
const nothingRan: Exit = { exitCode: null, signal: null }

export class Supervisor {
  readonly #parts: SupervisorOptions
  /** In the order in which they were ordered. */
  readonly #launches = new Map<string, Launch>()
  readonly #over = new Set<string>()
  #maxConcurrent = 0
  /** It has met what those before it have left. */
  #hasAdopted = false
  #isClosed = false
  #readsOutput = true
  #isKilling = false

  constructor(parts: SupervisorOptions) {
    this.#parts = parts
  }

  /** Processes that run or are being started. */
  get active(): number {
    return [...this.#launches.values()].filter(({ phase }) => phase !== 'waiting').length
  }

  /** The end of it was told by one who came before. */
  remember(launchId: string): void {
    if (this.#over.size >= mostRemembered) this.#over.delete(this.#over.values().next().value ?? '')
    this.#over.add(launchId)
  }

  allow(maxConcurrent: number): void {
    this.#maxConcurrent = maxConcurrent
    this.#fill()
  }

  /** Everything the server knows of and has not seen end: what is missing here is over, what is missing there is ended. */
  adopt(orders: readonly LaunchOrder[]): void {
    if (this.#isClosed) return
    const named = new Set(orders.map(({ launchId }) => launchId))
    for (const launchId of this.#launches.keys()) if (!named.has(launchId)) this.stop(launchId)
    for (const order of orders) {
      if (order.stopReason !== null && this.#launches.has(order.launchId)) this.stop(order.launchId)
      // Begun with its order in this life (CO4), and never heard of: it is not over, it is to be taken again.
      else if (order.state === 'starting' && order.stopReason === null && this.#hasAdopted)
        this.order({ ...order, state: 'waiting' }, true)
      else this.order(order)
    }
    this.#hasAdopted = true
  }

  /** `begun`: the server counts it as starting, and waits to hear what becomes of it. */
  order(order: LaunchOrder, begun = order.offered === true): void {
    const { launchId } = order
    if (this.#isClosed || this.#launches.has(launchId) || this.#over.has(launchId)) return
    if (order.state !== 'waiting') void this.#reportMissing(launchId)
    else if (order.stopReason === null) {
      this.#launches.set(launchId, {
        order,
        phase: 'waiting',
        asked: begun,
        stopping: false,
        offer: Promise.withResolvers(),
        process: undefined,
        spoken: undefined,
        done: undefined,
      })
      this.#fill()
    }
  }

  /** Behind its order, or before it. */
  offer(order: LaunchOrder, particulars: LaunchParticulars): void {
    this.order({ ...order, offered: true })
    this.#launches.get(order.launchId)?.offer.resolve(particulars)
  }

  stop(launchId: string): void {
    const launch = this.#launches.get(launchId)
    if (!launch) return
    launch.stopping = true
    launch.offer.resolve(undefined)
    launch.spoken?.letGo()
    launch.process?.stop()
    if (launch.phase !== 'waiting') return
    // It only waited: nobody is told that it is over, and it may be named again.
    if (!launch.asked) return void this.#launches.delete(launchId)
    this.#tellExit(launch, nothingRan)
    this.#forget(launchId)
  }

  /** Ends everything and starts nothing more until `reopen`; resolves when nothing is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.stopAll()
  }

  /** As a newcomer, who knows of nothing. */
  reopen(): void {
    this.#isClosed = false
    this.#hasAdopted = false
    this.#over.clear()
  }

  async stopAll(): Promise<void> {
    const launches = [...this.#launches.values()]
    for (const { order } of launches) this.stop(order.launchId)
    await Promise.all(launches.map(({ done }) => done))
  }

  /** At once: nobody is asked. */
  killAll(): void {
    this.#isKilling = true
    for (const { process } of this.#launches.values()) process?.kill()
  }

  /** Agents that write wait until it may be read again. */
  readOutput(yes: boolean): void {
    this.#readsOutput = yes
    this.#parts.spoken.readOutput(yes)
    for (const { process } of this.#launches.values()) {
      if (yes) process?.resumeOutput()
      else process?.pauseOutput()
    }
  }

  /** CO2: oldest first; an agent that has all it may have lets the others pass. */
  #fill(): void {
    const running = new Map<string, number>()
    const count = ({ agentId }: LaunchOrder): number => running.get(agentId) ?? 0
    const add = ({ agentId }: LaunchOrder): void => void running.set(agentId, (running.get(agentId) ?? 0) + 1)
    let free = this.#isClosed ? 0 : this.#maxConcurrent
    for (const { order, phase } of this.#launches.values()) {
      if (phase === 'waiting') continue
      add(order)
      free--
    }
    for (const launch of this.#launches.values()) {
      if (free <= 0) return
      const { order, phase } = launch
      if (phase !== 'waiting' || (order.maxProcesses !== null && count(order) >= order.maxProcesses)) continue
      add(order)
      free--
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
      this.#tellFailure(launch, error)
    }
    this.#forget(launchId)
    this.#fill()
  }

  #forget(launchId: string): void {
    this.#launches.delete(launchId)
    this.remember(launchId)
  }

  /** Undefined: withdrawn, or back in the queue because nobody could be asked. */
  async #take(launch: Launch): Promise<LaunchParticulars | undefined> {
    const { take, clock, logger } = this.#parts
    const { launchId } = launch.order
    launch.asked = true
    try {
      const taken = (launch.order.offered && (await this.#offered(launch))) || (await take(launchId))
      if (taken !== 'withdrawn') return taken
      logger.info({ launchId }, 'a launch was withdrawn')
      launch.stopping = true
      this.#tellExit(launch, nothingRan)
      return undefined
    } catch (error) {
      if (launch.stopping) {
        this.#tellExit(launch, nothingRan)
        return undefined
      }
      logger.debug({ launchId, error: String(error) }, 'a launch could not be taken; trying again')
      launch.phase = 'waiting'
      clock.after(askAgainMs, () => this.#fill())
      return undefined
    }
  }

  /** Undefined: it was not said, and is asked for. */
  async #offered({ offer }: Launch): Promise<LaunchParticulars | undefined> {
    const cancel = this.#parts.clock.after(offerWithinMs, () => offer.resolve(undefined))
    const particulars = await offer.promise
    cancel()
    return particulars
  }

  async #supervise(launch: Launch, particulars: LaunchParticulars): Promise<void> {
    const { logger, tell, spoken } = this.#parts
    const { launchId, agentId, projectId } = launch.order
    if (launch.stopping) return this.#tellExit(launch, nothingRan)
    const exited = Promise.withResolvers<Exit>()
    try {
      const started = await this.#start(launch, particulars, exited.resolve)
      if (!started) return this.#tellExit(launch, nothingRan)
      const { pid, birth, pipes, folder } = started
      launch.process = started
      launch.phase = 'running'
      tell({ type: 'process-started', launchId, pid, birth })
      logger.info({ launchId, agentId, projectId, process: pid }, 'an agent was started')
      if (this.#isKilling) started.kill()
      else if (launch.stopping) started.stop()
      if (!this.#readsOutput) started.pauseOutput()
      if (pipes) launch.spoken?.begin(pipes, folder)
      const exit = await exited.promise
      await launch.spoken?.end(exit)
      this.#tellExit(launch, exit)
      const left = await started.gone
      if (left.length > 0) logger.error({ launchId, left: left.map((each) => each.pid) }, 'processes of an agent cannot be ended')
    } finally {
      spoken.remove(launchId)
    }
  }

  /** Undefined: it is not wanted any more. */
  async #start(launch: Launch, particulars: LaunchParticulars, onExit: (exit: Exit) => void): Promise<AgentProcess | undefined> {
    const { keeper, launchesFolder, tell, serverUrl, spoken, ...rest } = this.#parts
    const { launchId } = launch.order
    const { acp } = particulars
    try {
      if (acp) launch.spoken = await spoken.add(particulars, acp, () => launch.process?.stop())
      // Stopped while what speaks to it was loaded: nothing is made for nobody.
      if (launch.stopping) {
        launch.spoken?.letGo()
        return undefined
      }
      const folder = launch.spoken ? await launch.spoken.makePlace() : particulars.folder
      if (launch.stopping) return undefined
      return await AgentProcess.start({
        ...rest,
        particulars: { ...particulars, folder },
        mark: { launchId, keeper },
        serverUrl: serverUrl(),
        folderOfItsOwn: folderIn(launchesFolder, launchId),
        onOutput: (text) => tell({ type: 'process-output', launchId, text }),
        onExit,
      })
    } catch (error) {
      launch.spoken?.failed(wordsOf(error))
      throw error
    }
  }

  #tellExit(launch: Launch, exit: Exit): void {
    const { launchId } = launch.order
    this.#parts.tell({ type: 'process-exited', launchId, ...exit, found: null, stopped: launch.stopping })
    if (launch.process) this.#parts.logger.info({ launchId, ...exit }, 'an agent has ended')
  }

  #tellFailure({ order: { launchId } }: Launch, error: unknown): void {
    const { tell, logger } = this.#parts
    const words = wordsOf(error)
    tell({ type: 'start-failed', launchId, error: words.slice(0, maxErrorLength) })
    logger.warn({ launchId, error: words }, 'an agent could not be started')
  }

  /** The server thinks it runs here, and it does not: it ended with the coordinator before this one, or was ended as its leftover. */
  async #reportMissing(launchId: string): Promise<void> {
    this.remember(launchId)
    const { leftovers, tell, logger } = this.#parts
    const found = (await leftovers).has(launchId) ? 'leftover' : 'gone'
    tell({ type: 'process-exited', launchId, exitCode: null, signal: null, found, stopped: found === 'leftover' })
    logger.warn({ launchId, found }, 'an agent of before does not run any more')
  }
}

function folderIn(folder: string, launchId: string): string {
  if (!/^[\w-]{1,200}$/.test(launchId)) throw new CannotStart('The id of the launch cannot be the name of a folder.')
  return join(folder, launchId)
}

const wordsOf = (error: unknown): string =>
  error instanceof CannotStart ? error.message : statusText('notStartedBecause', { why: String(error) })
