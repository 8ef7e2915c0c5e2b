/** Name this program was called by, so that hints can be typed as shown. */
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

/** Replaces `holdfast` in a hint where it cannot be typed: in a clone, and under npx. */
export const asTyped = (hint: string, env: Environment): string =>
  isClone(env) || isNpx(env) ? hint.replaceAll(/(?<!npx |[\w/.-])holdfast (?=[a-z])/g, `${programName(env)} `) : hint
