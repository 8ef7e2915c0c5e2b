/**
 * Tests of properties, declared as with `@fast-check/vitest`. Its module itself is not loaded: it makes a function for every
 * combination of what a test can be (only, skipped, concurrent, …) and keeps 30 MB of them; the larger a worker is, the more
 * each process costs that a test starts.
 */
import type { test as declared } from '@fast-check/vitest'
import * as fc from 'fast-check'
import { test } from 'vitest'

export { fc }

const firstSurrogate = 0xd800
const surrogates = 0x800

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

/**
 * Any character that UTF-8 can carry, as a unit of `fc.string`: fast-check's own of this kind makes a list of all 1.1 million of
 * them first, in more than a second and 90 MB.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((n) => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates))

export const property = { prop: prop as unknown as Prop }
