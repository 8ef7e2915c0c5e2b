/** The bench's own judgement: a figure that cannot be trusted must never count as a goal met. */
import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../bench/harness/comparison.ts'
import { measureUntilDecided, takeTurns } from '../../bench/harness/measure.ts'
import { median, spread } from '../../bench/harness/statistics.ts'
import { exitCodeOf, flat, judge } from '../../bench/harness/verdict.ts'

const cost = { kind: 'cost', limit: 2 } as const
const rate = { kind: 'rate', limit: 0.8 } as const
const steady = [100, 101, 99, 100, 102, 98, 100, 101, 99]
const times = (factor: number): number[] => steady.map((value) => value * factor)

describe('the verdict', () => {
  test('[SP1] a cost up to its goal passes and past it misses', () => {
    expect(judge(cost, times(1.9), steady)).toMatchObject({ outcome: 'pass' })
    expect(judge(cost, times(2.1), steady)).toMatchObject({ outcome: 'miss' })
  })

  test('[SP5] a rate down to its goal passes and below it misses', () => {
    expect(judge(rate, times(0.81), steady)).toMatchObject({ outcome: 'pass' })
    expect(judge(rate, times(0.79), steady)).toMatchObject({ outcome: 'miss' })
  })

  test('[SP5] the median of the per-round ratios counts, so a slow machine changes nothing', () => {
    const yardstick = [100, 100, 140, 140, 140, 100, 100, 140, 100]
    const ours = yardstick.map((value) => value * 0.9)
    ours[4] = 1
    expect(judge(rate, ours, yardstick).ratio).toBeCloseTo(0.9)
    expect(judge(rate, ours, yardstick).outcome).toBe('pass')
  })

  test('[SP5] a yardstick that disagrees with itself by more than 1.5x decides nothing', () => {
    const restless = [100, 160, 100, 160, 100, 160, 100, 160, 100]
    expect(spread(restless)).toBeGreaterThan(1.5)
    for (const factor of [0.5, 0.9, 1]) {
      const ours = restless.map((value) => value * factor)
      expect(judge(rate, ours, restless).outcome).toBe('undecided')
    }
  })

  test('[SP5] one bad round of the yardstick in nine decides nothing', () => {
    const oneStall = steady.map((value, round) => (round === 3 ? value * 5 : value))
    expect(judge(cost, times(1.5), oneStall).outcome).toBe('pass')
  })

  test('[SP5] more than 5 % better than the yardstick means that the yardstick is wrong', () => {
    expect(judge(rate, times(1.04), steady).outcome).toBe('pass')
    expect(judge(rate, times(1.06), steady).outcome).toBe('yardstick wrong')
    expect(judge(cost, times(0.96), steady).outcome).toBe('pass')
    expect(judge(cost, times(0.94), steady).outcome).toBe('yardstick wrong')
  })

  test('[SP7] growth may be up to 1.3x, and cheaper by the dozen is no mistake', () => {
    expect(judge(flat, times(1.29), steady).outcome).toBe('pass')
    expect(judge(flat, times(1.31), steady).outcome).toBe('miss')
    expect(judge(flat, times(0.5), steady).outcome).toBe('pass')
  })

  test('[SP2] a result far better than another way reaches the goal and is no mistake', () => {
    const peer = { kind: 'peer', limit: 1 / 1000 } as const
    expect(judge(peer, times(0.0009), steady)).toMatchObject({ outcome: 'pass' })
    expect(judge(peer, times(0.0011), steady)).toMatchObject({ outcome: 'miss' })
  })

  test('[SP10] a figure that counts by itself is judged by its limit or its agreement', () => {
    const most = { kind: 'most', limit: 96 } as const
    const unsteady = steady.map((_, round) => (round % 2 === 0 ? 1 : 9))
    expect(judge(most, times(0.9), unsteady)).toMatchObject({ outcome: 'pass' })
    expect(judge(most, times(1), steady)).toMatchObject({ outcome: 'miss' })
    expect(judge(most, unsteady, steady)).toMatchObject({ outcome: 'pass' })
    const around = unsteady.map((value) => value * 20)
    expect(judge(most, around, steady)).toMatchObject({ outcome: 'undecided' })
    expect(judge(most, [...unsteady.slice(1), Number.NaN], steady)).toMatchObject({
      outcome: 'undecided',
    })
  })

  test('[SP5] rounds that cannot be paired, or are none, are refused', () => {
    expect(() => judge(cost, steady.slice(1), steady)).toThrow('Every round')
    expect(() => judge(cost, [], [])).toThrow('no measurements')
  })

  test('[SP5] the command fails on a miss, and never succeeds on what is undecided', () => {
    expect(exitCodeOf(['pass', 'pass'])).toBe(0)
    expect(exitCodeOf(['pass', 'undecided'])).toBe(2)
    expect(exitCodeOf(['undecided', 'miss'])).toBe(1)
    expect(exitCodeOf(['pass', 'yardstick wrong'])).toBe(1)
  })
})

describe('the rounds', () => {
  test('[SP5] contenders take turns, and who goes first changes each round', async () => {
    const order: string[] = []
    const contender = (name: string, value: number) => ({
      name,
      round: async () => {
        order.push(name)
        return value
      },
    })
    const figures = await takeTurns([contender('a', 1), contender('b', 2)], 3)
    expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b'])
    expect(figures).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ])
  })

  test('[SP5] an undecided figure is measured again, a bounded number of times', async () => {
    let prepared = 0
    const busyFor = (times: number): Comparison => ({
      title: '',
      unit: '',
      goal: rate,
      prepare: async () => {
        const busy = ++prepared <= times
        let round = 0
        return {
          ours: { name: 'ours', round: async () => 50 },
          yardstick: {
            name: 'yardstick',
            round: async () => (busy && round++ % 2 === 0 ? 200 : 100),
          },
          close: async () => {},
        }
      },
    })
    expect(await measureUntilDecided(busyFor(2), { rounds: 9, tries: 3 })).toMatchObject({
      outcome: 'miss',
      ratio: 0.5,
    })
    expect(prepared).toBe(3)
    prepared = 0
    expect(await measureUntilDecided(busyFor(9), { rounds: 9, tries: 3 })).toMatchObject({
      outcome: 'undecided',
    })
    expect(prepared).toBe(3)
  })

  test('[SP5] a round that measured nothing stops the bench', async () => {
    await expect(takeTurns([{ name: 'a', round: async () => 0 }], 1)).rejects.toThrow(
      'a measured 0',
    )
  })

  test('[SP5] the median of an even number of figures lies between the middle two', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })
})

test('[SP16] a cost within its allowed difference passes; a bad yardstick decides nothing', () => {
  const over = { kind: 'over', limit: 5 } as const
  expect(judge(over, [14, 15, 16], [10, 10, 11]).outcome).toBe('pass')
  expect(judge(over, [16, 17, 18], [10, 10, 11]).outcome).toBe('miss')
  expect(judge(over, [14, 24, 44, 64], [10, 20, 40, 60]).outcome).toBe('undecided')
  expect(judge(over, [8, 8, 8], [10, 10, 10]).outcome).toBe('yardstick wrong')
})
