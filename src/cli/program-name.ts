/** How this program was called, so that hints can be typed as they are shown. */
import type { Environment } from './terminal.ts'

const isClone = (env: Environment): boolean => env['npm_lifecycle_event'] === 'holdfast' || env['npm_lifecycle_event'] === 'start'

export const programName = (env: Environment): string => (isClone(env) ? 'npm run -s holdfast --' : 'holdfast')

export const startCommand = (env: Environment): string => (isClone(env) ? 'npm start' : 'holdfast up')

/** A hint names the program `holdfast`; in a clone nothing of that name can be typed. */
export const asTyped = (hint: string, env: Environment): string =>
  isClone(env) ? hint.replaceAll(/(?<![\w/.-])holdfast (?=[a-z])/g, `${programName(env)} `) : hint
