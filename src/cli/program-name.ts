/** Name this program was called by, so that hints can be typed as shown. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageRoot } from '../platform/files/package-root.ts'
import { parseJson } from '../platform/parse-json.ts'
import type { Environment } from './terminal.ts'

// Finds how npx was told which package to run, such as `./holdfast-0.1.0.tgz` or `holdfast@0.1.0`:
// it records that beside the installed package.

/** Text that needs no quoting in a shell. */
const typeable = /^[\w@./~+-]{1,200}$/

/** Undefined when the package was not installed by npx. */
export function packageGivenToNpx(packageFolder: string): string | undefined {
  try {
    const about = parseJson(readFileSync(join(packageFolder, '..', '..', 'package.json'))) as {
      _npx?: { packages?: unknown[] }
    }
    const [given] = about._npx?.packages ?? []
    return typeof given === 'string' && typeable.test(given) ? given : undefined
  } catch {
    return undefined
  }
}

const isClone = (env: Environment): boolean =>
  env['npm_lifecycle_event'] === 'holdfast' || env['npm_lifecycle_event'] === 'start'

const isNpx = (env: Environment): boolean => env['npm_lifecycle_event'] === 'npx'

export function programName(env: Environment): string {
  if (isClone(env)) return 'npm run -s holdfast --'
  return isNpx(env)
    ? `npx ${packageGivenToNpx(findPackageRoot().folder) ?? 'holdfast'}`
    : 'holdfast'
}

export const startCommand = (env: Environment): string =>
  isClone(env) ? 'npm start' : `${programName(env)} up`

/** Replaces `holdfast` in a hint where it cannot be typed: in a clone, and under npx. */
export const asTyped = (hint: string, env: Environment): string =>
  isClone(env) || isNpx(env)
    ? hint.replaceAll(/(?<!npx |[\w/.-])holdfast (?=[a-z])/g, `${programName(env)} `)
    : hint
