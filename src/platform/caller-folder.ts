/**
 * The folder a person is in. `npm start` and `npm run holdfast` change to the root of the clone first, so what was typed as a
 * relative path is meant relative to where npm was called.
 */
import { isAbsolute } from 'node:path'

export function callerFolder(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const ours = env['npm_lifecycle_event'] === 'start' || env['npm_lifecycle_event'] === 'holdfast'
  const from = env['INIT_CWD']
  return ours && from && isAbsolute(from) ? from : cwd
}
