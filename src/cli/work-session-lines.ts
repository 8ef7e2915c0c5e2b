/** Work sessions as a family tree on a terminal: who was resumed from whom (WK3). Pure. */
import type { WorkSession } from '../protocol/work-session.ts'
import type { Style } from './terminal.ts'

export interface TreeRow {
  readonly workSession: WorkSession
  /** What is drawn before its id. */
  readonly branch: string
}

/** Families as new as their newest member first; in a family, the parent and under it what came of it, oldest first. */
export function familyTree(workSessions: readonly WorkSession[]): TreeRow[] {
  const known = new Set(workSessions.map(({ id }) => id))
  const isRoot = ({ parentSessionId }: WorkSession): boolean => parentSessionId === null || !known.has(parentSessionId)
  const children = Map.groupBy(
    workSessions.filter((each) => !isRoot(each)).toSorted(byAge),
    ({ parentSessionId }) => parentSessionId,
  )
  const rows: TreeRow[] = []
  const seen = new Set<string>()
  const draw = (workSession: WorkSession, branch: string, below: string): void => {
    if (seen.has(workSession.id)) return
    seen.add(workSession.id)
    rows.push({ workSession, branch })
    const its = children.get(workSession.id) ?? []
    its.forEach((child, at) => {
      const isLast = at === its.length - 1
      draw(child, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`)
    })
  }
  const newestOf = (root: WorkSession): string =>
    (children.get(root.id) ?? []).reduce((newest, child) => (newestOf(child) > newest ? newestOf(child) : newest), root.startedAt)
  const roots = workSessions.filter(isRoot).map((root) => ({ root, newest: newestOf(root) }))
  for (const { root } of roots.toSorted((a, b) => (a.newest < b.newest ? 1 : -1))) draw(root, '', '')
  return rows
}

const byAge = (a: WorkSession, b: WorkSession): number => (a.startedAt < b.startedAt ? -1 : 1)

export const stateStyles = {
  running: 'cyan',
  interrupted: 'yellow',
  completed: 'green',
} as const satisfies Record<WorkSession['state'], Style>

/** In a word, and whether it can be taken up. */
export const stateWord = ({ state, setAside, resumedBy, dismissedAt }: WorkSession): string =>
  state !== 'interrupted' ? state : setAside ? 'set aside' : resumedBy ? 'resumed' : dismissedAt ? 'dismissed' : state
