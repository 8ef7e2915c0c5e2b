/**
 * What is really started for the command of an agent's entry. `holdfast` is this very program, as whoever starts it was started,
 * never something of that name in the PATH. Every other command is the system's to find.
 */
import { ownProgram } from '../domain/agents/demo.ts'

/** A file and what comes before the arguments. */
export type OwnProgram = readonly [file: string, ...args: string[]]

export const programOf = (
  command: string,
  args: readonly string[],
  [file, ...first]: OwnProgram,
): readonly [file: string, args: readonly string[]] => (command === ownProgram ? [file, [...first, ...args]] : [command, args])
