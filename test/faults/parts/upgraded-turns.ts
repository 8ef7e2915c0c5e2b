/**
 * RE10, CO12: a folder of the build before, with turns of each kind running, is taken over by
 * today's.
 */
import { productFolder } from '../build.ts'
import { coordinatorReplaced } from '../controls.ts'
import { isClean, newTally, type Tally } from '../oracle.ts'
import { startPostgres } from '../postgres-for-faults.ts'
import { turnsInRound, upgradedTurns } from '../upgraded-turns.ts'
import { buildBefore, hasOlderForm } from '../version-before.ts'
import { type Part, timed, withBuild } from './part.ts'

const rule = 'RE10'
const test = 'taken over with turns of each kind running'

export const upgradeTurns: Part = async ({ seed, points }) => {
  const before = await buildBefore().catch((error: Error) => error.message)
  if (typeof before === 'string') {
    const notRun = `no version before: ${before}`
    return [{ rule, test, points: '', seed, tally: newTally(), controls: [], seconds: 0, notRun }]
  }
  const postgres = await startPostgres()
  const form = await hasOlderForm(before.commit)
  const options = { before: before.folder, hasOlderForm: form, seed, rounds: points(10) }
  const reported = `${options.rounds} times from ${before.commit}, ${options.rounds * turnsInRound} turns`
  const broken = (change: typeof coordinatorReplaced): Promise<Tally> =>
    withBuild([change], (build) => upgradedTurns({ ...options, build, rounds: 1 }))
  try {
    return [
      await timed(async () => {
        const tally = await upgradedTurns({ ...options, build: productFolder })
        const controls = [
          {
            name: 'the coordinator of the build before is replaced',
            caught: !isClean(await broken(coordinatorReplaced)),
          },
        ]
        return { rule, test: `${test}, SQLite`, points: reported, seed, tally, controls }
      }),
      await timed(async () => {
        const tally = await upgradedTurns({
          ...options,
          build: productFolder,
          newUrl: postgres.newUrl,
        })
        return { rule, test: `${test}, PostgreSQL`, points: reported, seed, tally, controls: [] }
      }),
    ]
  } finally {
    await postgres.stop()
    await before.remove()
  }
}
