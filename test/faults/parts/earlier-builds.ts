/** RE10: data folders of earlier builds, opened, used and looked through by today's. */
import { productFolder } from '../build.ts'
import { expectsAllOfEarlierEvents } from '../controls.ts'
import { upgradedFolders } from '../earlier-builds.ts'
import { newTally } from '../oracle.ts'
import { startPostgres } from '../postgres-for-faults.ts'
import { earlierForms } from '../version-before.ts'
import { type Part, timed, withBuild } from './part.ts'

export const earlierBuilds: Part = async ({ seed }) => {
  const forms = await earlierForms().catch((error: Error) => error.message)
  if (typeof forms === 'string') {
    const notRun = `no earlier versions: ${forms}`
    return [
      {
        rule: 'RE10',
        test: 'folders of earlier builds',
        points: '',
        seed,
        tally: newTally(),
        controls: [],
        seconds: 0,
        notRun,
      },
    ]
  }
  const reported = (of: typeof forms): string =>
    of.map(({ version, commit }) => `${version} (${commit})`).join(', ')
  const postgres = await startPostgres()
  try {
    return [
      await timed(async () => {
        const tally = await upgradedFolders({ build: productFolder, forms })
        const broken = await withBuild([expectsAllOfEarlierEvents], (build) =>
          upgradedFolders({ build, forms: forms.slice(0, 1) }),
        )
        const controls = [{ name: 'earlier events must say all', caught: broken.torn > 0 }]
        const points = `the last build of schema versions ${reported(forms)}`
        return { rule: 'RE10', test: 'folders of earlier builds', points, seed, tally, controls }
      }),
      await timed(async () => {
        // The first form was SQLite's alone.
        const later = forms.filter(({ version }) => version > 1)
        const tally = await upgradedFolders({
          build: productFolder,
          forms: later,
          newUrl: postgres.newUrl,
        })
        return {
          rule: 'RE10',
          test: 'databases of earlier builds, PostgreSQL',
          points: reported(later),
          seed,
          tally,
          controls: [],
        }
      }),
    ]
  } finally {
    await postgres.stop()
  }
}
