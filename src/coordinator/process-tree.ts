/**
 * All processes of one launch: those with its mark, their descendants, and the groups they are in.
 * A process is identified by pid and start time, so a reused pid is never signalled (CO5).
 */

import type { Logger } from '../platform/log/logger.ts'
import type { LaunchMark } from '../platform/processes/launch-mark.ts'
import {
  type LiveProcess,
  type ProcessIdentity,
  type ProcessSource,
  signalExactly,
} from '../platform/processes/processes.ts'

/**
 * Lists the machine's processes, once for concurrent callers. A caller never gets a listing that
 * began before its call.
 */
export class ProcessTable {
  readonly source: ProcessSource
  #running: Promise<LiveProcess[]> | undefined
  #next: Promise<LiveProcess[]> | undefined

  constructor(source: ProcessSource) {
    this.source = source
  }

  list(): Promise<LiveProcess[]> {
    if (!this.#running) {
      this.#running = this.source.list().finally(() => {
        this.#running = undefined
      })
      return this.#running
    }
    // The running listing may have missed a process started just now.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.list()
      })
    return this.#next
  }
}

/** Time between SIGTERM and SIGKILL. */
export const graceMs = 5000
/** CO5: gives up after this. Only the kernel keeps a process that long. */
export const limitMs = 10_000
const firstPauseMs = 25
const maxPauseMs = 250

const keyOf = ({ pid, birth }: ProcessIdentity): string => `${pid} ${birth}`

export interface EndOptions {
  /** 0 kills at once. */
  readonly graceMs?: number
  readonly now?: () => number
}

export class ProcessTree {
  readonly #mark: LaunchMark
  /** The started process; undefined for orphans. */
  readonly #root: ProcessIdentity | undefined
  /**
   * Every process ever seen to belong to it. A parent may exit before its child, and an exec may
   * lose the mark.
   */
  readonly #known = new Set<string>()
  readonly #isWrapped: boolean
  #graceMs = graceMs

  /** `isWrapped`: the root only holds a sandbox, and ends it without grace when it is asked to. */
  constructor(mark: LaunchMark, root?: ProcessIdentity, isWrapped = false) {
    this.#mark = mark
    this.#root = root
    this.#isWrapped = isWrapped
    if (root) this.#known.add(keyOf(root))
  }

  membersIn(list: readonly LiveProcess[]): LiveProcess[] {
    const byPid = new Map(list.map((each) => [each.pid, each]))
    const members = new Map<number, LiveProcess>()
    const groups = new Set(this.#root ? [this.#root.pid] : [])
    const belongs = (each: LiveProcess): boolean => {
      if (this.#known.has(keyOf(each))) return true
      if (each.mark?.folderId === this.#mark.folderId)
        return each.mark.launchId === this.#mark.launchId
      return members.has(each.parent) || (groups.has(each.group) && isOurGroup(each.group))
    }
    // A group id stays in use while the group has members. A leader that is not ours means the id
    // was reused.
    const isOurGroup = (group: number): boolean => {
      const leader = byPid.get(group)
      return !leader || members.has(group) || this.#known.has(keyOf(leader))
    }
    for (let before = -1; before < members.size; ) {
      before = members.size
      for (const each of list) {
        if (members.has(each.pid) || each.pid === process.pid || !belongs(each)) continue
        members.set(each.pid, each)
        groups.add(each.group)
      }
    }
    for (const each of members.values()) this.#known.add(keyOf(each))
    return [...members.values()]
  }

  /** Stops all of it for a while, what is started meanwhile too. Returns what lets it go on. */
  async freeze(table: ProcessTable): Promise<() => void> {
    const stopped = new Set<number>()
    const signal = (name: 'SIGSTOP' | 'SIGCONT') => (pid: number) => {
      try {
        process.kill(pid, name)
      } catch {
        // The process has ended.
      }
    }
    for (let before = -1; before < stopped.size; ) {
      before = stopped.size
      for (const { pid } of this.membersIn(await table.list())) stopped.add(pid)
      stopped.forEach(signal('SIGSTOP'))
    }
    return () => stopped.forEach(signal('SIGCONT'))
  }

  skipGrace(): void {
    this.#graceMs = 0
  }

  /**
   * Sends SIGTERM, then SIGKILL after the grace period, until nothing is left. Returns what could
   * not be ended.
   */
  async end(
    table: ProcessTable,
    { graceMs: grace = graceMs, now = () => performance.now() }: EndOptions = {},
  ): Promise<LiveProcess[]> {
    this.#graceMs = Math.min(this.#graceMs, grace)
    const startedAt = now()
    const signalled = new Set<string>()
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
      const list = await table.list().catch((error: unknown) => {
        // Retries a failed listing. Nothing is signalled that was not seen.
        if (now() - startedAt >= limitMs) throw error
      })
      const left = list && this.membersIn(list)
      const passed = now() - startedAt
      if (left && (left.length === 0 || passed >= limitMs)) return left
      const kill = passed >= this.#graceMs
      for (const each of left ?? []) {
        // Many programs treat a second SIGTERM as "at once".
        if (
          !kill &&
          (signalled.has(keyOf(each)) ||
            (this.#isWrapped && each.pid === this.#root?.pid && left && left.length > 1))
        )
          continue
        signalled.add(keyOf(each))
        signalExactly(table.source, each, kill ? 'SIGKILL' : 'SIGTERM')
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

/**
 * Ends processes that a dead coordinator of the same data folder left running (CO5). Returns their
 * launches.
 */
export async function endOrphans(
  table: ProcessTable,
  folderId: string,
  logger: Logger,
  options: EndOptions = {},
): Promise<ReadonlySet<string>> {
  const marks = (await table.list()).map(({ mark }) => mark)
  const launches = new Set(
    marks.filter((mark) => mark?.folderId === folderId).map((mark) => mark?.launchId ?? ''),
  )
  await Promise.all(
    [...launches].map(async (launchId) => {
      const left = await new ProcessTree({ launchId, folderId }).end(table, options)
      if (left.length > 0)
        logger.error(
          { launchId, left: left.map(({ pid }) => pid) },
          'leftover processes of an agent could not be ended',
        )
      else logger.warn({ launchId }, 'leftover processes of an agent were ended')
    }),
  )
  return launches
}
