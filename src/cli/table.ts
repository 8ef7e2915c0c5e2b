/**
 * Formats rows in columns that fit the terminal: some are cut with …; if that is not enough, a row
 * becomes a paragraph. Pure.
 */
import { visible } from '../platform/log/visible.ts'
import { cutTo, displayWidth, padTo } from './display-width.ts'
import type { Paint, Style } from './terminal.ts'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string
  /** May be cut when the line is too long. */
  readonly shrinks?: true
  readonly style?: Style | ((row: Row) => Style)
}

const gap = '  '
const narrowest = 12

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  paint: Paint,
  width?: number,
): string {
  const cells = rows.map((row) => columns.map((column) => visible(column.of(row))))
  const natural = columns.map(({ title }, index) =>
    cells.reduce(
      (widest, row) => Math.max(widest, displayWidth(row[index] ?? '')),
      displayWidth(title),
    ),
  )
  const widths = width === undefined ? natural : shrunk(natural, columns, width)
  const styled = (text: string, row: Row, index: number): string => {
    const style = columns[index]?.style
    return style ? paint(typeof style === 'function' ? style(row) : style, text) : text
  }
  if (width !== undefined && lengthOf(widths) > width) {
    const paragraph = (row: Row, at: number): string =>
      fields(
        columns.map(({ title }, index) => [title, styled(cells[at]?.[index] ?? '', row, index)]),
        paint,
        '',
      )
    return rows.map(paragraph).join('\n\n')
  }
  const line = (texts: readonly string[], style: (text: string, index: number) => string): string =>
    texts
      .map((text, index) => {
        const cut = cutTo(text, widths[index] ?? 0)
        return style(index === texts.length - 1 ? cut : padTo(cut, widths[index] ?? 0), index)
      })
      .join(gap)
      .trimEnd()
  const head = line(
    columns.map(({ title }) => title),
    (text) => paint('dim', text),
  )
  const body = rows.map((row, at) =>
    line(cells[at] ?? [], (text, index) => styled(text, row, index)),
  )
  return [head, ...body].join('\n')
}

const lengthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1)

/** Shrinks the widest shrinkable columns until the table fits. */
function shrunk(
  natural: readonly number[],
  columns: readonly Column<never>[],
  width: number,
): number[] {
  const widths = [...natural]
  let tooMuch = lengthOf(widths) - width
  while (tooMuch > 0) {
    const candidates = widths.map((each, index) =>
      columns[index]?.shrinks && each > narrowest ? each : 0,
    )
    const widest = Math.max(...candidates)
    if (widest === 0) break
    const index = candidates.indexOf(widest)
    widths[index] = widest - 1
    tooMuch--
  }
  return widths
}

export function fields(
  pairs: readonly (readonly [name: string, value: string])[],
  paint: Paint,
  indent = '  ',
): string {
  const width = Math.max(...pairs.map(([name]) => displayWidth(name)))
  return pairs
    .map(([name, value]) => `${indent}${paint('dim', padTo(name, width))}  ${value}`)
    .join('\n')
}

/** Formats text of several lines below the fields of a thing. */
export const indented = (text: string | null): string[] =>
  text?.split('\n').map((line) => `    ${visible(line)}`) ?? []
