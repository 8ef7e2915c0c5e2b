/**
 * Keeps a coordinator beside the server (CO1): adopts the one that lives, replaces one that speaks another language, starts one when
 * there is none, and again when it dies. It is a process of its own in a group of its own, so that it and its agents outlive a
 * server that is killed. Stopped on purpose, nothing of it stays.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from '../platform/clock.ts'
import { findCoordinator } from '../platform/coordinator-file.ts'
import { coordinatorLog } from '../platform/data-folder.ts'
import { keeperOf, keeperVariable, launchVariable } from '../platform/launch-mark.ts'
import type { Logger } from '../platform/logger.ts'
import { type ProcessIdentity, type ProcessSource, signalExactly } from '../platform/processes.ts'
import { thisProgram } from '../platform/this-program.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { linkVersion } from '../protocol/processes/link.ts'
import { endLeftovers } from './leftovers.ts'
import { ProcessTable } from './process-table.ts'

/** How often it is looked whether one that we did not start ourselves still lives. */
const lookEveryMs = 500
const lookOftenMs = 25
/** OP2 gives ten seconds to all of it: so long to end in order, so long when hurried. */
const endsWithinMs = 8000
const hurriesWithinMs = 800
const drainsWithinMs = 12_000
/** One that dies again and again is started less and less often. */
const firstPauseMs = 200
const maxPauseMs = 30_000
const livesAtLeastMs = 60_000
const mostLastWords = 4096

export interface SupervisorOptions {
  readonly config: ConfigValues
  readonly source: ProcessSource
  readonly clock: Clock
  readonly logger: Logger
  /** What the person's own files are made with; the server's are closed to others. */
  readonly umask: number
  /** Before the first start: its credential is there, and stays until what this gives is called. */
  readonly prepare: () => Promise<() => void>
}

export class CoordinatorSupervisor {
  readonly #options: SupervisorOptions
  #current: ProcessIdentity | undefined
  #isStopped = false
  #attempt = 0
  #wake = (): void => {}
  #release = (): void => {}
  #running: Promise<void> | undefined

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      this.#options.logger.error({ error: String(error) }, 'no coordinator can be kept; agents are not started')
    })
  }

  /** Asks it to end, with its agents; it tells the server of each, which must still be there. */
  async stop(): Promise<void> {
    const { source, logger, config } = this.#options
    this.#isStopped = true
    this.#wake()
    await this.#running
    this.#release()
    const current = this.#current ?? (await findCoordinator(config.data, source))
    if (current) {
      signalExactly(source, current, 'SIGTERM')
      if (!(await this.#isGone(current, endsWithinMs))) {
        logger.warn('the coordinator takes too long to end its agents; they are killed')
        signalExactly(source, current, 'SIGINT')
        if (!(await this.#isGone(current, hurriesWithinMs))) signalExactly(source, current, 'SIGKILL')
      }
    }
    // Of one that did not end in order.
    await endOrphans(new ProcessTable(source), await keeperOf(config.data), logger, { graceMs: 0 })
  }

  /** Now: it kills its agents and ends. */
  kill(): void {
    this.#isStopped = true
    const { source } = this.#options
    // Two different signals are a first and a second one, however close.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) if (this.#current) signalExactly(source, this.#current, signal)
  }

  async #run(): Promise<void> {
    const { prepare, source, config, clock, logger } = this.#options
    this.#release = await prepare()
    while (!this.#isStopped) {
      const found = await findCoordinator(config.data, source)
      if (this.#isStopped) return
      const since = clock.now()
      if (found && found.linkVersion !== linkVersion) {
        await this.#drain(found)
        continue
      }
      if (found) {
        logger.info({ coordinator: found.pid }, 'a coordinator runs already')
        this.#current = found
        await this.#end(found)
      } else await this.#startOne()
      if (this.#isStopped) return
      this.#current = undefined
      this.#attempt = clock.now() - since > livesAtLeastMs ? 0 : this.#attempt + 1
      await this.#pause(Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(this.#attempt - 1, 30)))
    }
  }

  /** Resolves when it has ended, or nobody waits any more. */
  async #startOne(): Promise<void> {
    const { logger, source } = this.#options
    const child = this.#spawn()
    const lastWords = wordsOf(child)
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    const birth = child.pid === undefined ? undefined : source.birthOf(child.pid)
    if (child.pid !== undefined && birth !== undefined) this.#current = { pid: child.pid, birth }
    logger.info({ coordinator: child.pid, log: this.#logFile }, 'a coordinator was started')
    const stopped = new Promise<undefined>((resolve) => {
      this.#wake = () => resolve(undefined)
    })
    const why = await Promise.race([ended, stopped])
    if (why !== undefined) logger.warn({ why, said: lastWords() || undefined }, 'the coordinator has ended; starting another')
  }

  #spawn(): ChildProcess {
    const { config, umask } = this.#options
    const { data } = config
    const [file, entry] = thisProgram()
    const flags = { data, 'log-level': config['log.level'], 'log-file': this.#logFile }
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
    // What its agents write is the person's, as if started by hand. A file of ours made in this moment lies in a closed folder.
    const ours = process.umask(umask)
    try {
      const child = spawn(file, [entry, 'coordinator', ...args], {
        env: environmentFor(process.env),
        cwd: data,
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child.unref()
      return child
    } finally {
      process.umask(ours)
    }
  }

  get #logFile(): string {
    return coordinatorLog(this.#options.config.data)
  }

  /** One of another version ends what it has, so that ours can begin. */
  async #drain(found: ProcessIdentity): Promise<void> {
    const { source, logger } = this.#options
    logger.info({ coordinator: found.pid }, 'a coordinator of another version is replaced')
    signalExactly(source, found, 'SIGTERM')
    const isGone = await this.#isGone(found, drainsWithinMs, () => this.#isStopped)
    if (!isGone && !this.#isStopped) signalExactly(source, found, 'SIGKILL')
  }

  async #end(of: ProcessIdentity): Promise<void> {
    while (!this.#isStopped && this.#options.source.birthOf(of.pid) === of.birth) await this.#pause(lookEveryMs)
    if (!this.#isStopped) this.#options.logger.warn({ coordinator: of.pid }, 'the coordinator has ended; starting another')
  }

  async #isGone(of: ProcessIdentity, withinMs: number, breaksOff = () => false): Promise<boolean> {
    const { source } = this.#options
    for (let waited = 0; waited < withinMs && !breaksOff(); waited += lookOftenMs) {
      if (source.birthOf(of.pid) !== of.birth) return true
      await new Promise((resolve) => setTimeout(resolve, lookOftenMs))
    }
    return false
  }

  #pause(ms: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

/** Without what is the server's own: its credentials, its database, its settings. The mark stays: whoever started us may look for it. */
function environmentFor(ours: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = (name: string): boolean =>
    name === launchVariable || name === keeperVariable || !(name.startsWith('HOLDFAST_') || name === 'DATABASE_URL')
  return Object.fromEntries(Object.entries(ours).filter(([name]) => kept(name)))
}

/** What it complained about last, should it not even come to its log. */
function wordsOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    text = (text + bytes).slice(-mostLastWords)
  })
  child.stderr?.on('error', () => {})
  return () => text.trim()
}
