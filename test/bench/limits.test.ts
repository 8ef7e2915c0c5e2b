import { expect, test } from 'vitest'
import { scaled, waitAt } from '../../bench/limits/model.ts'

const constants = { appends: 4000, appendsOfOneStream: 1500, notifications: 100_000 }

test('[SC6] the model waits as the theory of one queue says, alike for the same seed', () => {
  // M/M/1: the time in the system is on average 1 / (capacity - rate); its median is ln 2 of that.
  const { medianMs, load } = waitAt(500, 1000)
  expect(load).toBe(0.5)
  expect(medianMs).toBeGreaterThan(1)
  expect(medianMs).toBeLessThan(2)
  expect(waitAt(950, 1000).p99Ms).toBeGreaterThan(10 * waitAt(500, 1000).p99Ms * 0.5)
  expect(waitAt(500, 1000)).toEqual(waitAt(500, 1000))
})

test('[SC6] people load the database, nodes the notifications, up to what a node can ring', () => {
  const habit = { appends: 1.2, appendsAtHome: 0.02 }
  const few = scaled(100, 1, constants, habit)
  const many = scaled(3000, 6, constants, habit)
  expect(many.database.load).toBeCloseTo(30 * few.database.load)
  expect(many.notificationsLoad * constants.notifications).toBeCloseTo(6 * 6 * (1000 / 15))
  expect(few.home.load).toBeLessThan(0.01)
})
