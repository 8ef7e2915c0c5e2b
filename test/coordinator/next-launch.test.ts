/** Which launches start next on a machine (CO2). */
import { expect, test } from 'vitest'
import { launchesToStart } from '../../src/coordinator/next-launch.ts'

const order = (name: string, maxProcesses: number | null = null) => {
  const [projectId = '', agentId = '', launchId = ''] = name.split(' ')
  return { projectId, agentId, launchId, maxProcesses }
}
const names = (orders: readonly { launchId: string }[]) => orders.map(({ launchId }) => launchId)

test('[CO2] projects take turns, and in each the oldest is first', () => {
  const waiting = ['a x 1', 'a x 2', 'a x 3', 'b x 4', 'b x 5', 'c x 6'].map((each) => order(each))
  expect(names(launchesToStart(waiting, [], 4))).toEqual(['1', '4', '6', '2'])
  // One that has processes already lets others pass.
  const busy = [order('a x 0'), order('b x 0')]
  expect(names(launchesToStart(waiting, busy, 4))).toEqual(['6', '1'])
  expect(names(launchesToStart(waiting, busy, 2))).toEqual([])
})

test('[CO2] a project with hundreds of sessions keeps no other one waiting', () => {
  const many = Array.from({ length: 200 }, (_, n) => order(`a x ${n}`))
  const busy = many.slice(0, 6)
  const waiting = [...many.slice(6), order('b x late')]
  expect(names(launchesToStart(waiting, busy.slice(1), 6))).toEqual(['late'])
})

test('[CO2] an agent with all the processes it may have is passed over', () => {
  const waiting = [order('a full 1', 1), order('a x 2'), order('b full 3', 1)]
  expect(names(launchesToStart(waiting, [order('c full 0')], 9))).toEqual(['2'])
  expect(names(launchesToStart(waiting, [], 9))).toEqual(['1', '2'])
})
