/** Options shared by all commands. */
import { type CommandOption, type CommandSpec, options } from './command.ts'

/** Options of commands without a server. */
const localOptions = options`
  --json  print JSON, for programs
  --data <folder>  data folder of the server (HOLDFAST_DATA)
  --config <file>  configuration file (HOLDFAST_CONFIG)`

/** Options of commands that use the server. A token is never an option, because other users could read it. */
const remoteOptions = options`
  ${localOptions}
  --server <url>  address of the server (HOLDFAST_URL)
  --token-file <file>  file with the token, - for standard input (HOLDFAST_TOKEN)`

export const yesOption: CommandOption = { flags: '-y, --yes', about: 'do not ask' }

export const limitOption: CommandOption = {
  flags: '--limit <number>',
  about: 'show at most so many (200)',
}

/** Returns the options of a command: its own and the shared ones. A command group has none. */
export function optionsOf(spec: CommandSpec): readonly CommandOption[] {
  if (!spec.run) return []
  return [...(spec.options ?? []), ...(spec.local ? localOptions : remoteOptions)]
}
