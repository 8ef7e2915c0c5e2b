/**
 * SC3, RE5, CO6: three nodes and two coordinators on one PostgreSQL under load, while nodes and
 * coordinators are killed, stopped past a takeover, and drained. Writers write through the balancer
 * and send again what was not answered; people talk with agents of both kinds; a console follows a
 * role; readers follow home. Then the one oracle looks at the store, and each of them says what was
 * wrong.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { leaseMs } from '../../../src/jobs/job-lease.ts'
import { agentsOf } from '../../support/coordinator-process.ts'
import { examine } from '../examine.ts'
import { Ledger } from '../ledger.ts'
import { runLoad, type Send } from '../load.ts'
import { addTo, type Findings, isClean, newTally, noFindings, type Tally } from '../oracle.ts'
import { type Chance, chance } from '../random.ts'
import { sendOverHttp } from '../send-over-http.ts'
import { causesOf, codeOf, saysWhen } from './client-errors.ts'
import { Cluster } from './cluster.ts'
import { Console } from './console.ts'
import { Talk } from './talk.ts'
import { committed, Watchers } from './watchers.ts'

/**
 * `upgrade`: a node is drained and started as another version, one after the other, then the
 * coordinators. `database`: PostgreSQL is stopped and started. `nothing`: only how long an event
 * takes to everybody.
 */
const faultKinds = ['kill', 'pause', 'drain', 'upgrade', 'database', 'nothing'] as const
export type Fault = (typeof faultKinds)[number]

export interface ClusterFaultOptions {
  readonly build: string
  readonly url: string
  readonly seed: string
  readonly faults: Readonly<Partial<Record<Fault, number>>>
  /** The version that `upgrade` starts. */
  readonly upgradeTo?: string
  /** `nth` counts from 0. */
  readonly restartDatabase?: (dice: Chance, nth: number) => Promise<void>
  /** Three and two when left out. */
  readonly nodes?: number
  readonly coordinators?: number
  /** How many of them strike a coordinator; drains never do. */
  readonly onCoordinators?: number
  readonly stopEarly?: boolean
  /**
   * Where the machine may be too busy for a balancer to notice a drain in time: requests that fail
   * then are no finding. Half as many follow, and half as much is written.
   */
  readonly busyMachine?: boolean
  readonly onFault?: (fault: string, ms: number) => void
  /** Each finding as it is made; the tally keeps the first. */
  readonly onFinding?: (text: string) => void
}

export interface ClusterFaultResult {
  readonly tally: Tally
  readonly acknowledged: number
  readonly answered: number
  /** Until every reader was live, of the faults that did not strike a coordinator. */
  readonly times: Readonly<Record<Fault, number[]>>
  readonly sentAgain: number
  /**
   * While PostgreSQL was away: how many were told so, and how long the longest waited for whatever
   * it was told.
   */
  readonly refused: number
  readonly longestWaitMs: number
  readonly takeovers: number
}

const writers = 4
const writeEveryMs = 150
const readers = 6
/** Every process of the machine is looked at. */
const lookEveryMs = 250
const giveUpMs = 12_000
const clearedWithinMs = 30_000
const beginsWithinMs = 120_000
/** For a database that is away: the store's patience, and time for a machine that is busy. */
const refusedWithinMs = 9_000
/** Nobody can know whether it was done, or it may be done in a moment. */
const passing = new Set(['unreachable', 'store_unavailable', 'shutting_down', 'busy'])

export async function clusterFaults(options: ClusterFaultOptions): Promise<ClusterFaultResult> {
  const { build, url, seed, faults, nodes = 3, coordinators = 2, onCoordinators = 0 } = options
  const cluster = await Cluster.start({
    build,
    url,
    nodes,
    coordinators,
    env: { HOLDFAST_LOG_LEVEL: 'warn' },
  })
  const run = new Run(cluster, options)
  try {
    await run.begin()
    const dice = chance(seed)
    const order = dice.shuffled(
      faultKinds.flatMap((kind) => Array.from({ length: faults[kind] ?? 0 }, () => kind)),
    )
    let left = onCoordinators
    for (const [at, fault] of order.entries()) {
      const strikable = order.slice(at).filter((each) => each === 'kill' || each === 'pause').length
      const strikesCoordinator =
        (fault === 'kill' || fault === 'pause') && dice.one(left / strikable)
      if (strikesCoordinator) left--
      const startedAt = performance.now()
      if (strikesCoordinator) await run.strikeCoordinator(fault, dice)
      else if (fault === 'database') await run.strikeDatabase(dice, options.restartDatabase)
      else if (fault === 'upgrade') await run.upgrade(dice)
      else await run.strikeNode(fault, dice)
      const what = strikesCoordinator ? `${fault} of a coordinator` : fault
      options.onFault?.(`${at + 1} of ${order.length}: ${what}`, performance.now() - startedAt)
      if (options.stopEarly && !isClean(run.tally)) break
    }
    return await run.end(url)
  } finally {
    await cluster.end()
  }
}

