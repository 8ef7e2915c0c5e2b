/** The measurements as a table, for the terminal and for docs/bench.md. */
import type { Measurement } from './measure.ts'
import { median } from './statistics.ts'
import type { Goal } from './verdict.ts'

const headings = [
  'operation',
  'ours',
  'yardstick',
  'unit',
  'ratio',
  'goal',
  "yardstick's spread",
  'outcome',
] as const

const bounds: Record<Goal['kind'], string> = {
  cost: '≤',
  growth: '≤',
  peer: '≤',
  most: '≤',
  over: '≤ +',
  rate: '≥',
}

/** Three figures: nobody should read more into a measurement. */
const figure = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))

const rowOf = (each: Measurement): string[] => [
  each.title,
  figure(median(each.ours.rounds)),
  `${figure(median(each.yardstick.rounds))} (${each.yardstick.name})`,
  each.unit,
  `${each.ratio.toFixed(2)}x`,
  `${bounds[each.goal.kind]} ${figure(each.goal.limit)}${each.goal.kind === 'most' || each.goal.kind === 'over' ? ` ${each.unit}` : 'x'}`,
  `${each.yardstickSpread.toFixed(2)}x`,
  each.outcome,
]

export function textTable(measured: readonly Measurement[]): string {
  const rows = [[...headings], ...measured.map(rowOf)]
  const widths = headings.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lines = rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  )
  return lines.map((line) => line.trimEnd()).join('\n')
}

export const markdownTable = (measured: readonly Measurement[]): string =>
  [[...headings], headings.map(() => '---'), ...measured.map(rowOf)]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
