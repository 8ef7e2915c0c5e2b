/** Redraws lines in place on a terminal of any size. Pure: returns the text to write. */
import { displayWidth } from '../display-width.ts'

interface Size {
  readonly columns?: number
  readonly rows?: number
}

/** Default for a terminal that does not report its width. */
const usualColumns = 80

export class RedrawnText {
  #lines: readonly string[] = []

  /** Returns the text that replaces the last one. Its rows are counted now, because the terminal may have been resized. */
  over(text: string, { columns = usualColumns, rows = Number.POSITIVE_INFINITY }: Size): string {
    const above = rowsOf(this.#lines, columns)
    this.#lines = fitting(text.split('\n'), columns, rows - 1)
    return `${above > 0 ? `\u001b[${above}A\u001b[J` : ''}${this.#lines.join('\n')}\n`
  }
}

/** Counts rows; the terminal wraps long lines. */
const rowsOf = (lines: readonly string[], columns: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0)

/** Lines scrolled off the top cannot be redrawn, so surplus lines between the first and the last are replaced by a count. */
function fitting(lines: readonly string[], columns: number, rows: number): readonly string[] {
  for (let left = 0; left <= Math.max(0, lines.length - 2); left++) {
    const shown = left === 0 ? lines : [...lines.slice(0, -1 - left), `… and ${left} more`, ...lines.slice(-1)]
    if (rowsOf(shown, columns) <= rows) return shown
  }
  return lines.slice(-1)
}
