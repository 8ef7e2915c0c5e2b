/**
 * RE10 and CH12, small: one folder. Ten of each engine, and the builds that take it over wrongly,
 * are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { newTally } from './oracle.ts'
import { upgradedTurns } from './upgraded-turns.ts'
import { beforeOneTurn } from './version-before.ts'

test('[RE10] [CH12] turns of the build before are taken over and answered once', async () => {
  // A copy of the sources has no history: there today's build takes over what its own server began.
  const before = await beforeOneTurn().catch(() => undefined)
  try {
    const options = {
      before: before?.folder ?? productFolder,
      build: productFolder,
      seed: 'npm test',
      rounds: 1,
    }
    expect(await upgradedTurns(options)).toEqual(newTally())
  } finally {
    await before?.remove()
  }
})
