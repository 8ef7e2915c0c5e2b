/**
 * Resolves the command of an agent's entry. `holdfast` is this program, started as the current
 * process was, never a program of that name in the PATH. The system finds every other command.
 */
import { ownProgram } from '../../domain/agents/demo.ts'

/** A file and what comes before the arguments. */
export type OwnProgram = readonly [file: string, ...args: string[]]

export const programOf = (
  command: string,
  args: readonly string[],
  [file, ...first]: OwnProgram,
): readonly [file: string, args: readonly string[]] =>
  command === ownProgram ? [file, [...first, ...args]] : [command, args]
