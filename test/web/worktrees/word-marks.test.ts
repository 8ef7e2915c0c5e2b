/** Words that were changed within a line (UI24). */
import { expect, test } from 'vitest'
import type { Piece } from '../../../web/src/markdown/highlight.ts'
import { filesOfPatch } from '../../../web/src/worktrees/patch.ts'
import { changedWords, withMarks } from '../../../web/src/worktrees/word-marks.ts'

const marksOf = (...lines: string[]) => {
  const head = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n'
  const [file] = filesOfPatch(`${head}${lines.join('\n')}\n`)
  const all = file?.hunks[0]?.lines ?? []
  const marks = changedWords(all)
  return all.map((line) => (marks.get(line) ?? []).map(([from, to]) => line.text.slice(from, to)))
}

test('[UI24] a removed line is compared with the added one beside it, word by word', () => {
  expect(marksOf(' same', '-const r = await fetch(url)', '+const r = await retry(url)')).toEqual([
    [],
    ['fetch'],
    ['retry'],
  ])
  expect(marksOf('-one two three', '-four five six', '+one two 3', '+four 5 six')).toEqual([
    ['three'],
    ['five'],
    ['3'],
    ['5'],
  ])
  // Written anew, without a partner, or too long to read.
  expect(marksOf('-alpha beta', '+something else here')).toEqual([[], []])
  expect(marksOf('+only added')).toEqual([[]])
  expect(marksOf(`-${'word '.repeat(200)}`, `+${'word '.repeat(199)}`)).toEqual([[], []])
})

test('[UI24] marks keep the colours and all of the text', () => {
  const text = (pieces: readonly Piece[]): string =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : text(piece.pieces))).join('')
  const coloured: Piece[] = ['a ', { kind: 'keyword', pieces: ['return'] }, ' b']
  const marked = withMarks(coloured, [[1, 4]])
  expect(text(marked)).toBe('a return b')
  expect(marked).toEqual([
    'a',
    { kind: 'word', pieces: [' '] },
    { kind: 'keyword', pieces: [{ kind: 'word', pieces: ['re'] }, 'turn'] },
    ' b',
  ])
})
