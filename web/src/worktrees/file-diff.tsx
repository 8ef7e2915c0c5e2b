/**
 * The diff of one file: line numbers, colours, unified or side by side, and folded between its
 * hunks.
 */
import { Fragment, memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import {
  languageOfFile,
  linesOfPieces,
  showPieces,
  useHighlighted,
} from '../markdown/use-highlighted.tsx'
import { FoldIcon } from '../parts/icons.tsx'
import { LineCounts } from '../parts/line-counts.tsx'
import type { LineNotes } from '../review/line-notes.tsx'
import { useReviewWords } from '../review/words.ts'
import { useWords } from '../translations/messages.tsx'
import { type FilePatch, type Hunk, type PatchLine, splitRows } from './patch.ts'
import { changedWords, withMarks } from './word-marks.ts'

export type DiffLayout = 'unified' | 'split'

/** Lines shown of one file at first; the rest is asked for. */
const shownAtFirst = 1_000

const washes = { '+': 'bg-accent-wash', '-': 'bg-bad-wash', ' ': '' } as const
const numberClass = 'w-[1%] min-w-9 px-1.5 text-right text-faint tabular-nums select-none align-top'

/** Stays in sight as long as its file does. */
const headClass =
  'sticky top-0 z-1 flex min-h-9 cursor-pointer items-center gap-2 rounded-md bg-sunken px-3 ' +
  'py-1 font-mono text-xs max-md:min-h-11'

interface FileDiffProps {
  readonly file: FilePatch
  readonly layout: DiffLayout
  /** The id of the element, for links. */
  readonly id?: string
  /** Who has viewed the file need not see it again. */
  readonly isFolded?: boolean
  readonly actions?: ReactNode
  /** Comments between the lines. */
  readonly notes?: LineNotes | undefined
}

export const FileDiff = memo(function FileDiff({
  file,
  layout,
  id,
  isFolded = false,
  actions,
  notes,
}: FileDiffProps) {
  const words = useWords()
  const [most, setMost] = useState(shownAtFirst)
  const [isOpen, setOpen] = useState(!isFolded)
  useEffect(() => setOpen(!isFolded), [isFolded])
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const shown = file.hunks.filter(
    (_, at) => file.hunks.slice(0, at).reduce((sum, hunk) => sum + hunk.lines.length, 0) < most,
  )
  const hidden = lines - shown.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  return (
    <details
      {...(id !== undefined && { id })}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group min-w-0 scroll-mt-4 rounded-md shadow-[0_0_0_1px_var(--line)]"
    >
      <summary className={headClass}>
        <FoldIcon />
        <h3 className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {file.oldPath !== null && <span className="text-faint">{file.oldPath} → </span>}
          {file.path}
        </h3>
        {file.change !== 'modified' && (
          <span className="shrink-0 font-sans text-faint">
            {words.worktrees.kinds[file.change]}
          </span>
        )}
        <LineCounts added={file.added} removed={file.removed} />
        {actions}
      </summary>
      {isOpen && file.hunks.length === 0 && (
        <p className="px-3 py-2 text-sm text-faint">
          {file.isBinary ? words.worktrees.binary : words.worktrees.noText}
        </p>
      )}
      {isOpen && file.hunks.length > 0 && (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
          tabIndex={0}
          aria-label={words.console.diffOf(file.path)}
          className="overflow-x-auto -outline-offset-2"
        >
          {shown.map((hunk, at) => (
            <HunkTable
              skipped={skippedBefore(file.hunks, at)}
              key={`${hunk.oldStart} ${hunk.newStart}`}
              hunk={hunk}
              layout={layout}
              language={languageOfFile(file.path)}
              notes={notes}
            />
          ))}
        </section>
      )}
      {hidden > 0 && (
        <button
          type="button"
          className="min-h-9 w-full border-t border-line text-sm text-quiet hover:bg-hover hover:text-ink"
          onClick={() => setMost(Number.POSITIVE_INFINITY)}
        >
          {words.worktrees.moreLines(hidden)}
        </button>
      )}
    </details>
  )
})

interface HunkProps {
  readonly hunk: Hunk
  /** Unchanged lines between it and the one before. */
  readonly skipped: number
  readonly layout: DiffLayout
  readonly language: string
  readonly notes: LineNotes | undefined
}

function skippedBefore(hunks: readonly Hunk[], at: number): number {
  const before = hunks[at - 1]
  const end = before ? before.oldStart + before.lines.filter(({ mark }) => mark !== '+').length : 1
  return Math.max(0, (hunks[at]?.oldStart ?? 1) - end)
}

function HunkTable({ hunk, skipped, layout, language, notes }: HunkProps) {
  const { worktrees: words } = useWords()
  const coloured = useColours(hunk, language)
  const columns = layout === 'split' ? 4 : 3
  return (
    <table className="w-full border-collapse font-mono text-xs/5 [contain-intrinsic-size:auto_20rem] [content-visibility:auto]">
      <tbody>
        {skipped > 0 && (
          <tr className="border-t border-line bg-sunken text-faint">
            <td colSpan={columns} className="px-3 py-0.5 whitespace-pre">
              <span className="mr-3 font-sans">{words.unchanged(skipped)}</span>
              {hunk.heading}
            </td>
          </tr>
        )}
        {layout === 'unified'
          ? hunk.lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change
              <Fragment key={at}>
                <tr className={washes[line.mark]}>
                  <LineNumber side="old" line={line} notes={notes} />
                  <LineNumber side="new" line={line} notes={notes} />
                  <Text line={line} coloured={coloured} />
                </tr>
                <Below notes={notes} old={line} now={line} columns={columns} />
              </Fragment>
            ))
          : splitRows(hunk.lines).map(({ left, right }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change
              <Fragment key={at}>
                <tr>
                  <LineNumber side="old" line={left} notes={notes} half />
                  <Text line={left} coloured={coloured} half />
                  <LineNumber side="new" line={right} notes={notes} half />
                  <Text line={right} coloured={coloured} half />
                </tr>
                <Below notes={notes} old={left} now={right} columns={columns} />
              </Fragment>
            ))}
      </tbody>
    </table>
  )
}

