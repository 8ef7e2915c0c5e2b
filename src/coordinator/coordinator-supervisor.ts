/**
 * Keeps a coordinator running beside the server (CO1): adopts a running one, replaces one of
 * another link version, and starts one when there is none or it has died. The coordinator is a
 * process in its own group, so it and its agents outlive a killed server. A planned stop ends it.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { findCoordinator } from '../platform/files/coordinator-file.ts'
import { coordinatorLog } from '../platform/files/data-folder.ts'
import type { Logger } from '../platform/log/logger.ts'
import { folderIdOf, folderVariable, launchVariable } from '../platform/processes/launch-mark.ts'
import {
  type ProcessIdentity,
  type ProcessSource,
  signalExactly,
} from '../platform/processes/processes.ts'
import { thisProgram } from '../platform/processes/this-program.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { linkVersion } from '../protocol/processes/link.ts'
import { endOrphans, ProcessTable } from './process-tree.ts'

const checkEveryMs = 500
const pollMs = 25
/** OP2 allows ten seconds in all: time limits for a planned end and for a kill. */
const endsWithinMs = 8000
const killsWithinMs = 800
const drainsWithinMs = 12_000
/** Backoff for a coordinator that dies again and again. */
const firstPauseMs = 200
const maxPauseMs = 30_000
const livesAtLeastMs = 60_000
const maxFinalOutput = 4096

export interface CoordinatorSupervisorOptions {
  readonly config: ConfigValues
  readonly source: ProcessSource
  readonly clock: Clock
  readonly logger: Logger
  /** Umask for files of agents; the server's own files are private. */
  readonly umask: number
  /**
   * Called before the first start to create the credential. Returns a function that releases it.
   */
  readonly prepare: () => Promise<() => void>
}

export class CoordinatorSupervisor {
  readonly #options: CoordinatorSupervisorOptions
  #current: ProcessIdentity | undefined
  #isStopped = false
  #attempt = 0
  #wake = (): void => {}
  #release = (): void => {}
  #running: Promise<void> | undefined

  constructor(options: CoordinatorSupervisorOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      this.#options.logger.error(
        { error: String(error) },
        'coordinator could not be started; agents are not started',
      )
    })
  }

  /**
   * Ends the coordinator and its agents. The server must still run, because the exits are reported
   * to it.
   */
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
        logger.warn('coordinator did not stop in time; killing its agents')
        signalExactly(source, current, 'SIGINT')
        if (!(await this.#isGone(current, killsWithinMs))) signalExactly(source, current, 'SIGKILL')
      }
    }
    // Ends agents of a coordinator that was killed.
    await endOrphans(new ProcessTable(source), await folderIdOf(config.data), logger, {
      graceMs: 0,
    })
  }

  kill(): void {
    this.#isStopped = true
    const { source } = this.#options
    // Two different signals, because equal ones may arrive as one.
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      if (this.#current) signalExactly(source, this.#current, signal)
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
        logger.info({ coordinator: found.pid }, 'coordinator already running')
        this.#current = found
        await this.#waitForEnd(found)
      } else await this.#startAndWait()
      if (this.#isStopped) return
      this.#current = undefined
      this.#attempt = clock.now() - since > livesAtLeastMs ? 0 : this.#attempt + 1
      await this.#pause(Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(this.#attempt - 1, 30)))
    }
  }

  async #startAndWait(): Promise<void> {
    const { logger, source } = this.#options
    const child = this.#spawn()
    const finalOutput = finalOutputOf(child)
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    const birth = child.pid === undefined ? undefined : source.birthOf(child.pid)
    if (child.pid !== undefined && birth !== undefined) this.#current = { pid: child.pid, birth }
    logger.info({ coordinator: child.pid, log: this.#logFile }, 'coordinator started')
    const stopped = new Promise<undefined>((resolve) => {
      this.#wake = () => resolve(undefined)
    })
    const why = await Promise.race([ended, stopped])
    if (why !== undefined)
      logger.warn({ why, said: finalOutput() || undefined }, 'coordinator ended; restarting')
  }

  #spawn(): ChildProcess {
    const { config, umask } = this.#options
    const { data } = config
    const [file, entry] = thisProgram()
    const flags = { data, 'log-level': config['log.level'], 'log-file': this.#logFile }
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
    // Files that agents create belong to the person, as if started by hand. Files of ours created
    // meanwhile lie in a private folder.
    const ours = process.umask(umask)
    const options: SpawnOptions = { cwd: data, detached: true, stdio: ['ignore', 'ignore', 'pipe'] }
    try {
      const child = spawn(file, [entry, 'coordinator', ...args], {
        ...options,
        env: environmentFor(process.env),
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

  /** Ends a coordinator of another version, so that ours can start. */
  async #drain(found: ProcessIdentity): Promise<void> {
    const { source, logger } = this.#options
    logger.info({ coordinator: found.pid }, 'replacing a coordinator of another version')
    signalExactly(source, found, 'SIGTERM')
    const isGone = await this.#isGone(found, drainsWithinMs, () => this.#isStopped)
    if (!isGone && !this.#isStopped) signalExactly(source, found, 'SIGKILL')
  }

  async #waitForEnd(of: ProcessIdentity): Promise<void> {
    while (!this.#isStopped && this.#options.source.birthOf(of.pid) === of.birth)
      await this.#pause(checkEveryMs)
    if (!this.#isStopped)
      this.#options.logger.warn({ coordinator: of.pid }, 'coordinator ended; restarting')
  }

  async #isGone(
    of: ProcessIdentity,
    withinMs: number,
    isCancelled = () => false,
  ): Promise<boolean> {
    const { source } = this.#options
    for (let waited = 0; waited < withinMs && !isCancelled(); waited += pollMs) {
      if (source.birthOf(of.pid) !== of.birth) return true
      await new Promise((resolve) => setTimeout(resolve, pollMs))
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

/**
 * Removes the server's credentials, database and settings. Keeps the launch mark, which its own
 * starter may look for.
 */
function environmentFor(ours: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isPassedOn = (name: string): boolean =>
    name === launchVariable ||
    name === folderVariable ||
    !(name.startsWith('HOLDFAST_') || name === 'DATABASE_URL')
  return Object.fromEntries(Object.entries(ours).filter(([name]) => isPassedOn(name)))
}

/** Collects the last error output, in case the coordinator fails before it opens its log. */
function finalOutputOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    text = (text + bytes).slice(-maxFinalOutput)
  })
  child.stderr?.on('error', () => {})
  return () => text.trim()
}
