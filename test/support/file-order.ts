/**
 * The order of the test files: first those that start many processes. To start one costs a worker
 * the more the larger it has grown (the system copies its tables of memory), and one that has run a
 * hundred files takes ten times as long as a new one.
 */

import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { shuffledBy } from '../../scripts/steady/shuffled.ts'

/** In the order in which they go; what runs agents that flood makes its worker large. */
const first = [
  /\/test\/coordinator\/worktrees\//,
  /\/worktrees/,
  /\/test\/repository\//,
  /\/test\/coordinator\//,
]

/** They load a whole compiler. */
const last = /\/test\/style\//

export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // `npm run test:steady` draws the order: a file may follow any other.
    const seed = process.env['TEST_ORDER_SEED']
    if (seed !== undefined) return shuffledBy(({ moduleId }) => moduleId, files, seed)
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = first.findIndex((pattern) => pattern.test(moduleId))
  if (rank >= 0) return rank
  return last.test(moduleId) ? first.length + 1 : first.length
}
