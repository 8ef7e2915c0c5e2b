/** Options shared by all commands. */
import type { CommandOption, CommandSpec } from './command.ts'

const jsonOption: CommandOption = { flags: '--json', about: 'print JSON, for programs' }

const folderOptions: readonly CommandOption[] = [
  { flags: '--data <folder>', about: 'data folder of the server (HOLDFAST_DATA)', value: 'folder' },
  { flags: '--config <file>', about: 'configuration file (HOLDFAST_CONFIG)', value: 'file' },
]

/** Options of commands without a server. */
const localOptions: readonly CommandOption[] = [jsonOption, ...folderOptions]

/** Options of commands that use the server. A token is never an option, because other users could read it. */
const remoteOptions: readonly CommandOption[] = [
  ...localOptions,
  { flags: '--server <url>', about: 'address of the server (HOLDFAST_URL)' },
  { flags: '--token-file <file>', about: 'file with the token, - for standard input (HOLDFAST_TOKEN)', value: 'file' },
]

export const yesOption: CommandOption = { flags: '-y, --yes', about: 'do not ask' }

export const limitOption: CommandOption = { flags: '--limit <number>', about: 'show at most so many (200)' }

/** Returns the options of a command: its own and the shared ones. A command group has none. */
export function optionsOf(spec: CommandSpec): readonly CommandOption[] {
  if (!spec.run) return []
  return [...(spec.options ?? []), ...(spec.local ? localOptions : remoteOptions)]
}
