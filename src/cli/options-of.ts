/** The options a command has: its own, and those that mean the same everywhere. Pure. */
import type { CommandOption, CommandSpec } from './command.ts'
import { localOptions, remoteOptions } from './options-everywhere.ts'

/** A command that only holds others has none: they belong to the ones it holds. */
export function optionsOf(spec: CommandSpec): readonly CommandOption[] {
  if (!spec.run) return []
  return [...(spec.options ?? []), ...(spec.local ? localOptions : remoteOptions)]
}
