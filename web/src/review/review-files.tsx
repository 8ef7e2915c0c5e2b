/**
 * The files of a view of a review: their tree, and their diffs with comments. A diff is drawn only
 * near what is in sight.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { client } from '../live/queries.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { BackIcon } from '../parts/icons.tsx'
import { NearRow, NearRows } from '../parts/near.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { type DiffLayout, FileDiff } from '../worktrees/file-diff.tsx'
import { type FilePatch, filesOfPatch } from '../worktrees/patch.ts'
import { FileTree } from './file-tree.tsx'
import { type LineNotes, OutdatedComments, useReviewNotes, ViewedMark } from './line-notes.tsx'
import { useReviewKeys } from './review-keys.ts'
import { type ReviewedView, reviewOf, viewedFilesOf } from './review-queries.ts'
import { useReviewWords } from './words.ts'

interface ReviewFilesProps {
  readonly conversationKey: string
  readonly view: ReviewedView
  /** Another one whenever the files may have changed. */
  readonly stamp: string
  readonly layout: DiffLayout
  /** What it is compared with, for a view without changes. */
  readonly baseBranch: string | null
}

/** Drawn from the beginning. */
const drawnFiles = 3
const lineHeight = 20
const headHeight = 48
const mostGuessed = 1000

const guess = (patch: FilePatch | undefined): number =>
  headHeight +
  lineHeight *
    Math.min(mostGuessed, patch?.hunks.reduce((sum, { lines }) => sum + lines.length + 1, 0) ?? 0)

const filesClass =
  'flex min-h-0 min-w-0 flex-1 flex-col gap-3 overflow-y-auto overscroll-contain px-4 pb-4'
const aloneClass =
  'flex min-h-9 items-center gap-3 rounded-md bg-sunken px-3 py-1 font-mono text-xs'
const stepsClass =
  'sticky bottom-0 z-2 flex items-center gap-1 self-start rounded-md bg-raised shadow-popup ' +
  'md:hidden'

export function ReviewFiles({
  conversationKey: key,
  view,
  stamp,
  layout,
  baseBranch,
}: ReviewFilesProps) {
  const { worktrees: words } = useWords()
  const review = useReviewWords()
  const { data, error, refetch } = useQuery(reviewOf(key, view, stamp))
  const { comments, notesOf } = useReviewNotes(key, stamp)
  const viewed = useQuery(viewedFilesOf(key, stamp)).data ?? []
  const tree = useRef<HTMLElement>(null)
  const box = useRef<HTMLDivElement>(null)
  useReviewKeys(tree, box)
  const patches = useMemo(() => patchesIn(data?.text ?? '', data?.cut ?? false), [data])
  useReviewed(key, view === 'all' || view === 'since' ? data?.to : undefined)
  if (error && !data) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Waiting what={words.changes} onRetry={() => void refetch()} />
  if (data.files.length === 0)
    return (
      <p className="flex-1 px-4 py-6 text-quiet">
        {view === 'all'
          ? baseBranch
            ? words.sameAs(baseBranch)
            : words.nothing
          : review.nothingIn}
      </p>
    )
  const isWhole = typeof view === 'string'
  const idOf = (path: string): string =>
    `file-${data.files.findIndex((file) => file.path === path)}`
  // Lines are counted in all changes; in other views only what is there now has the same numbers.
  const notesIn = (path: string): LineNotes | undefined =>
    view === 'all' ? notesOf(path) : isWhole ? ofPresent(notesOf(path)) : undefined
  return (
    <section
      aria-label={words.files(data.fileCount)}
      className="flex min-h-0 min-w-0 flex-1 max-lg:flex-col"
    >
      <FileTree
        ref={tree}
        files={data.files}
        fileCount={data.fileCount}
        comments={comments}
        viewed={isWhole ? viewed : []}
        idOf={idOf}
      />
      <div ref={box} className={filesClass}>
        {isWhole && <OutdatedComments conversationKey={key} comments={comments} />}
        <NearRows root={box}>
          <ol className="flex min-w-0 flex-col gap-3 pt-3">
            {data.files.map(({ path, change }, at) => (
              <NearRow
                key={path}
                id={`file-${at}`}
                tabIndex={-1}
                data-file=""
                first={at < drawnFiles}
                guess={guess(patches.get(path))}
                className="min-w-0 scroll-mt-2 rounded-md"
              >
                <OneFile
                  conversationKey={key}
                  view={view}
                  stamp={stamp}
                  path={path}
                  kind={words.kinds[change]}
                  patch={patches.get(path)}
                  layout={layout}
                  notes={notesIn(path)}
                  isViewed={isWhole && viewed.includes(path)}
                />
              </NearRow>
            ))}
          </ol>
        </NearRows>
        <FileSteps count={data.files.length} />
      </div>
    </section>
  )
}

