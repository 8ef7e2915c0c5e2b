/**
 * Real processes for tests: started with a script, known by what they print, gone when the test
 * process is.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { type LaunchMark, markVariables } from '../../src/platform/processes/launch-mark.ts'
import { type ProcessSource, processes } from '../../src/platform/processes/processes.ts'
import { atTheEnd } from './at-the-end.ts'

/** This machine's. */
export const machine = processes as ProcessSource

export interface Started {
  readonly child: ChildProcess
  readonly pid: number
  readonly birth: string
  /** The numbers it printed until it was ready: those of what it has started. */
  readonly printed: readonly number[]
  kill(): void
}

export interface StartOptions {
  readonly mark?: LaunchMark
  /** How many lines it prints until it is ready; one when left out. */
  readonly lines?: number
  /** Nothing of our environment. */
  readonly bare?: true
  readonly args?: readonly string[]
}

/**
 * Runs a shell script, in a group of its own, and waits for its lines; `kill` also ends those it
 * names by number.
 */
export async function runScript(
  script: string,
  { mark, bare, lines = 1, args = [] }: StartOptions = {},
): Promise<Started> {
  const env = {
    ...(bare ? { PATH: process.env['PATH'] } : process.env),
    ...(mark ? markVariables(mark) : {}),
  }
  const child = spawn('/bin/sh', ['-c', script, 'script', ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const pid = child.pid ?? 0
  const birth = machine.birthOf(pid, 'or-dead') ?? ''
  const printed: number[] = []
  const kill = (): void => {
    for (const each of [pid, ...printed]) quietly(() => process.kill(each, 'SIGKILL'))
  }
  const forget = atTheEnd(kill)
  let text = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`The script ended with ${code} before it was ready: ${text}`)),
    )
    child.stdout.on('data', (bytes: Buffer) => {
      text += bytes
      if (text.split('\n').length > lines) resolve()
    })
  })
  printed.push(
    ...text
      .split('\n')
      .filter((line) => /^\d+$/.test(line))
      .map(Number),
  )
  return {
    child,
    pid,
    birth,
    printed,
    kill() {
      kill()
      forget()
    },
  }
}

export const isRunning = (pid: number): boolean => machine.birthOf(pid) !== undefined

function quietly(act: () => void): void {
  try {
    act()
  } catch {}
}