class Run {
  readonly #cluster: Cluster
  readonly #options: ClusterFaultOptions
  readonly #ledger = new Ledger(() => 'owner')
  readonly #talks: Talk[]
  readonly #console: Console
  readonly #watchers: Watchers
  readonly tally = newTally()
  readonly #times: Record<Fault, number[]> = {
    kill: [],
    pause: [],
    drain: [],
    upgrade: [],
    database: [],
    nothing: [],
  }
  readonly #inFlight = new Set<Promise<unknown>>()
  #draining = false
  /** PostgreSQL is, or what it left behind is not yet over. */
  #away = false
  #sentAgain = 0
  #refused = 0
  #longestWaitMs = 0
  #takeovers = 0
  /** Nodes first, then coordinators. */
  #upgraded = 0
  #over = false
  #load: Promise<void> = Promise.resolve()

  constructor(cluster: Cluster, options: ClusterFaultOptions) {
    this.#cluster = cluster
    this.#options = options
    const watched = <T>(ask: () => Promise<T>): Promise<T> => this.#watched('a message', ask)
    this.#talks = [new Talk(cluster, 'puller', watched), new Talk(cluster, 'spoken-to', watched)]
    this.#console = new Console(cluster)
    this.#watchers = new Watchers(cluster)
  }

  async begin(): Promise<void> {
    await this.#watchers.begin(this.#options.busyMachine ? readers / 2 : readers)
    this.#load = this.#write('load', Number.POSITIVE_INFINITY)
    await Promise.all([
      this.#talks[0]?.begin('mcp'),
      this.#talks[1]?.begin('acp'),
      this.#console.begin(),
    ])
    const until = performance.now() + beginsWithinMs
    while (this.#talks.some(({ answered }) => answered === 0) || this.#console.answered === 0) {
      const counts = [...this.#talks, this.#console].map(({ answered }) => answered).join(', ')
      if (performance.now() > until)
        throw new Error(`Not everybody was answered within ${beginsWithinMs / 1000} s: ${counts}`)
      await pause(lookEveryMs)
      // Two that get in each other's way may never answer.
      await this.#neverTwice()
      if (!isClean(this.tally)) throw new Error('Something is wrong although nothing was struck')
    }
  }

  /**
   * The next one that still is as it was. Neither may a request fail while a newer node brings the
   * database into its form.
   */
  async upgrade(dice: Chance): Promise<void> {
    const cluster = this.#cluster
    const nth = this.#upgraded++
    if (nth < cluster.size) return this.strikeNode('upgrade', dice, nth)
    cluster.signalCoordinator(nth - cluster.size, 'SIGTERM')
    await cluster.restartCoordinator(nth - cluster.size, this.#options.upgradeTo)
    await this.#neverTwice()
  }

  async strikeNode(
    fault: Fault,
    dice: Chance,
    node = dice.below(this.#cluster.size),
  ): Promise<void> {
    const cluster = this.#cluster
    const isDrain = fault === 'drain' || fault === 'upgrade'
    const other = cluster.clientOf((node + 1) % cluster.size)
    await pause(dice.below(500))
    if (isDrain) await this.#settled()
    const since = performance.now()
    if (fault === 'kill') cluster.signal(node, 'SIGKILL')
    else if (fault === 'pause') cluster.signal(node, 'SIGSTOP')
    else if (isDrain) {
      this.#draining = true
      cluster.signal(node, 'SIGTERM')
    }
    const live = await this.#watchers.allLive(other, since)
    this.#times[fault].push(live)
    if (fault === 'nothing') return
    if (fault === 'pause') {
      // Past the takeover of what it did for all.
      await pause(Math.max(0, leaseMs * 1.5 - (performance.now() - since)))
      cluster.signal(node, 'SIGCONT')
    } else {
      const code = await cluster.ended(node)
      if (isDrain && code !== 0) this.#torn(`a drained node ended with ${code}`)
      await cluster.restart(node, fault === 'upgrade' ? this.#options.upgradeTo : undefined)
      this.#draining = false
    }
    await this.#neverTwice()
  }

  /** From the moment it is back. */
  async strikeDatabase(
    dice: Chance,
    restart: ClusterFaultOptions['restartDatabase'],
  ): Promise<void> {
    this.#away = true
    await restart?.(dice, this.#times.database.length)
    this.#times.database.push(
      await this.#watchers.allLive(this.#cluster.clientOf(0), performance.now()),
    )
    await this.#settled()
    this.#away = false
  }

  /**
   * Killed, it is followed by a new one; paused, it is taken over, wakes up, is refused, and clears
   * up.
   */
  async strikeCoordinator(fault: Fault, dice: Chance): Promise<void> {
    const cluster = this.#cluster
    const n = dice.below(cluster.coordinators.length)
    const struck = cluster.coordinators[n]
    if (!struck) return
    await pause(dice.below(500))
    cluster.signalCoordinator(n, fault === 'kill' ? 'SIGKILL' : 'SIGSTOP')
    if (fault === 'pause') {
      const before = await agentsOf(struck.data)
      await cluster.client.post('/api/coordinators/{coordinatorId}/takeover', {
        params: { coordinatorId: struck.id },
      })
      this.#takeovers++
      await pause(1000 + dice.below(3000))
      await this.#neverTwice()
      cluster.signalCoordinator(n, 'SIGCONT')
      const until = performance.now() + clearedWithinMs
      while ((await agentsOf(struck.data)).some((pid) => before.includes(pid))) {
        if (performance.now() > until) {
          this.#torn('a coordinator that was taken over has not ended what it had started')
          break
        }
        await pause(50)
      }
      // The coordinator waits longer each time it is replaced; a new process does not.
      cluster.signalCoordinator(n, 'SIGKILL')
    }
    await cluster.restartCoordinator(n)
    await this.#neverTwice()
  }

  async end(url: string): Promise<ClusterFaultResult> {
    this.#over = true
    await this.#load
    await this.#write('last', 1)
    for (const talk of this.#talks) {
      await talk.end()
      this.#found(talk.findings, 'a chat')
    }
    await this.#console.end()
    this.#found(this.#console.findings, 'the console')
    for (const { findings } of await this.#watchers.end()) this.#found(findings, 'a reader')
    this.#found(await examine({ url }, this.#ledger, false, false), 'the store')
    const answered =
      this.#talks.reduce((sum, talk) => sum + talk.answered, 0) + this.#console.answered
    return {
      tally: this.tally,
      acknowledged: this.#ledger.acknowledged.size,
      answered,
      times: this.#times,
      sentAgain: this.#sentAgain,
      refused: this.#refused,
      longestWaitMs: this.#longestWaitMs,
      takeovers: this.#takeovers,
    }
  }

  async #write(run: string, each: number): Promise<void> {
    const { client } = this.#cluster
    const send = sendOverHttp(() => client, giveUpMs)
    await runLoad({
      run,
      chance: chance(`${this.#options.seed}/${run}`),
      writers,
      each,
      again: this.#ledger.unresolved(),
      overHttp: true,
      send: this.#slowly(send),
      goOn: () => run !== 'load' || !this.#over,
      report: (report) => {
        this.#ledger.take(report)
        if (report.type === 'failed') this.#torn(report.text)
      },
    })
  }

  /**
   * What has a key is sent until it is answered, before anything else is done with what it is
   * about.
   */
  #slowly(send: Send): Send {
    return async (attempt) => {
      for (;;) {
        await pause(this.#options.busyMachine ? writeEveryMs * 2 : writeEveryMs)
        try {
          return await this.#watched(attempt.id, () => send(attempt))
        } catch (error) {
          if (!passing.has(codeOf(error)) || !attempt.keyed) throw error
          this.#sentAgain++
        }
      }
    }
  }

  /**
   * SC3: none fails while a node is drained; while PostgreSQL is away it is told so, soon and in
   * words of the catalogue.
   */
  async #watched<T>(what: string, ask: () => Promise<T>): Promise<T> {
    const [draining, away, startedAt] = [this.#draining, this.#away, performance.now()]
    const asked = ask()
    this.#inFlight.add(asked)
    try {
      return await asked
    } catch (error) {
      const code = codeOf(error)
      const reported = `${what} failed with ${code}: ${causesOf(error)}`
      if (passing.has(code) && (draining || this.#draining) && !this.#options.busyMachine)
        this.#torn(`while a node was drained ${reported}`)
      if (away && this.#away) {
        this.#refused++
        if (!saysWhen(error)) this.#torn(`while PostgreSQL was away ${reported}`)
      }
      throw error
    } finally {
      this.#inFlight.delete(asked)
      const waitedMs = performance.now() - startedAt
      if (away) this.#longestWaitMs = Math.max(this.#longestWaitMs, waitedMs)
      if (away && waitedMs > refusedWithinMs)
        this.#torn(`${what} had no answer for ${Math.round(waitedMs)} ms while PostgreSQL was away`)
    }
  }

  /** Nothing is under way that an earlier fault may have struck, and every node answers. */
  async #settled(): Promise<void> {
    await Promise.allSettled([...this.#inFlight])
    for (let node = 0; node < this.#cluster.size; node++)
      await committed(this.#cluster.clientOf(node))
  }

  async #neverTwice(): Promise<void> {
    const twice = await this.#cluster.launchesRunningTwice()
    if (twice.length > 0) this.#torn(`two processes of one launch: ${twice.join(', ')}`)
  }

  #torn(text: string): void {
    this.#found({ ...noFindings(), torn: [text] }, 'a fault')
  }

  #found(findings: Findings, where: string): void {
    addTo(this.tally, findings, `seed ${this.#options.seed}, ${where}`)
    for (const [kind, texts] of Object.entries(findings))
      for (const text of texts) this.#options.onFinding?.(`${kind}: ${text}`)
  }
}