/** What was cut off ends within its last file, which is asked for like those behind it. */
function patchesIn(text: string, isCut: boolean): ReadonlyMap<string, FilePatch> {
  const read = filesOfPatch(text)
  const whole = isCut ? read.slice(0, -1) : read
  return new Map(whole.map((file) => [file.path, file]))
}

const ofPresent = (notes: LineNotes | undefined): LineNotes | undefined =>
  notes && {
    ...notes,
    below: (side, line) => (side === 'new' ? notes.below(side, line) : undefined),
    isCommentable: (side) => side === 'new',
  }

/** RV1: who leaves has reviewed what was shown; the next time shows what has changed since. */
function useReviewed(key: string, to: string | undefined) {
  const shown = useRef(to)
  shown.current = to ?? shown.current
  useEffect(
    () => () => {
      if (shown.current === undefined) return
      void client
        .put('/api/conversations/{key}/review/seen', {
          params: { key },
          body: { to: shown.current },
        })
        .catch(() => undefined)
    },
    [key],
  )
}

interface OneFileProps {
  readonly conversationKey: string
  readonly view: ReviewedView
  readonly stamp: string
  readonly path: string
  readonly kind: string
  /** undefined: the view had no room for it. */
  readonly patch: FilePatch | undefined
  readonly layout: DiffLayout
  readonly notes: LineNotes | undefined
  readonly isViewed: boolean
}

/** Over the head of the file, and in sight as long as that is. */
const markClass = 'sticky top-0 z-2 flex h-0 items-start justify-end pr-3 *:mt-2.5 max-md:*:mt-3.5'
/** Room for the mark, which stands on the head and is no part of what folds the file. */
const roomForMark = <span className="w-5 shrink-0" />

function OneFile({
  conversationKey: key,
  view,
  stamp,
  path,
  kind,
  patch,
  layout,
  notes,
  isViewed,
}: OneFileProps) {
  const { worktrees: words } = useWords()
  const [asked, setAsked] = useState(false)
  const found = useQuery({ ...reviewOf(key, view, stamp, path), enabled: asked && !patch })
  const file = patch ?? filesOfPatch(found.data?.text ?? '')[0]
  const isMarked = typeof view === 'string'
  if (!file)
    return (
      <div className={aloneClass}>
        <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{path}</span>
        <span className="font-sans text-faint">{kind}</span>
        {found.data ? (
          <span className="font-sans text-faint">{words.noText}</span>
        ) : (
          <Button
            look="quiet"
            aria-disabled={found.isFetching || undefined}
            onClick={() => setAsked(true)}
          >
            {words.show}
          </Button>
        )}
        <ProblemNote error={found.error} onRetry={() => void found.refetch()} />
        {isMarked && <ViewedMark conversationKey={key} stamp={stamp} file={path} />}
      </div>
    )
  return (
    <>
      {isMarked && (
        <div className={markClass}>
          <ViewedMark conversationKey={key} stamp={stamp} file={path} />
        </div>
      )}
      <FileDiff
        file={file}
        layout={layout}
        notes={notes}
        isFolded={isViewed}
        actions={isMarked && roomForMark}
      />
    </>
  )
}

/** On a phone: one file after the other. */
function FileSteps({ count }: { count: number }) {
  const words = useReviewWords()
  const [at, setAt] = useState(0)
  const go = (to: number) => {
    setAt(to)
    document.getElementById(`file-${to}`)?.scrollIntoView({ block: 'start' })
  }
  if (count < 2) return null
  return (
    <div className={stepsClass}>
      <IconButton label={words.fileBefore} disabled={at === 0} onClick={() => go(at - 1)}>
        <BackIcon />
      </IconButton>
      <span className="text-sm tabular-nums">
        {at + 1} / {count}
      </span>
      <IconButton label={words.fileAfter} disabled={at >= count - 1} onClick={() => go(at + 1)}>
        <BackIcon className="rotate-180" />
      </IconButton>
    </div>
  )
}
