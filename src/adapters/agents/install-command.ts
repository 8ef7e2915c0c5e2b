/** How npm installs an agent into a folder of its own, and how a person would type it. Pure. */
import { basename } from 'node:path'

/** Never `-g`: nothing outside of the folder changes. */
export const installArguments = (folder: string, packages: readonly string[]): string[] => [
  ...['install', '--prefix', folder, '--no-audit', '--no-fund'],
  ...packages,
]

interface Command {
  readonly file: string
  readonly args: readonly string[]
}

/** The program is named as it is on a PATH. */
export const asTyped = ({ file, args }: Command): string =>
  [basename(file), ...args].map(quoted).join(' ')

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** What says where npm gets packages from; no other of its settings is a child's to inherit. */
export const npmSettings = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    ['npm_config_registry', 'npm_config_userconfig', 'npm_config_cafile'].flatMap((name) => {
      const value = env[name] ?? env[name.toUpperCase()]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
