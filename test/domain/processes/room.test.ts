import { expect, test } from 'vitest'
import { hasCapacity, type LiveLaunches } from '../../../src/domain/processes/lifecycle.ts'

const itself: LiveLaunches = { agentId: 'a', state: 'waiting', count: 1 }
const wanted = { agentId: 'a', maxProcesses: null, maxConcurrent: 3 }
const begun = (
  agentId: string,
  count: number,
  state: 'starting' | 'running' = 'running',
): LiveLaunches => ({
  agentId,
  state,
  count,
})

test('[CO2] a machine with fewer processes than allowed begins it at once', () => {
  expect(hasCapacity([itself], wanted)).toBe(true)
  expect(hasCapacity([itself, begun('a', 1), begun('b', 1, 'starting')], wanted)).toBe(true)
  expect(hasCapacity([itself, begun('a', 1), begun('b', 2, 'starting')], wanted)).toBe(false)
})

test('[CO2] an agent has no more than it may have; those of others do not count', () => {
  const one = { ...wanted, maxProcesses: 1 }
  expect(hasCapacity([itself, begun('b', 2)], one)).toBe(true)
  expect(hasCapacity([itself, begun('a', 1, 'starting')], one)).toBe(false)
})

test('[CO2] behind another that waits, nothing is begun', () => {
  expect(hasCapacity([{ ...itself, count: 2 }], wanted)).toBe(false)
  expect(hasCapacity([itself, { ...itself, agentId: 'b' }], wanted)).toBe(false)
})
