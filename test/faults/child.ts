/**
 * Processes that a fault test starts, listens to and kills. Each is told its task on stdin and
 * reports on descriptor 3.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pieceOf } from './build.ts'
import type { LoadReport } from './ledger.ts'

/** A process that has not ended by itself after this is stuck. */
const maxLifeMs = 120_000
const maxErrorText = 4000

export interface ChildOptions {
  readonly build: string
  readonly script: 'store-under-load' | 'files-under-load' | 'cut-over-and-die' | 'migrate-and-die'
  readonly task: unknown
  readonly env?: Readonly<Record<string, string>>
  readonly onReport?: (report: LoadReport, child: ChildProcess) => void
}

export interface ChildEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What it said was wrong, on stderr and in its reports. */
  readonly errors: string
}

export async function runChild({
  build,
  script,
  task,
  env = {},
  onReport,
}: ChildOptions): Promise<ChildEnd> {
  const program = await pieceOf(build, script)
  // Most of such a process's life is its start, so it finds its code compiled, by the first one of
  // its build.
  const compiled = join(dirname(program), 'compiled')
  const child = spawn(process.execPath, ['--no-warnings', program], {
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      TMPDIR: process.env['TMPDIR'],
      NODE_COMPILE_CACHE: compiled,
      ...env,
    },
  })
  // A process killed before it has read its task breaks the pipe, as it should.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(JSON.stringify(task))
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-maxErrorText)
  })
  const reportPipe = child.stdio[3] as Readable
  const reports = createInterface({ input: reportPipe })
  reports.on('line', (line) => {
    const report = parse(line)
    if (report?.type === 'failed') errors = `${errors}${report.text}\n`.slice(-maxErrorText)
    if (report) onReport?.(report, child)
  })
  let stuck = false
  const overdue = setTimeout(() => {
    stuck = true
    child.kill('SIGKILL')
  }, maxLifeMs)
  const exit = new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, errors }))
  })
  // A pipe that breaks with the process has no end, but it is closed.
  const drained = new Promise<void>((resolve) => {
    reports.once('close', resolve)
    reportPipe.once('close', resolve)
    reportPipe.once('error', () => resolve())
  })
  const [end] = await Promise.all([exit, drained])
  clearTimeout(overdue)
  if (stuck) throw new Error(`${script} was stuck for ${maxLifeMs / 1000} s: ${errors}`)
  return end
}

/** The last line of a killed process may be half a line: that was not reported. */
function parse(line: string): LoadReport | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
