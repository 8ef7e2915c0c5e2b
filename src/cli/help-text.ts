/** What --help says below the options: examples that can be typed as they stand, and what the exit codes mean. */
import type { CommandOption, CommandSpec } from './command.ts'
import { displayWidth, padTo } from './display-width.ts'
import { exitCodes } from './exit-codes.ts'
import { type Paint, painter, type Terminal } from './terminal.ts'

const widestHelp = 110

export const helpWidth = ({ stdout }: Terminal): number => Math.min(stdout.columns ?? 100, widestHelp)

/** What an example does stands behind it, or under it where the line would be too long. */
export function examplesText(name: string, examples: CommandSpec['examples'], terminal: Terminal): string {
  const paint = painter(terminal.stdout, terminal.env)
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(displayWidth))
  const typedWidth = widest(examples.map(([typed]) => typed))
  const fits = 2 + name.length + 1 + typedWidth + 2 + widest(examples.map(([, does]) => does)) <= helpWidth(terminal)
  const lines = examples.map(([typed, does]) =>
    fits
      ? `  ${paint('dim', name)} ${padTo(typed, typedWidth)}  ${paint('dim', does)}`
      : `  ${paint('dim', name)} ${typed}\n      ${paint('dim', does)}`,
  )
  return ['', paint('bold', 'Examples:'), ...lines].join('\n')
}

/** What it does, and whether it may be said again. */
export const aboutOption = ({ about, many }: CommandOption): string => (many ? `${about}; may be given several times` : about)

export function exitCodeTable(paint: Paint): string {
  const lines = Object.values(exitCodes).map(({ code, about }) => `  ${paint('cyan', String(code).padEnd(3))}  ${about}`)
  return [paint('bold', 'Exit codes:'), ...lines].join('\n')
}
