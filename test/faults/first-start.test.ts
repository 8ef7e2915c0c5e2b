/**
 * UI6 across kill -9, small: a moment of a first start, three in `npm run test:release`. Every call
 * of git and sixty other moments are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { gitCalls, killedFirstStarts } from './first-start.ts'
import { newTally } from './oracle.ts'

const names = amount(['after git add'], ['before git init', 'after git add', 'after git commit'])
const some = gitCalls.filter(({ name }) => names.includes(name))

test('[UI6] a first start that was killed is finished by the next, demo and all', async () => {
  expect(some).toHaveLength(names.length)
  expect(await killedFirstStarts(productFolder, some)).toEqual(newTally())
})
