/**
 * Runs a command through the parser. Loads only the files of the given command, or all where all
 * are needed.
 */

import { CommanderError } from 'commander'
import { nearest } from '../domain/nearest.ts'
import { findPackageRoot } from '../platform/files/package-root.ts'
import { commandsIn, type NamedCommand } from './command.ts'
import { isCommand, loadCommands } from './command-list.ts'
import { exitCodes } from './exit-codes.ts'
import { type CommandFailure, usage } from './failure.ts'
import { buildProgram } from './program.ts'
import { programName } from './program-name.ts'
import type { Terminal } from './terminal.ts'

const maxNamed = 15

/**
 * Returns the typed command (`projects show`). Refuses an unknown word, which a default command
 * would take as an operand.
 */
function typedCommand(
  argv: readonly string[],
  specs: readonly NamedCommand[],
  program: string,
  before = '',
): string {
  const [word] = argv
  if (word === undefined || word.startsWith('-')) return before.trimEnd()
  const found = specs.find(({ name }) => name === word)
  if (found)
    return typedCommand(
      found.commands ? argv.slice(1) : [],
      commandsIn(found),
      program,
      `${before}${word} `,
    )
  const names = specs.map(({ name }) => name)
  const close = nearest(word, names)
  // Too many for one line.
  const all =
    names.length > maxNamed ? `\`${program} --help\` lists them.` : `There is ${names.join(', ')}.`
  const hint = close ? `Did you mean \`${program} ${before}${close}\`?` : all
  throw usage(`There is no command ${JSON.stringify(`${before}${word}`)}.`, hint)
}

/** Describes a parser error in our words. */
function usageFailure(error: CommanderError, command: string): CommandFailure {
  // A command group was typed alone.
  if (error.code === 'commander.help')
    return usage('A command is missing.', `See what there is with \`${command} --help\`.`)
  const [message = '', ...hints] = error.message.replace(/^error: /, '').split('\n')
  const sentence = message.replace(/\.$/, '')
  const suggestion = hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')).join(' ')
  return usage(
    `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,
    `${suggestion ? `${suggestion} ` : ''}See \`${command} --help\`.`,
  )
}

export async function runParsed(words: readonly string[], terminal: Terminal): Promise<number> {
  const argv = asOption(words)
  const [first] = argv
  const specs = await loadCommands(first !== undefined && isCommand(first) ? first : undefined)
  const name = programName(terminal.env)
  const typed = typedCommand(argv, specs, name)
  const { version } = findPackageRoot()
  const program = buildProgram(specs, { terminal, name, version, allCommands: loadCommands })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCodes.ok.code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return exitCodes.ok.code
    const late = first?.startsWith('-') ? argv.find((word) => isCommand(word)) : undefined
    if (late)
      throw usage(
        `Options stand behind the command, not before it.`,
        `Write \`${name} ${late} … ${first}\`.`,
      )
    throw usageFailure(error, typed ? `${name} ${typed}` : name)
  }
}

/** Converts `help projects` and `version` to `projects --help` and `--version`. */
function asOption(words: readonly string[]): readonly string[] {
  const [first, ...others] = words
  if (first === 'help') return [...others.filter((word) => !word.startsWith('-')), '--help']
  return first === 'version' && others.length === 0 ? ['--version'] : words
}
