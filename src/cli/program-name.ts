/** How this program was called, so that hints can be typed as they are shown. */
import { packageGivenToNpx } from '../platform/package-given-to-npx.ts'
import { findPackageRoot } from '../platform/package-root.ts'
import type { Environment } from './terminal.ts'

const isClone = (env: Environment): boolean => env['npm_lifecycle_event'] === 'holdfast' || env['npm_lifecycle_event'] === 'start'

const isNpx = (env: Environment): boolean => env['npm_lifecycle_event'] === 'npx'

export function programName(env: Environment): string {
  if (isClone(env)) return 'npm run -s holdfast --'
  return isNpx(env) ? `npx ${packageGivenToNpx(findPackageRoot().folder) ?? 'holdfast'}` : 'holdfast'
}

export const startCommand = (env: Environment): string => (isClone(env) ? 'npm start' : `${programName(env)} up`)

/** A hint names the program `holdfast`; in a clone, and where npx has run it, nothing of that name can be typed. */
export const asTyped = (hint: string, env: Environment): string =>
  isClone(env) || isNpx(env) ? hint.replaceAll(/(?<!npx |[\w/.-])holdfast (?=[a-z])/g, `${programName(env)} `) : hint
