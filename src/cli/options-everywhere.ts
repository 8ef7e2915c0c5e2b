/** Options that mean the same on every command. */
import type { CommandOption, CommandSpec } from './command.ts'

const jsonOption: CommandOption = { flags: '--json', about: 'print JSON, for programs' }

const folderOptions: readonly CommandOption[] = [
  { flags: '--data <folder>', about: 'data folder of the server (HOLDFAST_DATA)', value: 'folder' },
  { flags: '--config <file>', about: 'configuration file (HOLDFAST_CONFIG)', value: 'file' },
]

/** For commands that need no server. */
const localOptions: readonly CommandOption[] = [jsonOption, ...folderOptions]

/** For commands that talk to the server. A token is never an option itself: other users could read it. */
const remoteOptions: readonly CommandOption[] = [
  ...localOptions,
  { flags: '--server <url>', about: 'address of the server (HOLDFAST_URL)' },
  { flags: '--token-file <file>', about: 'file with the token, - for standard input (HOLDFAST_TOKEN)', value: 'file' },
]

/** For what cannot be taken back. */
export const yesOption: CommandOption = { flags: '-y, --yes', about: 'do not ask' }

export const limitOption: CommandOption = { flags: '--limit <number>', about: 'show at most so many (200)' }

// The options a command has: its own, and those that mean the same everywhere. Pure.

/** A command that only holds others has none: they belong to the ones it holds. */
export function optionsOf(spec: CommandSpec): readonly CommandOption[] {
  if (!spec.run) return []
  return [...(spec.options ?? []), ...(spec.local ? localOptions : remoteOptions)]
}
