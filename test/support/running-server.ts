/**
 * The real server as a process of its own, started as a person would: waits for its two lines on
 * stdout, stops it by its pid. Never leaves one behind: whatever still runs when the test process
 * ends is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { instant } from '../../src/domain/instant.ts'
import { databaseFile } from '../../src/platform/files/data-folder.ts'
import { readOwnerToken } from '../../src/platform/secrets/owner-token.ts'
import { atTheEnd } from './at-the-end.ts'
import { main } from './built-product.ts'
import { makeEmptyStore } from './empty-store.ts'
import { storeOf } from './store-of-journeys.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** No server of the tests lives long enough to earn back what it costs to make its code fast. */
export const forShortLives = ['--no-opt', '--no-maglev']

export interface HoldfastOptions {
  /**
   * A temporary folder when left out. Start another one with the same folder to go on where the
   * first stopped. An empty one is given a store with nothing in it: the first start that makes its
   * tables is tried in test/faults, first-start.test.ts before all.
   */
  readonly data?: string
  /** On SQLite whatever the journeys run on: for what is about the database in the folder. */
  readonly onFile?: true
  /**
   * With a coordinator beside it, as `npm start` does; the server alone when left out, which most
   * tests need no more than.
   */
  readonly up?: true
  /** Node and the program; this clone's, on this Node, when left out. */
  readonly program?: readonly [node: string, main: string]
  /** For Node itself; what suits a short life when left out. */
  readonly nodeArgs?: readonly string[]
  /** Behind `server --port 0 --data DIR`; a `--port` here wins. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface RunningHoldfast {
  readonly url: string
  /** Works once. */
  readonly signInLink: string
  /** The owner's. */
  readonly token: string
  readonly pid: number
  readonly data: string
  /** Everything it has written on stderr. */
  readonly log: () => string
  /** Asks it to stop and waits until it has; resolves with its exit code. */
  stop(): Promise<number | null>
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
}

const readyWithinMs = 120_000
const stoppedWithinMs = 15_000
const mostLogBytes = 1024 * 1024

export async function startHoldfast(options: HoldfastOptions = {}): Promise<RunningHoldfast> {
  const data = options.data ?? temporaryFolder()
  const [node, program] = options.program ?? [process.execPath, main]
  const { nodeArgs = forShortLives, args: more = [] } = options
  const args = [
    ...nodeArgs,
    program,
    options.up ? 'up' : 'server',
    '--port',
    '0',
    '--data',
    data,
    ...more,
  ]
  const env = { ...process.env, ...(options.onFile ? {} : await storeOf(data)), ...options.env }
  // Another build may know other tables. The benchmarks start servers outside of tests, too.
  const hasEmptyStore = process.env['VITEST'] !== undefined && !options.program
  if (hasEmptyStore && !env['DATABASE_URL'] && readdirSync(data).length === 0)
    makeEmptyStore(databaseFile(data), instant(Date.now()))
  const child = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = atTheEnd(() => child.kill('SIGKILL'))
  if (options.up) atTheEnd(() => askCoordinatorToEnd(data))
  const exited = once(child, 'exit').then(ended)

  let log = ''
  child.stderr.on('data', (bytes: Buffer) => {
    log = (log + bytes.toString()).slice(-mostLogBytes)
  })
  const { url, signInLink } = await readyLines(child, () => log)
  const token = options.env?.['HOLDFAST_TOKEN'] ?? (await readOwnerToken(data)) ?? ''

  return {
    url,
    signInLink,
    token,
    pid: child.pid ?? 0,
    data,
    log: () => log,
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stoppedWithinMs)
      await exited
      clearTimeout(timer)
      if (child.signalCode === 'SIGKILL')
        throw new Error(`The server did not stop within ${stoppedWithinMs} ms\n${log}`)
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Ends the coordinator, which outlives a killed server and ends its agents when it ends. */
function askCoordinatorToEnd(data: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(join(data, 'run', 'coordinator.json'), 'utf8')) as {
      pid: number
    }
    process.kill(pid, 'SIGTERM')
    process.kill(pid, 'SIGINT')
  } catch {}
}

/**
 * Resolves with what the server printed when it was ready; fails when it ends or stays silent
 * instead.
 */
function readyLines(
  child: ChildProcess,
  log: () => string,
): Promise<{ url: string; signInLink: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const fail = (why: string) => {
      child.kill('SIGKILL')
      reject(new Error(`The server ${why}\n${text}${log()}`))
    }
    const timer = setTimeout(() => fail(`was not ready within ${readyWithinMs} ms`), readyWithinMs)
    child.once('error', (error) => fail(`could not be started: ${error.message}`))
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`ended with ${code} before it was ready`)
    })
    child.stdout?.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      const url = /^Holdfast is ready at (\S+)$/m.exec(text)?.[1]
      const signInLink = /^Sign in: (\S+)$/m.exec(text)?.[1]
      if (!url || !signInLink) return
      clearTimeout(timer)
      resolve({ url, signInLink })
    })
  })
}
