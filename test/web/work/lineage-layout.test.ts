import { expect, test } from 'vitest'
import type { Lineage } from '../../../src/protocol/work/lineage.ts'
import { layOut } from '../../../web/src/work/lineage-layout.ts'

type Member = Lineage['items'][number]

const at = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 15) + minutes * 60_000).toISOString()

const member = (
  id: string,
  from: number,
  to: number | null,
  parent: string | null = null,
  saved: number[] = [],
): Member => ({
  id,
  projectId: 'p',
  parentSessionId: parent,
  state: to === null ? 'running' : 'interrupted',
  startedAt: at(from),
  endedAt: to === null ? null : at(to),
  interruptionReason: to === null ? null : 'x',
  currentPhase: null,
  currentAgentRole: null,
  currentAgentType: null,
  currentTaskId: null,
  contextSummary: null,
  resumedBy: null,
  setAside: null,
  dismissedAt: null,
  fileProblem: null,
  error: null,
  stateSummary: id,
  checkpoints: saved.map((minute, number) => ({
    number,
    at: at(minute),
    reason: 'asked',
    subject: null,
  })),
  approvals: [],
})

const now = Date.parse(at(10_000))

test('[UI2] time runs right, a family stays together, a fork leads from end to beginning', () => {
  const { lines, forks } = layOut(
    [member('c', 200, null, 'a'), member('b', 100, 150), member('a', 0, 60, null, [20, 40])],
    now,
  )
  expect(lines.map(({ member: { id }, row }) => [id, row])).toEqual([
    ['a', 0],
    ['c', 1],
    ['b', 2],
  ])
  const [a, c] = lines
  expect(a?.from).toBe(0)
  expect(c?.to).toBe(1)
  expect(forks).toEqual([{ fromRow: 0, toRow: 1, from: a?.to, to: c?.from }])
  const places = a?.checkpoints.map((each) => each.at) ?? []
  expect([a?.from, ...places, a?.to]).toEqual(
    [a?.from, ...places, a?.to].toSorted((one, other) => Number(one) - Number(other)),
  )
})

test('[UI2] a week of silence does not squeeze an hour of work out of sight', () => {
  const { lines } = layOut(
    [member('a', 0, 60, null, [10, 20, 30]), member('b', 10_080, null, 'a')],
    now + 600_000_000,
  )
  const [a] = lines
  expect((a?.to ?? 0) - (a?.from ?? 0)).toBeGreaterThan(0.4)
})

test('[UI2] a single moment, its own ancestor and an unlisted parent are all drawn', () => {
  expect(layOut([member('a', 0, 0)], Date.parse(at(0))).lines).toMatchObject([
    { row: 0, from: 0, to: 0 },
  ])
  const odd = layOut(
    [member('a', 0, 1, 'b'), member('b', 2, 3, 'a'), member('c', 4, 5, 'gone')],
    now,
  )
  expect(odd.lines.map(({ row }) => row)).toEqual([0, 1, 2])
  expect(layOut([], now)).toEqual({ lines: [], forks: [] })
})
