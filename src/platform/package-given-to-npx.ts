/** How npx was told which package to run, `./holdfast-0.1.0.tgz` or `holdfast@0.1.0`: it writes that beside what it installs for a while. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from './parse-json.ts'

/** What can be typed as it stands. */
const typeable = /^[\w@./~+-]{1,200}$/

/** Undefined when the package was not installed by npx: it may run one that is there already. */
export function packageGivenToNpx(packageFolder: string): string | undefined {
  try {
    const about = parseJson(readFileSync(join(packageFolder, '..', '..', 'package.json'))) as { _npx?: { packages?: unknown[] } }
    const [given] = about._npx?.packages ?? []
    return typeof given === 'string' && typeable.test(given) ? given : undefined
  } catch {
    return undefined
  }
}
