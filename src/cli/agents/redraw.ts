/** Lines that are drawn over themselves on a terminal, however narrow or low it is. Pure: gives what to write. */
import { displayWidth } from '../display-width.ts'

interface Size {
  readonly columns?: number
  readonly rows?: number
}

/** Where a terminal does not say. */
const usualColumns = 80

export class Picture {
  #lines: readonly string[] = []

  /** What goes over the last one. Its rows are counted now: the terminal may have been made narrower since. */
  over(text: string, { columns = usualColumns, rows = Number.POSITIVE_INFINITY }: Size): string {
    const above = rowsOf(this.#lines, columns)
    this.#lines = fitting(text.split('\n'), columns, rows - 1)
    return `${above > 0 ? `\u001b[${above}A\u001b[J` : ''}${this.#lines.join('\n')}\n`
  }
}

/** The terminal breaks a line that is too long. */
const rowsOf = (lines: readonly string[], columns: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0)

/** What has left at the top cannot be drawn over: of those between the first and the last line, the ones too many are counted instead. */
function fitting(lines: readonly string[], columns: number, rows: number): readonly string[] {
  for (let left = 0; left <= Math.max(0, lines.length - 2); left++) {
    const shown = left === 0 ? lines : [...lines.slice(0, -1 - left), `… and ${left} more`, ...lines.slice(-1)]
    if (rowsOf(shown, columns) <= rows) return shown
  }
  return lines.slice(-1)
}
