/** Which processes go so that others can begin. */
import { expect, test } from 'vitest'
import { type ProcessOnMachine, stoppedForOthers } from '../../../src/domain/processes/room.ts'

const process = (launchId: string, more: Partial<ProcessOnMachine> = {}): ProcessOnMachine => ({
  launchId,
  agentId: 'ann',
  maxProcesses: null,
  is: 'idle',
  idleSince: '2026-03-01T09:00:00.000Z',
  keptFor: 'nobody',
  ...more,
})
const waiting = (launchId: string, agentId = 'ann') => process(launchId, { agentId, is: 'waiting' })

test('[SN8] where there is room, or nobody waits, nothing goes', () => {
  expect(stoppedForOthers([process('a'), process('b')], 2)).toEqual([])
  expect(stoppedForOthers([process('a'), waiting('w')], 2)).toEqual([])
})

test('[SN8] as many go as wait: first those nobody has open, then the longest unused', () => {
  const all = [
    process('common', { keptFor: 'all', idleSince: '2026-03-01T01:00:00.000Z' }),
    process('open', { keptFor: 'panel', idleSince: '2026-03-01T02:00:00.000Z' }),
    process('late', { idleSince: '2026-03-01T08:00:00.000Z' }),
    process('early', { idleSince: '2026-03-01T03:00:00.000Z' }),
    process('busy', { is: 'busy' }),
  ]
  const stopped = (count: number) =>
    stoppedForOthers([...all, ...Array.from({ length: count }, (_, n) => waiting(`w${n}`))], 5)
  expect(stopped(1)).toEqual(['early'])
  expect(stopped(2)).toEqual(['early', 'late'])
  expect(stopped(3)).toEqual(['early', 'late', 'open'])
  expect(stopped(9)).toEqual(['early', 'late', 'open', 'common'])
})

test('[SN8] one that was told to go already makes the room, and an agent has its own limit', () => {
  expect(
    stoppedForOthers([process('a', { is: 'leaving' }), process('b'), waiting('w')], 2),
  ).toEqual([])
  const one = { maxProcesses: 1 }
  expect(
    stoppedForOthers(
      [process('a', one), process('b', { agentId: 'ben' }), { ...waiting('w'), ...one }],
      9,
    ),
  ).toEqual(['a'])
  expect(stoppedForOthers([process('a', { is: 'busy' }), waiting('w')], 1)).toEqual([])
})
