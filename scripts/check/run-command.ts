/**
 * Runs one command to its end and keeps what it said. A command that hangs is ended: every wait has
 * a maximum.
 */
import { spawn } from 'node:child_process'

/**
 * Only for what hangs: on a machine with other things to do everything takes many times as long.
 */
const MAX_SECONDS = 900
const MAX_OUTPUT = 1024 * 1024

/**
 * The compiler is written in Go and ends soon: it collects only when it has taken this much, which
 * saves a sixth of its work.
 */
const collectLate = { GOGC: 'off', GOMEMLIMIT: '1GiB' }

export interface CommandResult {
  readonly code: number | string
  readonly output: string
  readonly seconds: number
}

export function runCommand(cwd: string, argv: readonly string[]): Promise<CommandResult> {
  const [file = '', ...args] = argv
  const since = performance.now()
  return new Promise((resolve) => {
    let output = ''
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT)
    }
    const finish = (code: number | string): void => {
      clearTimeout(deadline)
      resolve({ code, output, seconds: (performance.now() - since) / 1000 })
    }
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...collectLate },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const deadline = setTimeout(() => {
      output += `\nEnded after ${MAX_SECONDS} s without an answer.`
      child.kill('SIGKILL')
    }, MAX_SECONDS * 1000)
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => {
      output += String(error)
      finish('ERROR')
    })
    child.on('close', (code, signal) => finish(code ?? signal ?? 'ERROR'))
  })
}
