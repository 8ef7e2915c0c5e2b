/** docs/reference/cli.md: every command with its options and examples, and the exit codes. */
import { commandsIn, flagsOf, type NamedCommand, shownOperands } from '../../src/cli/command.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { optionsOf } from '../../src/cli/options-everywhere.ts'
import { aboutOption } from '../../src/cli/program.ts'
import { code, page, table } from './markdown.ts'

function describe(spec: NamedCommand, before: string, level: number): string[] {
  const name = `${before} ${spec.name}`.trim()
  const parts = [
    `${'#'.repeat(level)} ${[name, ...shownOperands(spec)].join(' ')}`,
    `${spec.summary}.`,
  ]
  const operands = Object.entries(spec.operands ?? {})
  if (operands.length > 0)
    parts.push(
      operands.map(([name, { about, called = name }]) => `- ${code(called)}: ${about}`).join('\n'),
    )
  const options = Object.entries(optionsOf(spec))
  if (options.length > 0) {
    parts.push(
      table(
        ['option', 'what it does'],
        options.map(([key, option]) => [
          code(flagsOf(key, option)),
          [
            aboutOption(option),
            ...(option.choices ? [`one of ${option.choices.join(', ')}`] : []),
          ].join('; '),
        ]),
      ),
    )
  }
  if (spec.examples.length > 0) {
    const width = Math.max(...spec.examples.map(([typed]) => typed.length))
    parts.push(
      `\`\`\`\n${spec.examples.map(([typed, does]) => `holdfast ${typed.padEnd(width)}  # ${does}`).join('\n')}\n\`\`\``,
    )
  }
  return [...parts, ...commandsIn(spec).flatMap((inner) => describe(inner, name, level + 1))]
}

export function cliPage(commands: readonly NamedCommand[]): string {
  return page(
    '# Command line',
    [
      'In a clone, write `npm run -s holdfast --` in place of `holdfast`. Without a command, `up` is meant. Results go to standard output, words and progress to',
      'standard error; `--json` makes the result JSON. Nothing asks a question when standard input is not a terminal.',
    ].join('\n'),
    ...commands.flatMap((spec) => describe(spec, '', 2)),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.values(exitCodes).map((each) => [String(each.code), each.about]),
    ),
  )
}
