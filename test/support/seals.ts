/** A key for tests, and values sealed with it as a server would. */
import type { SealedValue } from '../../src/domain/agents/environment.ts'
import { Seals } from '../../src/platform/secrets/seals.ts'

export const testSeals = new Seals(Buffer.alloc(32, 7))

export const sealedEnvironment = (
  values: Readonly<Record<string, string>>,
): Record<string, SealedValue> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, testSeals.seal(name, value)]),
  )
