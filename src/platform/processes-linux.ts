/** The processes of Linux, from /proc. Read at once, because /proc is memory and a list should be of one moment. */
import { readdirSync, readFileSync } from 'node:fs'
import { markIn } from './launch-mark.ts'
import type { LiveProcess, ProcessSource } from './processes.ts'

/** Behind the name, in proc(5): state, ppid, pgrp, session, … the 22nd of all is the start time. */
const stateAt = 0
const parentAt = 1
const groupAt = 2
const birthAt = 19

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

interface Stat {
  readonly parent: number
  readonly group: number
  readonly birth: string
  readonly dead: boolean
}

/** The name may hold anything, so it is counted from its last bracket. */
function statOf(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const birth = fields?.[birthAt]
  if (!fields || birth === undefined) return undefined
  const dead = 'ZXx'.includes(fields[stateAt] ?? 'X')
  return { parent: Number(fields[parentAt]), group: Number(fields[groupAt]), birth, dead }
}

function processOf(pid: number): LiveProcess | undefined {
  const stat = statOf(pid)
  if (!stat || stat.dead) return undefined
  const { parent, group, birth } = stat
  // The kernel's own threads are in no group and have no environment.
  const environment = group === 0 ? undefined : read(`/proc/${pid}/environ`)
  return { pid, parent, group, birth, mark: environment ? markIn(environment.split('\0')) : undefined }
}

export const linuxProcesses: ProcessSource = {
  list: async () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => processOf(Number(name)))
      .filter((each) => each !== undefined),
  birthOf(pid, dead) {
    const stat = statOf(pid)
    return stat?.dead && dead === undefined ? undefined : stat?.birth
  },
  bootId: () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
}
