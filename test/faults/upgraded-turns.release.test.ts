/**
 * RE10 and CO12, small: one folder. Ten of each engine, and the builds that take it over wrongly,
 * are in `npm run test:faults`.
 */
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { newTally } from './oracle.ts'
import { upgradedTurns } from './upgraded-turns.ts'
import { buildBefore, hasOlderForm } from './version-before.ts'

test('[RE10] [CO12] turns of the build before are taken over and answered once', async () => {
  // A copy of the sources has no history: there today's build takes over what its own server began.
  const before = await buildBefore().catch(() => undefined)
  try {
    const options = {
      before: before?.folder ?? productFolder,
      hasOlderForm: before !== undefined && (await hasOlderForm(before.commit)),
      build: productFolder,
      seed: 'npm test',
      rounds: 1,
    }
    expect(await upgradedTurns(options)).toEqual(newTally())
  } finally {
    await before?.remove()
  }
})
