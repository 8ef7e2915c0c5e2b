/**
 * Finds the lines that somebody comments (RV2): on one side of a view, in a file that differs. They
 * are quoted as a diff shows them.
 */
import { type LineRange, linesOf } from '../../protocol/review/carried-lines.ts'
import {
  type FoundLine,
  maxQuotedChars,
  maxQuotedLines,
  type QuotedCode,
  type Side,
} from '../../protocol/review/review-requests.ts'
import type { Workplace } from '../file-states/workplace.ts'
import { displayName } from '../worktrees/file-names.ts'
import { placeOf, ReadVersions } from './carry-comments.ts'
import { changedFiles, textOfBlob } from './compare-trees.ts'

/** Lines around the commented ones. */
const linesAround = 3

export async function findLine(
  place: Workplace,
  { from, to }: { readonly from: string; readonly to: string },
  { file, side, ...range }: LineRange & { readonly file: string; readonly side: Side },
): Promise<FoundLine> {
  const all = await changedFiles(place, from, to)
  const found = all.find((each) =>
    side === 'new'
      ? displayName(each.name) === file
      : [each.name, each.oldName].some((name) => displayName(name) === file),
  )
  if (!found) return { found: false, why: 'no_such_file' }
  const own = side === 'new' ? found.newBlob : found.oldBlob
  const other = side === 'new' ? found.oldBlob : found.newBlob
  const text = own === null ? undefined : await textOfBlob(place, own)
  const lines = linesOf(text ?? '')
  const isTooLong = range.endLine - range.line >= maxQuotedLines
  if (own === null || range.endLine < range.line || range.endLine > lines.length || isTooLong)
    return { found: false, why: 'no_such_line' }
  const versions = new ReadVersions(place)
  const carried = async (line: number) =>
    other !== null && (await versions.carried(own, { line, endLine: line }, other)) !== undefined
  const elsewhere = other === null ? undefined : await versions.carried(own, range, other)
  const sign = side === 'new' ? '+' : '-'
  const quoted = async (first: number, last: number): Promise<string[]> => {
    const shown: string[] = []
    for (let line = Math.max(1, first); line <= Math.min(last, lines.length); line++)
      shown.push(`${(await carried(line)) ? ' ' : sign}${lines[line - 1]}`)
    return shown
  }
  const code = {
    above: await quoted(range.line - linesAround, range.line - 1),
    lines: await quoted(range.line, range.endLine),
    below: await quoted(range.endLine + 1, range.endLine + linesAround),
  }
  return {
    found: true,
    tree: to,
    path: displayName(found.name),
    blob: own,
    places: [placeOf(own, range), ...(other === null ? [] : [placeOf(other, elsewhere)])],
    code: bounded(code),
  }
}

/** A minified file has lines that are too long to be quoted whole. */
function bounded({ above, lines, below }: QuotedCode): QuotedCode {
  const all = above.length + lines.length + below.length
  const most = Math.max(1, Math.floor(maxQuotedChars / Math.max(1, all)))
  const cut = (line: string): string => (line.length <= most ? line : `${line.slice(0, most)}…`)
  const total = [...above, ...lines, ...below].reduce((sum, line) => sum + line.length, 0)
  if (total <= maxQuotedChars) return { above, lines, below }
  return { above: above.map(cut), lines: lines.map(cut), below: below.map(cut) }
}
