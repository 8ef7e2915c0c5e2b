import { expect, test } from 'vitest'
import { type LiveLaunches, nextToBegin } from '../../../src/domain/processes/next-launch.ts'

/** `p a waiting 2`: two of agent a in project p. */
const launches = (
  text: string,
  more: Partial<Pick<LiveLaunches, 'maxProcesses' | 'oldest'>> = {},
): LiveLaunches => {
  const [projectId = '', agentId = '', state = '', count = '1'] = text.split(' ')
  const named = { projectId, agentId, state: state as LiveLaunches['state'], count: Number(count) }
  return { ...named, maxProcesses: null, oldest: '2026-01-01T00:00:00.000Z', ...more }
}
const next = (live: readonly LiveLaunches[], most: number) => {
  const found = nextToBegin(live, most)
  return found && `${found.projectId} ${found.agentId}`
}

test('[CO2] on a machine with fewer processes than allowed another begins', () => {
  const live = [launches('p a waiting'), launches('p a running'), launches('p b starting')]
  expect(next(live, 3)).toBe('p a')
  expect(next([...live, launches('p c running')], 3)).toBeUndefined()
  expect(next([launches('p a running')], 3)).toBeUndefined()
})

test('[CO2] an agent has no more than it may have, in all projects together; it holds up no other', () => {
  const one = { maxProcesses: 1 }
  const full = [launches('p a waiting 2', one), launches('q a starting', one)]
  expect(next(full, 9)).toBeUndefined()
  expect(next([...full, launches('p b waiting')], 9)).toBe('p b')
  expect(next([launches('p a waiting', one), launches('p b running 2')], 9)).toBe('p a')
})

test('[CO2] the project with the fewest processes is next, of its launches the oldest', () => {
  const late = { oldest: '2026-01-02T00:00:00.000Z' }
  const waiting = [launches('p a waiting 200'), launches('q b waiting', late)]
  expect(next(waiting, 9)).toBe('p a')
  expect(next([...waiting, launches('p a running')], 9)).toBe('q b')
  expect(next([launches('p b waiting', late), launches('p a waiting')], 9)).toBe('p a')
})
