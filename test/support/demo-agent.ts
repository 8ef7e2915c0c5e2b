/** The demo agent as a process of its own, started as a person would start it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { main } from './built-product.ts'
import type { RunningHoldfast } from './running-server.ts'

export interface RunningDemo {
  readonly child: ChildProcess
  readonly log: () => string
  /** Resolves when this has been logged. */
  logged(text: string): Promise<void>
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface DemoOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export function startDemo(
  { data }: Pick<RunningHoldfast, 'data'>,
  { args = [], env = {}, cwd }: DemoOptions = {},
): RunningDemo {
  const child = spawn(process.execPath, [main, 'demo-mcp', '--data', data, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Floods must go somewhere.
  child.stdout.resume()
  let log = ''
  child.stderr.on('data', (bytes: Buffer) => {
    log += bytes.toString()
  })
  const exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  return {
    child,
    log: () => log,
    exit,
    async logged(text) {
      const ended = exit.then(() => 'ended')
      while (!log.includes(text)) {
        if (
          (await Promise.race([once(child.stderr, 'data'), ended])) === 'ended' &&
          !log.includes(text)
        ) {
          throw new Error(`The demo agent ended without ${JSON.stringify(text)}\n${log}`)
        }
      }
    },
  }
}
