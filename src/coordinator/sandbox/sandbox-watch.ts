/**
 * Watches what sandboxes use of the machine (SB13), and says once of each when it has reached a
 * limit. Where a control group counts, it is asked. Elsewhere the processes are counted here, when
 * the machine has clearly more of them or clearly less memory than before, and now and then
 * besides. What is written is looked for when the disk has lost as much as may be written.
 */
import { readFileSync, statfsSync } from 'node:fs'
import { lstat, readdir, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../platform/time/clock.ts'
import type { SandboxLimits } from '../../protocol/processes/sandbox-limits.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import type { ProcessTable, ProcessTree } from '../process-tree.ts'
import type { ControlGroup } from './control-group.ts'

const tickMs = 250
/** In ticks. */
const diskEvery = 8
const countEvery = 40
/** Fewer new ones on the whole machine are no reason to count. */
const fewTasks = 32
const littleMb = 128
const maxLooked = 200_000
/** Below this share of a disk it is nearly full, and it does not matter who has filled it. */
const nearlyFull = 0.05
/** The most of the machine's memory, above which a setting does not count. */
const shareOfMemory = 0.8
const megabyte = 1024 ** 2

export interface Watched {
  readonly tree: ProcessTree
  readonly group: ControlGroup | undefined
  /** What it may write to outside of its temporary folders; the workplace first. */
  readonly writable: readonly string[]
  readonly limits: SandboxLimits
  /** The process outside that holds the sandbox. */
  readonly pid: number
  readonly onLimit: (why: Detail) => void
  /** Something is full that refuses by itself. */
  readonly onFull: (what: Detail) => void
}

interface Held extends Watched {
  readonly since: number
  /** Bytes, when there were most. */
  free: number
  isFull: boolean
}

export const limitsHere = (given: SandboxLimits): SandboxLimits => ({
  ...given,
  maxMemoryMb: Math.min(given.maxMemoryMb, Math.floor((totalmem() * shareOfMemory) / megabyte)),
})

export class SandboxWatch {
  readonly #table: ProcessTable
  readonly #clock: Clock
  readonly #held = new Set<Held>()
  #ticks = 0
  #tasks = 0
  #availableMb = 0
  #isLooking = false
  #stop: (() => void) | undefined

  constructor(table: ProcessTable, clock: Clock) {
    this.#table = table
    this.#clock = clock
  }

  /** Until what it returns is called. */
  watch(watched: Watched): () => void {
    const held: Held = {
      ...watched,
      since: Date.now(),
      free: freeNow(watched.writable[0]),
      isFull: false,
    }
    this.#held.add(held)
    this.#stop ??= this.#clock.after(tickMs, () => void this.#tick())
    return () => {
      this.#held.delete(held)
      // What the kernel has ended by itself is said too.
      const reached = held.group?.reached()
      if (reached) held.onLimit(textFor(reached, held.limits))
    }
  }

  async #tick(): Promise<void> {
    this.#stop =
      this.#held.size === 0 ? undefined : this.#clock.after(tickMs, () => void this.#tick())
    if (this.#isLooking || this.#held.size === 0) return
    this.#isLooking = true
    try {
      this.#ticks++
      for (const held of this.#held) {
        const reached = held.group?.reached()
        if (reached) this.#over(held, textFor(reached, held.limits))
      }
      await this.#count()
      if (this.#ticks % diskEvery === 0)
        for (const held of this.#held) await this.#measureDisk(held)
    } catch {
      // Looked at again with the next tick.
    } finally {
      this.#isLooking = false
    }
  }

  #over(held: Held, why: Detail): void {
    if (this.#held.delete(held)) held.onLimit(why)
  }

  async #count(): Promise<void> {
    const counted = [...this.#held].filter(({ group }) => group === undefined)
    if (counted.length === 0) return
    const tasks = Number(/\/(\d+) /.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0)
    const availableMb =
      Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1] ?? 0) /
      1024
    const few = Math.min(fewTasks, ...counted.map(({ limits }) => limits.maxProcesses / 4))
    const little = Math.min(littleMb, ...counted.map(({ limits }) => limits.maxMemoryMb / 4))
    const isDue = this.#ticks % countEvery === 1
    if (tasks - this.#tasks < few && this.#availableMb - availableMb < little && !isDue) {
      // Slow growth adds up, so only a fall is taken as the new measure.
      this.#tasks = Math.min(this.#tasks, tasks)
      this.#availableMb = Math.max(this.#availableMb, availableMb)
      return
    }
    this.#tasks = tasks
    this.#availableMb = availableMb
    const list = await this.#table.list()
    for (const held of counted) {
      const members = held.tree.membersIn(list)
      const threads = members.reduce((sum, each) => sum + (each.threads ?? 1), 0)
      if (threads >= held.limits.maxProcesses) this.#over(held, textFor('processes', held.limits))
      else if (
        members.reduce((sum, { pid }) => sum + ownMemory(pid), 0) >=
        held.limits.maxMemoryMb * megabyte
      )
        this.#over(held, textFor('memory', held.limits))
    }
  }

  async #measureDisk(held: Held): Promise<void> {
    const { limits, writable, since, pid } = held
    const [workplace] = writable
    if (workplace === undefined) return
    const { bavail, bsize, blocks } = await statfs(workplace)
    const free = bavail * bsize
    const most = Math.max(held.free, free)
    const allowed = limits.maxWorkplaceMb * megabyte
    if (most - free >= allowed) {
      const written = (
        await Promise.all(writable.map((each) => writtenSince(each, since, allowed)))
      ).reduce((a, b) => a + b, 0)
      if (written >= allowed || bavail < blocks * nearlyFull)
        return this.#over(held, textFor('workplace', limits))
    }
    held.free = most - free >= allowed ? free : most
    if (!held.isFull && (await isTemporaryFull(pid))) {
      held.isFull = true
      held.onFull(
        statusNotice('sandboxTmp', {
          most: String(limits.maxTmpMb),
          setting: 'sandbox.max_tmp_mb',
        }),
      )
    }
  }
}

