/**
 * Writes the stores of earlier builds that `npm test` opens (test/store/earlier-stores):
 * `node scripts/keep-earlier-stores.ts 6 12` makes those of schema versions 6 and 12, each by the
 * last build that had it. A selection is kept: test/store/migrations.test.ts names them.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fill, working } from '../test/faults/earlier-builds.ts'
import { checkOut, earlierForms } from '../test/faults/version-before.ts'

const folder = join(import.meta.dirname, '..', 'test', 'store', 'earlier-stores')
await mkdir(folder, { recursive: true })
const forms = await earlierForms()
for (const version of process.argv.slice(2).map(Number)) {
  const form = forms.find((one) => one.version === version)
  if (!form)
    throw new Error(
      `There is no build with schema version ${version}; there are ${forms.map((one) => one.version)}`,
    )
  const build = await checkOut(form.commit)
  const data = await mkdtemp(join(tmpdir(), 'holdfast-earlier-'))
  await working(
    build.folder,
    data,
    { HOLDFAST_TOKEN: 'a-token-for-an-earlier-store-0123456789' },
    fill,
  )
  const bytes = gzipSync(await readFile(join(data, 'holdfast.db')), { level: 9 })
  await writeFile(join(folder, `${version}.db.gz`), bytes)
  console.log(`${version}: ${form.commit}, ${bytes.length} bytes`)
  await rm(data, { recursive: true })
  await build.remove()
}
