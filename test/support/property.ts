/**
 * Tests of properties, declared as with `@fast-check/vitest`. Its module itself is not loaded: it makes a function for every
 * combination of what a test can be (only, skipped, concurrent, …), and keeps 130 MB of them, which every process that a test
 * starts afterwards costs again.
 */
import type { test as declared } from '@fast-check/vitest'
import * as fc from 'fast-check'
import { test } from 'vitest'

export { fc }

type Prop = (typeof declared)['prop']
type Check = (...args: unknown[]) => unknown

function prop(arbitraries: [fc.Arbitrary<unknown>], parameters?: fc.Parameters<[unknown]>) {
  return (title: string, check: Check, timeout?: number): void =>
    test(
      title,
      () =>
        fc.assert(
          fc.asyncProperty(...arbitraries, async (...args) => (await check(...args)) as boolean | undefined),
          parameters,
        ),
      timeout,
    )
}

export const property = { prop: prop as unknown as Prop }