function textFor(what: 'processes' | 'memory' | 'workplace', limits: SandboxLimits): Detail {
  if (what === 'processes')
    return statusNotice('sandboxProcesses', {
      most: String(limits.maxProcesses),
      setting: 'sandbox.max_processes',
    })
  if (what === 'memory')
    return statusNotice('sandboxMemory', {
      most: String(limits.maxMemoryMb),
      setting: 'sandbox.max_memory_mb',
    })
  return statusNotice('sandboxWorkplace', {
    most: String(limits.maxWorkplaceMb),
    setting: 'sandbox.max_workplace_mb',
  })
}

function freeNow(folder: string | undefined): number {
  if (folder === undefined) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** In bytes, without what it shares with others: 0 when it has ended. */
function ownMemory(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
    return Number(/^Anonymous:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** The first process inside is the child of the one that holds the sandbox. */
async function isTemporaryFull(pid: number): Promise<boolean> {
  try {
    const [inner] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ')
    return inner ? (await statfs(`/proc/${inner}/root/tmp`)).bavail === 0 : false
  } catch {
    return false
  }
}

/**
 * Bytes on the disk of the files that were changed since then; not counted further than `enough`.
 * No link is followed.
 */
async function writtenSince(folder: string, since: number, enough: number): Promise<number> {
  let bytes = 0
  let looked = 0
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found = await lstat(next).catch(() => undefined)
    if (found?.isDirectory()) {
      const names = await readdir(next).catch(() => [])
      looked += names.length
      if (looked > maxLooked) return bytes
      for (const name of names) waiting.push(join(next, name))
    } else if (found && found.ctimeMs >= since) bytes += found.blocks * 512
    if (bytes >= enough) return bytes
  }
  return bytes
}
