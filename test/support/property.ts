/**
 * Tests of properties: `property.prop([what may come])('title', (what, came) => …)` asks fast-check
 * for a counterexample, and fails with the smallest it finds.
 */
import * as fc from 'fast-check'
import { test } from 'vitest'

export { fc }

type Arbitraries<Values extends unknown[]> = { [At in keyof Values]: fc.Arbitrary<Values[At]> }
/** False, or an error, is a counterexample. */
type Check<Values extends unknown[]> = (...values: Values) => unknown

function prop<Values extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Values>,
  parameters?: fc.Parameters<Values>,
) {
  return (title: string, check: Check<Values>, timeout?: number): void =>
    test(
      title,
      () =>
        fc.assert(
          fc.asyncProperty<Values>(
            ...arbitraries,
            async (...values) => (await check(...values)) as boolean | undefined,
          ),
          parameters,
        ),
      timeout,
    )
}

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any character that UTF-8 can carry, as a unit of `fc.string`: fast-check's own of this kind makes
 * a list of all 1.1 million of them first, in more than a second and 90 MB.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((n) => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates))

export const property = { prop }
