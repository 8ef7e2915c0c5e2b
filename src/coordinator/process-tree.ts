/**
 * Everything that belongs to one launch: what carries its mark, what descends from that, and the groups they are in. A process is
 * known by its number and its birth; whatever only looks like one of ours, or has got its number since, is never signalled (CO5).
 */
import type { LaunchMark } from '../platform/launch-mark.ts'
import type { Logger } from '../platform/logger.ts'
import { type LiveProcess, type ProcessIdentity, signalExactly } from '../platform/processes.ts'
import type { ProcessTable } from './process-table.ts'

/** Between the request to end and the order. */
export const graceMs = 5000
/** CO5: then it is given up; only the kernel itself keeps a process that long. */
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
  /** The process that was started itself; undefined when only what it left behind is there. */
  readonly #root: ProcessIdentity | undefined
  /** All that were ever seen to belong to it: a parent may go before its child, and a new program may lose the mark. */
  readonly #known = new Set<string>()
  #graceMs = graceMs

  constructor(mark: LaunchMark, root?: ProcessIdentity) {
    this.#mark = mark
    this.#root = root
    if (root) this.#known.add(keyOf(root))
  }

  /** Those of the list that belong to it. */
  membersIn(list: readonly LiveProcess[]): LiveProcess[] {
    const byPid = new Map(list.map((each) => [each.pid, each]))
    const members = new Map<number, LiveProcess>()
    const groups = new Set(this.#root ? [this.#root.pid] : [])
    const belongs = (each: LiveProcess): boolean => {
      if (this.#known.has(keyOf(each))) return true
      if (each.mark?.keeper === this.#mark.keeper) return each.mark.launchId === this.#mark.launchId
      return members.has(each.parent) || (groups.has(each.group) && isOurGroup(each.group))
    }
    // A group keeps its number as long as somebody is in it; a leader that is a stranger has made it anew.
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

  /** From now on there is no waiting, also for an `end` that is under way. */
  skipGrace(): void {
    this.#graceMs = 0
  }

  /** Asks all of it to end, kills what has not by the end of the grace, again and again until nothing is left; gives what is. */
  async end(
    table: ProcessTable,
    { graceMs: grace = graceMs, now = () => performance.now() }: EndOptions = {},
  ): Promise<LiveProcess[]> {
    this.#graceMs = Math.min(this.#graceMs, grace)
    const startedAt = now()
    const asked = new Set<string>()
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
      const list = await table.list().catch((error: unknown) => {
        // A machine that is short of everything is looked at again: nothing is signalled that was not seen.
        if (now() - startedAt >= limitMs) throw error
      })
      const left = list && this.membersIn(list)
      const passed = now() - startedAt
      if (left && (left.length === 0 || passed >= limitMs)) return left
      const kill = passed >= this.#graceMs
      for (const each of left ?? []) {
        // To be asked twice means "at once" to many programs.
        if (!kill && asked.has(keyOf(each))) continue
        asked.add(keyOf(each))
        signalExactly(table.source, each, kill ? 'SIGKILL' : 'SIGTERM')
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

// What a coordinator that died left behind (CO5): processes that carry the mark of its data folder. Their pipes are broken and
// nobody supervises them, so the next one ends them before anything else. Another Holdfast's are never touched.

/** Gives the launches of which something was found; by then it is ended. */
export async function endOrphans(
  table: ProcessTable,
  keeper: string,
  logger: Logger,
  options: EndOptions = {},
): Promise<ReadonlySet<string>> {
  const marks = (await table.list()).map(({ mark }) => mark)
  const launches = new Set(marks.filter((mark) => mark?.keeper === keeper).map((mark) => mark?.launchId ?? ''))
  await Promise.all(
    [...launches].map(async (launchId) => {
      const left = await new ProcessTree({ launchId, keeper }).end(table, options)
      if (left.length > 0) logger.error({ launchId, left: left.map(({ pid }) => pid) }, 'leftovers of an agent cannot be ended')
      else logger.warn({ launchId }, 'what was left of an agent was ended')
    }),
  )
  return launches
}
