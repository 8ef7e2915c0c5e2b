/** Every command through the parser. Only the files of the command that was typed are loaded; all of them where all are needed. */
import { CommanderError } from 'commander'
import { findPackageRoot } from '../platform/package-root.ts'
import { allCommands, commands } from './command-list.ts'
import { exitCodes } from './exit-codes.ts'
import { usage } from './failure.ts'
import { buildProgram } from './program.ts'
import { programName } from './program-name.ts'
import type { Terminal } from './terminal.ts'
import { typedCommand } from './typed-command.ts'
import { usageFailure } from './usage-failure.ts'

export async function runParsed(words: readonly string[], terminal: Terminal): Promise<number> {
  const argv = asOption(words)
  const [first] = argv
  const chosen = first !== undefined && Object.hasOwn(commands, first) ? commands[first] : undefined
  const specs = chosen ? [await chosen()] : await allCommands()
  const name = programName(terminal.env)
  const typed = typedCommand(argv, specs, name)
  const { version } = findPackageRoot()
  const program = buildProgram(specs, { terminal, name, version, allCommands })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCodes.ok.code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return exitCodes.ok.code
    const late = first?.startsWith('-') ? argv.find((word) => Object.hasOwn(commands, word)) : undefined
    if (late) throw usage(`Options stand behind the command, not before it.`, `Write \`${name} ${late} … ${first}\`.`)
    throw usageFailure(error, typed ? `${name} ${typed}` : name)
  }
}

/** `help projects` and `version` are typed as often as `projects --help` and `--version`. */
function asOption(words: readonly string[]): readonly string[] {
  const [first, ...others] = words
  if (first === 'help') return [...others.filter((word) => !word.startsWith('-')), '--help']
  return first === 'version' && others.length === 0 ? ['--version'] : words
}
