/**
 * Lists processes on Linux from /proc, synchronously, so that the list is of one moment, and
 * through one buffer: Node allocates 64 KiB for each file of unknown size, which made a
 * coordinator's memory grow.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { launchVariable, markIn } from './launch-mark.ts'
import type { LiveProcess, ProcessSource } from './processes.ts'

/** Offsets of the fields after the name, in proc(5). */
const stateAt = 0
const parentAt = 1
const groupAt = 2
const threadsAt = 17
const birthAt = 19

/**
 * How often a process without an environment is read again: during an exec it has none for a
 * moment, and its mark would be missed, and with it what a dead coordinator left (CO5).
 */
const maxRereads = 3
const rereadMs = 5

const initialBufferBytes = 32 * 1024
/** Far more than the kernel allows for an environment. */
const maxBufferBytes = 8 * 1024 * 1024
let buffer = Buffer.allocUnsafeSlow(initialBufferBytes)

/**
 * Reads a file into the shared buffer, valid until the next call. Undefined when it is missing or
 * not accessible.
 */
function read(path: string): Buffer | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    let length = 0
    for (let count = -1; count !== 0; length += count) {
      if (length === buffer.length && !growBuffer()) break
      count = readSync(descriptor, buffer, length, buffer.length - length, null)
    }
    return buffer.subarray(0, length)
  } catch {
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

function growBuffer(): boolean {
  if (buffer.length >= maxBufferBytes) return false
  const larger = Buffer.allocUnsafeSlow(buffer.length * 2)
  buffer.copy(larger)
  buffer = larger
  return true
}

interface Stat {
  readonly parent: number
  readonly group: number
  readonly birth: string
  readonly threads: number
  readonly dead: boolean
}

/** The name may contain anything, so fields are counted from its last bracket. */
function statOf(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`)?.toString('latin1')
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const birth = fields?.[birthAt]
  if (!fields || birth === undefined) return undefined
  const dead = 'ZXx'.includes(fields[stateAt] ?? 'X')
  return {
    parent: Number(fields[parentAt]),
    group: Number(fields[groupAt]),
    threads: Number(fields[threadsAt]),
    birth,
    dead,
  }
}

interface ReadProcess {
  readonly process: LiveProcess
  readonly isBetweenPrograms: boolean
}

function readProcess(pid: number): ReadProcess[] {
  const stat = statOf(pid)
  if (!stat || stat.dead) return []
  const { parent, group, birth, threads } = stat
  // Kernel threads have no group and no environment.
  const environment = group === 0 ? undefined : read(`/proc/${pid}/environ`)
  const isMarked = environment?.includes(launchVariable)
  const mark = isMarked ? markIn(environment?.toString('latin1').split('\0') ?? []) : undefined
  return [
    {
      process: { pid, parent, group, birth, mark, threads },
      isBetweenPrograms: environment?.length === 0,
    },
  ]
}

async function list(): Promise<LiveProcess[]> {
  let seen = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)))
  for (
    let again = 0;
    again < maxRereads && seen.some(({ isBetweenPrograms }) => isBetweenPrograms);
    again++
  ) {
    await new Promise((resolve) => setTimeout(resolve, rereadMs))
    seen = seen.flatMap((each) => (each.isBetweenPrograms ? readProcess(each.process.pid) : each))
  }
  return seen.map(({ process }) => process)
}

export const linuxProcesses: ProcessSource = {
  list,
  birthOf(pid, dead) {
    const stat = statOf(pid)
    return stat?.dead && dead === undefined ? undefined : stat?.birth
  },
  bootId: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
}
