/**
 * SE20, for all tests that start the product: every git they start is recorded, and a file of tests
 * fails when Holdfast has started one that reads a configuration or an index of others. Git that
 * agents and the tests themselves run is not Holdfast's.
 */
import { afterAll, expect } from 'vitest'
import { main } from './built-product.ts'
import { everyGit, strayCallsOf } from './recording-git.ts'

const before = everyGit().length

afterAll(() => {
  expect(strayCallsOf(main, everyGit().slice(before))).toEqual([])
})
