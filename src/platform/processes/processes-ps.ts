/**
 * Lists processes on macOS and other Unixes with `ps`. It prints a command and its environment in
 * one line, so it is run with and without the environment: a command line that looks like a mark is
 * not one.
 */
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { markIn } from './launch-mark.ts'
import type { LiveProcess, ProcessSource } from './processes.ts'

const run = promisify(execFile)
const maxBuffer = 64 * 1024 * 1024
const timeout = 10_000
/** A fixed language, so that start times always have the same form. */
const options = {
  maxBuffer,
  timeout,
  env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
  encoding: 'latin1',
} as const

const columns = ['-o', 'pid=,ppid=,pgid=,stat=,lstart=,command=']
/** `e` means the environment to Linux's ps, and all processes to that of BSD, which has `-E`. */
const everyone = process.platform === 'linux' ? ['axww'] : ['-A', '-ww']
const withEnvironment = process.platform === 'linux' ? ['axeww'] : ['-A', '-E', '-ww']

interface Row {
  readonly process: Omit<LiveProcess, 'mark'>
  readonly dead: boolean
  readonly command: string
}

function rowsOf(printed: string): Map<string, Row> {
  const rows = new Map<string, Row>()
  for (const line of printed.split('\n')) {
    const [, pid, parent, group, state = '', birth = '', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+) ?(.*)$/.exec(line) ?? []
    if (pid === undefined) continue
    const process = {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      birth: birth.replaceAll(/\s+/g, ' '),
    }
    rows.set(`${process.pid} ${process.birth}`, { process, command, dead: state.startsWith('Z') })
  }
  return rows
}

/** The part of the longer line that the shorter one does not have. */
function environmentOf(command: string, whole: string | undefined): string[] {
  return whole?.startsWith(command) ? whole.slice(command.length).split(' ') : []
}

export const psProcesses: ProcessSource = {
  async list() {
    const [bare, full] = await Promise.all([
      run('ps', [...everyone, ...columns], options),
      run('ps', [...withEnvironment, ...columns], options),
    ])
    const whole = rowsOf(full.stdout)
    return [...rowsOf(bare.stdout)]
      .filter(([, { dead }]) => !dead)
      .map(([key, { process, command }]) => ({
        ...process,
        mark: markIn(environmentOf(command, whole.get(key)?.command)),
      }))
  },
  birthOf(pid, dead) {
    try {
      const printed = execFileSync('ps', [...columns, '-p', String(pid)], {
        ...options,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const [row] = rowsOf(printed).values()
      return row?.dead && dead === undefined ? undefined : row?.process.birth
    } catch {
      return undefined
    }
  },
  bootId() {
    const [file, args] =
      process.platform === 'darwin'
        ? ['sysctl', ['-n', 'kern.bootsessionuuid']]
        : ['uptime', ['-s']]
    return execFileSync(file as string, args as string[], options).trim()
  },
}
