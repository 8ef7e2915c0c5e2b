import { expect, test } from 'vitest'
import { flatness } from './flat.ts'

const hour = Array.from({ length: 240 }, (_, n) => n)
const noise = (n: number): number => ((n * 7919) % 13) - 6

test('[RE8] what warms up and then stays is flat, whatever it is at one moment', () => {
  const memory = hour.map((n) => 120 + Math.min(n, 40) + noise(n) + (n === 200 ? 300 : 0))
  expect(flatness(memory, 1.1, 8)).toMatchObject({ flat: true })
})

test('[RE8] a leak is found: fifteen megabytes in an hour, or an open file in two minutes', () => {
  const leaking = hour.map((n) => 60 + n / 8 + noise(n) / 6)
  expect(flatness(leaking, 1.1, 2)).toMatchObject({ flat: false })
  expect(flatness(leaking, 1.1, 30)).toMatchObject({ flat: true })
})
