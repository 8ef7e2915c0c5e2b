/**
 * Finds how npx was told which package to run, such as `./holdfast-0.1.0.tgz` or `holdfast@0.1.0`: it records that beside the
 * installed package.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from './parse-json.ts'

/** Text that needs no quoting in a shell. */
const typeable = /^[\w@./~+-]{1,200}$/

/** Undefined when the package was not installed by npx. */
export function packageGivenToNpx(packageFolder: string): string | undefined {
  try {
    const about = parseJson(readFileSync(join(packageFolder, '..', '..', 'package.json'))) as { _npx?: { packages?: unknown[] } }
    const [given] = about._npx?.packages ?? []
    return typeof given === 'string' && typeable.test(given) ? given : undefined
  } catch {
    return undefined
  }
}
