/**
 * A server as a process of its own, ours as `npm start` starts it or a bare one. Ended by its own
 * handle, also when the bench itself is stopped.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { findPackageRoot } from '../../src/platform/files/package-root.ts'

const startsWithinMs = 30_000
const stopsWithinMs = 15_000
const pollMs = 1

export interface ServerProcess {
  readonly port: number
  readonly pid: number
  /** From the start of the process to the first 200. */
  readonly startedInMs: number
  /** Processor time used so far, by all its threads. */
  readonly cpuMs: () => Promise<number>
  /** In use by its main thread once the garbage is gone, on the heap and beside it. */
  readonly memoryBytes: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** What `npm start` runs, on a data folder of its own. */
export function holdfastCommand(data: string): (port: number) => string[] {
  const entry = join(findPackageRoot().folder, 'dist', 'server', 'main.js')
  if (!existsSync(entry)) throw new Error('dist/server is missing; `npm run bench` builds it')
  return (port) => [entry, 'up', '--port', String(port), '--data', data, '--log-level', 'error']
}

export const ownerTokenIn = (data: string): string =>
  readFileSync(join(data, 'secrets', 'owner-token'), 'utf8').trim()

export interface StartOptions {
  /** What must answer 200. */
  readonly path: string
  /** Can be asked for its processor time and memory, for a little of its own. */
  readonly watched?: boolean
}

export async function startProcess(
  command: (port: number) => string[],
  options: StartOptions,
): Promise<ServerProcess> {
  const port = await freePort()
  const from = performance.now()
  const watch = options.watched ? ['--require', join(import.meta.dirname, 'report-usage.cjs')] : []
  const child = spawn(process.execPath, [...watch, ...command(port)], {
    stdio: ['ignore', 'ignore', 'pipe', options.watched ? 'ipc' : 'ignore'],
  })
  const complaint = collect(child)
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  while (!(await answers200(port, options.path))) {
    if (child.exitCode !== null)
      throw new Error(`The server ended with ${child.exitCode}: ${complaint()}`)
    if (performance.now() - from > startsWithinMs)
      throw new Error(`There was no 200 from ${options.path}: ${complaint()}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  const startedInMs = performance.now() - from
  return {
    port,
    pid: child.pid ?? 0,
    startedInMs,
    cpuMs: () => ask(child, 'cpu'),
    memoryBytes: () => ask(child, 'memory'),
    stop: async () => {
      // In order, so that what a start keeps for the next one (compiled code) is kept.
      child.kill('SIGTERM')
      const impatient = setTimeout(kill, stopsWithinMs)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      clearTimeout(impatient)
      process.off('exit', kill)
    },
  }
}

async function ask(child: ChildProcess, question: 'cpu' | 'memory'): Promise<number> {
  child.send(question)
  const [answer] = await once(child, 'message')
  return answer as number
}

function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-10_000)
  })
  return () => text
}

function answers200(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

/** One that nobody has right now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port')
  return address.port
}
