/**
 * The folder in which the user called the command. `npm start` and `npm run holdfast` change to the root of the clone first;
 * relative paths are meant relative to where npm was called.
 */
import { isAbsolute } from 'node:path'

export function callerFolder(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const ours = env['npm_lifecycle_event'] === 'start' || env['npm_lifecycle_event'] === 'holdfast'
  const from = env['INIT_CWD']
  return ours && from && isAbsolute(from) ? from : cwd
}
