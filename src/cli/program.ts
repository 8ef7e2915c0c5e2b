/**
 * Builds a commander program from the descriptions: parsing, --help with examples and exit codes,
 * hints for typing errors.
 */

import { Command, Option } from 'commander'
import {
  type CommandOption,
  type CommandSpec,
  commandsIn,
  flagsOf,
  type NamedCommand,
  readOperands,
  readOptions,
  shownOperands,
  type Typed,
} from './command.ts'
import { CommandContext } from './context.ts'
import { displayWidth, padTo } from './display-width.ts'
import { exitCodes } from './exit-codes.ts'
import { optionsOf } from './options-everywhere.ts'
import { type Paint, painter, type Terminal } from './terminal.ts'

const widestHelp = 110

const helpWidth = ({ stdout }: Terminal): number => Math.min(stdout.columns ?? 100, widestHelp)

/**
 * Formats examples with their explanation beside them, or below where the line would be too long.
 */
function examplesText(name: string, examples: CommandSpec['examples'], terminal: Terminal): string {
  const paint = painter(terminal.stdout, terminal.env)
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(displayWidth))
  const typedWidth = widest(examples.map(([typed]) => typed))
  const fits =
    2 + name.length + 1 + typedWidth + 2 + widest(examples.map(([, does]) => does)) <=
    helpWidth(terminal)
  const lines = examples.map(([typed, does]) =>
    fits
      ? `  ${paint('dim', name)} ${padTo(typed, typedWidth)}  ${paint('dim', does)}`
      : `  ${paint('dim', name)} ${typed}\n      ${paint('dim', does)}`,
  )
  return ['', paint('bold', 'Examples:'), ...lines].join('\n')
}

export const aboutOption = ({ about, many }: CommandOption): string =>
  many ? `${about}; may be given several times` : about

function exitCodeTable(paint: Paint): string {
  const lines = Object.values(exitCodes).map(
    ({ code, about }) => `  ${paint('cyan', String(code).padEnd(3))}  ${about}`,
  )
  return [paint('bold', 'Exit codes:'), ...lines].join('\n')
}

export interface ProgramOptions {
  readonly terminal: Terminal
  readonly name: string
  readonly version: string
  readonly allCommands: () => Promise<NamedCommand[]>
}

/**
 * commander 15 writes nothing by itself: help goes to standard output, everything else is thrown
 * and reported by run.ts.
 */
export function buildProgram(specs: readonly NamedCommand[], options: ProgramOptions): Command {
  const { terminal, name, version } = options
  const paint = painter(terminal.stdout, terminal.env)
  const program = new Command(name)
    .description(
      'The session server for AI agents: starts them, keeps them warm, and takes work up where it stopped.',
    )
    .version(version, '-V, --version', 'print the version')
    .usage('[command] [options]')
  prepare(program, terminal, paint)
  program.addHelpText(
    'after',
    () => `${examplesText(name, topExamples, terminal)}\n\n${exitCodeTable(paint)}`,
  )
  for (const spec of specs)
    program.addCommand(build(spec, options, paint), { isDefault: spec.isDefault })
  return program
}

const topExamples: CommandSpec['examples'] = [
  ['up', 'start the server and print a sign-in link'],
  ['projects create demo --path .', 'make a project of this folder'],
  ['doctor', 'find out what is wrong'],
]

function build(spec: NamedCommand, options: ProgramOptions, paint: Paint): Command {
  const command = new Command(spec.name).description(spec.summary)
  prepare(command, options.terminal, paint)
  const { operands = {}, options: own = {} } = spec
  const abouts = Object.values(operands).map(({ about }) => about)
  for (const [index, shown] of shownOperands(spec).entries()) command.argument(shown, abouts[index])
  for (const [word, option] of Object.entries(optionsOf(spec)))
    command.addOption(toOption(word, option))
  for (const inner of commandsIn(spec))
    command.addCommand(build(inner, options, paint), { isDefault: inner.isDefault })
  command.addHelpText('after', () => helpFooter(options, spec, paint))
  const run = spec.run
  if (run) {
    command.action(async (...all: unknown[]) => {
      const found = command.opts<Record<string, Typed>>()
      const given = {
        ...readOperands(operands, all.slice(0, -2) as Typed[]),
        ...readOptions(own, found),
      }
      const context = new CommandContext({ ...options, options: found, progress: !spec.local })
      await run(context, given)
        .catch((error: unknown) => context.failWith(error))
        .finally(() => context.end())
    })
  }
  return command
}

function toOption(name: string, spec: CommandOption): Option {
  const { many, choices } = spec
  const option = new Option(flagsOf(name, spec), aboutOption(spec))
  if (choices) option.choices([...choices])
  if (many) {
    const check = option.parseArg
    option.argParser<string[]>((value, before) => {
      check?.call(option, value, undefined)
      return [...(before ?? []), value]
    })
  }
  return option
}

function prepare(command: Command, terminal: Terminal, paint: Paint): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: () => {},
      outputError: () => {},
      // `paint` already handles colours.
      getOutHasColors: () => true,
    })
    .configureHelp({
      helpWidth: helpWidth(terminal),
      optionDescription: ({ description, argChoices }) =>
        argChoices ? `${argChoices.join('|')}: ${description}` : description,
      styleTitle: (text) => paint('bold', text),
      styleCommandText: (text) => paint('cyan', text),
      styleSubcommandTerm: (text) => paint('cyan', text),
      styleOptionTerm: (text) => paint('cyan', text),
      styleArgumentTerm: (text) => paint('cyan', text),
      subcommandTerm: (inner) => inner.name(),
    })
}

const helpFooter = (
  { name, terminal }: ProgramOptions,
  { examples }: CommandSpec,
  paint: Paint,
): string =>
  `${examplesText(name, examples, terminal)}\n\n${paint('dim', `What the exit codes mean: ${name} --help`)}`
