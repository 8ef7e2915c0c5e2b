import { expect, test } from 'vitest'
import { type OpenTask, planStanding, waitsFor } from '../../../src/domain/work/plan.ts'
import { fc, property } from '../../support/property.ts'

const blocked = (id: string, ...dependsOn: string[]): OpenTask => ({
  id,
  status: 'blocked',
  assignedTo: 'ann',
  dependsOn,
  blockedBy: dependsOn[0] ?? null,
})
const ready = (id: string, assignedTo: string | null = 'ann'): OpenTask => ({
  ...blocked(id),
  status: 'pending',
  assignedTo,
})
const failed = (id: string) => (id.startsWith('failed') ? 'failed' : 'pending')

test('[WK7] a plan is done, open, or stuck when all that is left waits for a failure', () => {
  expect(planStanding([], failed)).toBe('done')
  expect(planStanding([], failed, true)).toBe('failed')
  expect(planStanding([ready('a'), blocked('b', 'failed 1')], failed)).toBe('open')
  expect(
    planStanding([blocked('b', 'a', 'failed 1'), blocked('a', 'b', 'elsewhere')], failed),
  ).toBe('stuck')
  expect(planStanding([blocked('a', 'failed 1'), blocked('b', 'elsewhere')], failed)).toBe('open')
})

const shapes = fc.array(fc.array(fc.nat(11), { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
})

property.prop([shapes])(
  '[WK7] a plan of which all is blocked is stuck exactly when every task reaches a failed one',
  (shape) => {
    // Numbers beyond the plan are tasks elsewhere; those above ten have failed.
    const name = (n: number): string =>
      n < shape.length ? `t${n}` : n > 9 ? `failed ${n}` : `elsewhere ${n}`
    const tasks = shape.map((numbers, n) => blocked(name(n), ...numbers.map(name)))
    const reaches = (id: string, seen: ReadonlySet<string>): boolean =>
      id.startsWith('failed') ||
      (!seen.has(id) &&
        (tasks.find((each) => each.id === id)?.dependsOn ?? []).some((next) =>
          reaches(next, new Set([...seen, id])),
        ))
    const isStuck = tasks.every(({ id }) => reaches(id, new Set()))
    expect(planStanding(tasks, failed)).toBe(isStuck ? 'stuck' : 'open')
  },
)

test('[WK8] the plan says who must act: a person, an absent agent, or who assigns', () => {
  const facts = {
    approvals: [],
    open: [],
    isAtWork: (agentId: string) => agentId === 'ann',
    agentId: null,
    isDriven: false,
  }
  expect(
    waitsFor({ ...facts, approvals: [7], open: [ready('a'), ready('b', 'bob'), ready('c', null)] }),
  ).toEqual([
    { what: 'approval', approvalId: 7 },
    { what: 'agent', agentId: 'bob', taskId: 'b' },
    { what: 'task', taskId: 'c' },
  ])
  expect(waitsFor({ ...facts, open: [blocked('b', 'elsewhere'), blocked('c', 'b')] })).toEqual([
    { what: 'task', taskId: 'elsewhere' },
  ])
  expect(waitsFor(facts)).toEqual([{ what: 'task', taskId: null }])
  expect(waitsFor({ ...facts, agentId: 'coder' })).toEqual([
    { what: 'agent', agentId: 'coder', taskId: null },
  ])
  expect(waitsFor({ ...facts, isDriven: true })).toEqual([])
})
