/**
 * Drives real agents against a scripted model: `npm run test:agents`.
 *
 *   --folder DIR    where they were installed; without it they are looked for on the PATH
 *   --install DIR   installs them there first, in the versions of recipes.ts
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findProgram, install } from './installed.ts'
import { recipes } from './recipes.ts'

const { values } = parseArgs({ options: { folder: { type: 'string' }, install: { type: 'string' } } })
const given = values.install ?? values.folder
const folder = given === undefined ? undefined : resolve(given)

if (values.install !== undefined && folder !== undefined) {
  for (const [name, recipe] of Object.entries(recipes)) {
    if (findProgram(name, recipe, folder)) continue
    console.log(`installing ${recipe.packages.join(' ')} …`)
    install(name, recipe, folder)
  }
}
const root = join(import.meta.dirname, '..', '..', '..')
const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', join(import.meta.dirname, 'vitest.config.ts')]
const env = { ...process.env, ...(folder === undefined ? {} : { REAL_AGENTS_FOLDER: folder }) }
process.exitCode = spawnSync(process.execPath, argv, { cwd: root, env, stdio: 'inherit' }).status ?? 1
