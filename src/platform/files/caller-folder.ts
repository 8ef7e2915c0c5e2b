/**
 * What the user had where the command was called. `npm start` and `npm run holdfast` change to the
 * root of the clone first, and npm and npx put folders of programs in front of PATH: relative paths
 * are meant relative to where npm was called, and agents get the user's own programs, above all the
 * user's Node (SE4).
 */
import { delimiter, isAbsolute } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>

export function callerFolder(env: Variables, cwd: string): string {
  const ours = env['npm_lifecycle_event'] === 'start' || env['npm_lifecycle_event'] === 'holdfast'
  const from = env['INIT_CWD']
  return ours && from && isAbsolute(from) ? from : cwd
}

const runsUs: ReadonlySet<string | undefined> = new Set(['start', 'holdfast', 'npx'])
/** One for each folder above the package, then npm's own. */
const putByNpm =
  /(^|[\\/])node_modules[\\/](\.bin|@npmcli[\\/]run-script[\\/]lib[\\/]node-gyp-bin)$/

/** Folders of the user's own that look like npm's are kept behind the first that does not. */
export function callerPath(env: Variables): string | undefined {
  const folders = env['PATH']?.split(delimiter) ?? []
  const first = folders.findIndex((folder) => !putByNpm.test(folder))
  return first > 0 && runsUs.has(env['npm_lifecycle_event'])
    ? folders.slice(first).join(delimiter)
    : env['PATH']
}