interface NumberProps {
  readonly side: 'old' | 'new'
  readonly line: PatchLine | undefined
  readonly notes: LineNotes | undefined
  readonly half?: boolean
}

/** The number of a line; where somebody may write, a button that begins a comment on it. */
function LineNumber({ side, line, notes, half = false }: NumberProps) {
  const words = useReviewWords()
  const number = side === 'old' ? line?.oldNumber : line?.newNumber
  const wash = line ? washes[line.mark] : 'bg-sunken'
  const look = half ? `${wash} ${side === 'new' ? 'border-l border-line' : ''}` : ''
  // A line that both sides have is commented where it is now.
  const isHere = side === 'new' || line?.mark === '-'
  const onLine = notes?.isCommentable?.(side) === false ? undefined : notes?.onLine
  return (
    <td className={`${numberClass} ${look}`}>
      {number != null && isHere && onLine ? (
        <button
          type="button"
          aria-label={words.commentOn(number)}
          title={words.commentOn(number)}
          className="w-full text-right hover:text-accent hover:underline"
          onClick={() => onLine(side, number)}
        >
          {number}
        </button>
      ) : (
        number
      )}
    </td>
  )
}

interface BelowProps {
  readonly notes: LineNotes | undefined
  readonly old: PatchLine | undefined
  readonly now: PatchLine | undefined
  readonly columns: number
}

function Below({ notes, old, now, columns }: BelowProps) {
  if (!notes) return null
  const before = old?.oldNumber != null && notes.below('old', old.oldNumber)
  const after = now?.newNumber != null && notes.below('new', now.newNumber)
  if (!before && !after) return null
  return (
    <tr>
      <td colSpan={columns} className="border-y border-line bg-canvas">
        {before}
        {after}
      </td>
    </tr>
  )
}

type Coloured = ReadonlyMap<PatchLine, ReactNode>

function Text({
  line,
  coloured,
  half = false,
}: {
  line: PatchLine | undefined
  coloured: Coloured
  half?: boolean
}) {
  const space = half ? 'w-1/2 whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre'
  if (!line) return <td className={`bg-sunken ${space}`} />
  const text = coloured.get(line) ?? line.text
  return (
    <td className={`px-2 ${space} ${half ? washes[line.mark] : ''}`}>
      {line.mark === '+' && (
        <ins className="no-underline before:mr-1 before:content-['+']">{text}</ins>
      )}
      {line.mark === '-' && (
        <del className="no-underline before:mr-1 before:content-['−']">{text}</del>
      )}
      {line.mark === ' ' && <span className="before:mr-1 before:content-['\00a0']">{text}</span>}
    </td>
  )
}

/** Colours both versions of a hunk, each as a whole: what begins in one line may end in another. */
function useColours({ lines }: Hunk, language: string): Coloured {
  const versions = useMemo(
    () =>
      [lines.filter(({ mark }) => mark !== '+'), lines.filter(({ mark }) => mark !== '-')] as const,
    [lines],
  )
  const [before, after] = versions
  const old = useHighlighted(
    useMemo(() => before.map(({ text }) => text).join('\n'), [before]),
    language,
  )
  const now = useHighlighted(
    useMemo(() => after.map(({ text }) => text).join('\n'), [after]),
    language,
  )
  const words = useMemo(() => changedWords(lines), [lines])
  return useMemo(() => {
    const coloured = new Map<PatchLine, ReactNode>()
    for (const [line, ranges] of words)
      if (ranges.length > 0) coloured.set(line, showPieces(withMarks([line.text], ranges)))
    for (const [version, pieces] of [
      [before, old],
      [after, now],
    ] as const) {
      if (!pieces) continue
      for (const [at, line] of linesOfPieces(pieces).entries()) {
        const shown = version[at]
        if (shown) coloured.set(shown, showPieces(withMarks(line, words.get(shown) ?? [])))
      }
    }
    return coloured
  }, [before, after, old, now, words])
}
