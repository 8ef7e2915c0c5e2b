/**
 * Work sessions as lines of work: each with all the runs that were resumed from one another, the
 * newest first. Pure.
 */
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'

export interface WorkLine {
  /** The newest run, which says how the line stands. */
  readonly newest: WorkSession
  /** The runs before it, the newest first. */
  readonly earlier: readonly WorkSession[]
}

const began = (one: WorkSession, other: WorkSession): number =>
  one.startedAt < other.startedAt ? 1 : -1

export function linesOf(workSessions: readonly WorkSession[]): WorkLine[] {
  const byId = new Map(workSessions.map((each) => [each.id, each]))
  const rootOf = (each: WorkSession): string => {
    const seen = new Set<string>()
    let at = each
    for (;;) {
      const parent = byId.get(at.parentSessionId ?? '')
      // A circle cannot be; if files say so, it is one line.
      if (!parent || seen.has(at.id)) return at.id
      seen.add(at.id)
      at = parent
    }
  }
  return [...Map.groupBy(workSessions, rootOf).values()]
    .map((runs) => {
      const [newest, ...earlier] = runs.toSorted(began)
      return { newest: newest as WorkSession, earlier }
    })
    .toSorted((one, other) => began(one.newest, other.newest))
}
