/** Options shared by all commands, and those that many of them have. */
import { type CommandSpec, type Given, type Options, option } from './command.ts'

/** Options of commands without a server. */
const localOptions = {
  json: option.flag('print JSON, for programs'),
  data: option.text('<folder>', 'data folder of the server (HOLDFAST_DATA)'),
  config: option.text('<file>', 'configuration file (HOLDFAST_CONFIG)'),
}

/**
 * Options of commands that use the server. A token is never an option, because other users could
 * read it.
 */
const remoteOptions = {
  ...localOptions,
  server: option.text('<url>', 'address of the server (HOLDFAST_URL)'),
  tokenFile: option.text('<file>', 'file with the token, - for standard input (HOLDFAST_TOKEN)'),
}

export const yesOption = option.flag('do not ask', { short: 'y' })

export const limitOption = option.text('<number>', 'show at most so many (200)')

export const projectOption = option.text(
  '<project>',
  'its id, or its name where only one has it; left out, the project of this folder, or the only one',
)

/** Options that the context of a command reads, whichever of them the command has. */
export const sharedOptions = {
  ...remoteOptions,
  yes: yesOption,
  limit: limitOption,
  project: projectOption,
}

export type SharedOptions = Given<typeof sharedOptions>

/** Returns the options of a command: its own and the shared ones. A command group has none. */
export function optionsOf(spec: CommandSpec): Options {
  if (!spec.run) return {}
  return { ...spec.options, ...(spec.local ? localOptions : remoteOptions) }
}
