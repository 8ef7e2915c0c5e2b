/**
 * The layout of the chart of work sessions (UI2): time runs to the right, a line for each, a fork
 * where one was resumed. Long silences are drawn short, so that an hour of work beside a week of
 * rest can still be seen. Pure.
 */
import type { Lineage } from '../../../src/protocol/work/lineage.ts'

type Member = Lineage['items'][number]

export interface Line {
  readonly member: Member
  /** The row, counted from the top, beginning with 0. */
  readonly row: number
  /** Between 0 and 1, as are all places. */
  readonly from: number
  readonly to: number
  readonly checkpoints: readonly {
    readonly at: number
    readonly checkpoint: Member['checkpoints'][number]
  }[]
  readonly approvals: readonly {
    readonly at: number
    readonly approval: Member['approvals'][number]
  }[]
}

export interface Fork {
  readonly fromRow: number
  readonly toRow: number
  readonly from: number
  readonly to: number
}

export interface Layout {
  readonly lines: readonly Line[]
  readonly forks: readonly Fork[]
}

/** A silence of a day is drawn about twice as long as one of a minute. */
const longest = (seconds: number): number => Math.log2(2 + seconds)

export function layOut(members: readonly Member[], now: number): Layout {
  const placeOf = timeline(members, now)
  const rows = rowsOf(members)
  const lines = members.map((member) => ({
    member,
    row: rows.get(member.id) ?? 0,
    from: placeOf(Date.parse(member.startedAt)),
    to: placeOf(member.endedAt === null ? now : Date.parse(member.endedAt)),
    checkpoints: member.checkpoints.map((checkpoint) => ({
      at: placeOf(Date.parse(checkpoint.at)),
      checkpoint,
    })),
    approvals: member.approvals.map((approval) => ({
      at: placeOf(Date.parse(approval.submittedAt)),
      approval,
    })),
  }))
  const byId = new Map(lines.map((line) => [line.member.id, line]))
  const forks = lines.flatMap((line) => {
    const parent = byId.get(line.member.parentSessionId ?? '')
    return parent ? [{ fromRow: parent.row, toRow: line.row, from: parent.to, to: line.from }] : []
  })
  return { lines: lines.toSorted((a, b) => a.row - b.row), forks }
}

/**
 * Each moment of anything gets its place; between two of them goes as much room as the silence is
 * worth.
 */
function timeline(members: readonly Member[], now: number): (at: number) => number {
  const moments = members.flatMap((member) => [
    Date.parse(member.startedAt),
    member.endedAt === null ? now : Date.parse(member.endedAt),
    ...member.checkpoints.map(({ at }) => Date.parse(at)),
    ...member.approvals.map(({ submittedAt }) => Date.parse(submittedAt)),
  ])
  const sorted = [...new Set(moments)].sort((a, b) => a - b)
  const places = new Map<number, number>()
  let width = 0
  for (const [index, moment] of sorted.entries()) {
    if (index > 0) width += longest((moment - (sorted[index - 1] ?? moment)) / 1000)
    places.set(moment, width)
  }
  return (at) => (width === 0 ? 0 : (places.get(at) ?? 0) / width)
}

/**
 * A family stays together: under a parent its children, oldest first; families in the order in
 * which they began.
 */
function rowsOf(members: readonly Member[]): Map<string, number> {
  const oldestFirst = members.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
  const known = new Set(members.map(({ id }) => id))
  const rows = new Map<string, number>()
  const place = (member: Member): void => {
    if (rows.has(member.id)) return
    rows.set(member.id, rows.size)
    for (const child of oldestFirst) if (child.parentSessionId === member.id) place(child)
  }
  for (const member of oldestFirst) if (!known.has(member.parentSessionId ?? '')) place(member)
  // A work session that is its own ancestor is drawn all the same.
  for (const member of oldestFirst) place(member)
  return rows
}
