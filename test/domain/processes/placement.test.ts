/** On which machine a process is started. */
import { expect, test } from 'vitest'
import { chooseMachine, type Machine } from '../../../src/domain/processes/lifecycle.ts'
import { labelForm } from '../../../src/domain/projects/settings.ts'

const machine = (coordinatorId: string, about: Partial<Machine> = {}): Machine => ({
  coordinatorId,
  labels: [],
  processes: 0,
  capacity: null,
  ...about,
})

test('[SC4] a machine must have every label that is asked for; without one, none is chosen', () => {
  const machines = [machine('plain'), machine('gpu', { labels: ['gpu', 'eu'], processes: 9 })]
  expect(chooseMachine(machines, [])).toBe('plain')
  expect(chooseMachine(machines, ['gpu'])).toBe('gpu')
  expect(chooseMachine(machines, ['gpu', 'eu'])).toBe('gpu')
  expect(chooseMachine(machines, ['gpu', 'us'])).toBeUndefined()
  expect(chooseMachine([], [])).toBeUndefined()
})

test('[SC4] processes are spread by what each machine takes', () => {
  const machines = [machine('small', { capacity: 4 }), machine('large', { capacity: 12 })]
  const counts = new Map<string, number>()
  for (let n = 0; n < 16; n++) {
    const now = machines.map((each) => ({
      ...each,
      processes: counts.get(each.coordinatorId) ?? 0,
    }))
    const chosen = chooseMachine(now, []) ?? ''
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1)
  }
  expect(Object.fromEntries(counts)).toEqual({ small: 4, large: 12 })
})

test('[SC4] a label is one plain word', () => {
  for (const good of ['gpu', 'eu-1', 'node20.x', '4090']) expect(labelForm.test(good)).toBe(true)
  for (const bad of ['', 'GPU', 'two words', '-x', 'ü', 'x'.repeat(64)])
    expect(labelForm.test(bad)).toBe(false)
})
