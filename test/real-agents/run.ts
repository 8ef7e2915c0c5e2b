/**
 * Drives real agents against a scripted model: `npm run test:agents`.
 *
 *   --folder DIR    where they were installed; without it they are looked for on the PATH
 *   --install DIR   installs them there first, in the versions of recipes.ts
 *   --only A,B      these agents alone
 *   --record DIR    keeps what went to and from each agent there, as AGENT.jsonl
 *   SUITE …         these suites alone, such as life
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findProgram, install } from './installed.ts'
import { recipes } from './recipes.ts'

const options = {
  folder: { type: 'string' },
  install: { type: 'string' },
  only: { type: 'string' },
  record: { type: 'string' },
} as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const given = values.install ?? values.folder
const folder = given === undefined ? undefined : resolve(given)

if (values.install !== undefined && folder !== undefined) {
  for (const [name, recipe] of Object.entries(recipes)) {
    if (findProgram(name, recipe, folder)) continue
    console.log(`installing ${recipe.packages.join(' ')} …`)
    install(name, recipe, folder)
  }
}
if (
  folder !== undefined &&
  !Object.entries(recipes).some(([name, recipe]) => findProgram(name, recipe, folder))
)
  throw new Error(`${folder} has none of the agents; --install ${folder} installs them there.`)
const root = join(import.meta.dirname, '..', '..')
const argv = [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--config',
  join(import.meta.dirname, 'vitest.config.ts'),
  ...positionals,
]
const env = {
  ...process.env,
  ...(folder && { REAL_AGENTS_FOLDER: folder }),
  ...(values.only && { REAL_AGENTS_ONLY: values.only }),
  ...(values.record && { REAL_AGENTS_RECORD: resolve(values.record) }),
}
process.exitCode =
  spawnSync(process.execPath, argv, { cwd: root, env, stdio: 'inherit' }).status ?? 1
