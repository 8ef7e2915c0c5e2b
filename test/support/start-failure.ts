import { expect } from 'vitest'
import { StartFailure } from '../../src/platform/processes/start-failure.ts'

/** The StartFailure that an attempt ends with. */
export async function failureOf(attempt: Promise<unknown>): Promise<StartFailure> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StartFailure)
  return error as StartFailure
}
