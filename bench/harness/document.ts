/**
 * Puts the newest figures into docs/bench.md: each operation has its own pair of markers, so that
 * measuring one leaves the others as they were. What stands outside the markers is for people to
 * write.
 */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Figures {
  /** `sp5`: the markers' name. */
  readonly operation: string
  readonly table: string
  /** Where, when and how often. */
  readonly circumstances: string
}

export function writeFigures(file: string, figures: Figures): void {
  writeFileSync(file, withFigures(readFileSync(file, 'utf8'), figures))
}

export function withFigures(text: string, { operation, table, circumstances }: Figures): string {
  const from = `<!-- figures of ${operation} -->`
  const to = `<!-- end of ${operation} -->`
  const start = text.indexOf(from)
  const end = text.indexOf(to, start)
  if (start < 0 || end < 0)
    throw new Error(`There is no place for ${operation}: the text has no ${from} and ${to}`)
  return `${text.slice(0, start)}${from}\n${circumstances}\n\n${table}\n${text.slice(end)}`
}
