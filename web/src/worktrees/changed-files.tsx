/** The files that differ in a worktree: their list, their diffs with comments, and what was viewed. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Worktree, WorktreeState } from '../../../src/protocol/worktrees/worktree.ts'
import { Button } from '../parts/button.tsx'
import { LineCounts } from '../parts/line-counts.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { ReviewSummary, useReviewNotes, ViewedMark } from '../review/line-notes.tsx'
import { useWords } from '../translations/messages.tsx'
import { type DiffLayout, FileDiff } from './file-diff.tsx'
import { type FilePatch, filesOfPatch } from './patch.ts'
import { diffOfFile, diffOfWorktree, keyOf } from './worktree-queries.ts'

export function ChangedFiles({
  worktree,
  state,
  layout,
  onDone,
}: {
  worktree: Worktree
  state: WorktreeState
  layout: DiffLayout
  onDone: (outcome: string) => void
}) {
  const { worktrees: words } = useWords()
  const key = keyOf(worktree)
  const stamp = `${state.head} ${state.uncommitted} ${state.fileCount}`
  const whole = useQuery({ ...diffOfWorktree(worktree, stamp), enabled: state.fileCount > 0 })
  const { comments, notesOf } = useReviewNotes(key, stamp)
  if (state.fileCount === 0)
    return (
      <p className="text-quiet">
        {worktree.baseBranch ? words.sameAs(worktree.baseBranch) : words.nothing}
      </p>
    )
  if (whole.error) return <ProblemNote error={whole.error} onRetry={() => void whole.refetch()} />
  if (!whole.data) return <Waiting what={words.changes} onRetry={() => void whole.refetch()} />
  const read = filesOfPatch(whole.data.text)
  // What was cut off ends in the middle of its last file: that one and those behind it are asked for one by one.
  const files = whole.data.cut ? read.slice(0, -1) : read
  const known = new Set(files.map(({ path }) => path))
  const others = state.files.filter(({ path }) => !known.has(path))
  const sum = (of: (file: FilePatch) => number): number =>
    files.reduce((total, file) => total + of(file), 0)
  return (
    <section
      aria-label={words.files(state.fileCount)}
      className="grid min-w-0 gap-4 lg:grid-cols-[16rem_minmax(0,1fr)]"
    >
      <nav
        aria-label={words.fileList}
        className="min-w-0 self-start lg:sticky lg:top-4 lg:max-h-[calc(100dvh-8rem)] lg:overflow-y-auto"
      >
        <h3 className="mb-1 flex items-center gap-2 font-medium">
          {words.files(state.fileCount)}
          <LineCounts added={sum((file) => file.added)} removed={sum((file) => file.removed)} />
        </h3>
        <ul className="flex flex-col max-lg:max-h-48 max-lg:overflow-y-auto">
          {files.map((file, at) => (
            <FileLink key={file.path} at={at} path={file.path} before={files[at - 1]?.path}>
              <LineCounts added={file.added} removed={file.removed} />
            </FileLink>
          ))}
          {others.map(({ path, change }, at) => (
            <FileLink key={path} at={files.length + at} path={path} before={others[at - 1]?.path}>
              <span className="text-xs text-faint">{words.kinds[change]}</span>
            </FileLink>
          ))}
        </ul>
        {state.fileCount > state.files.length && (
          <p className="text-sm text-faint">{words.more(state.fileCount - state.files.length)}</p>
        )}
      </nav>
      <div className="flex min-w-0 flex-col gap-3">
        {key && <ReviewSummary conversationKey={key} comments={comments} onSent={onDone} />}
        {files.map((file, at) => (
          <div key={file.path} className="relative">
            <FileDiff
              id={idOf(at)}
              file={file}
              layout={layout}
              notes={notesOf(file.path)}
              actions={key && roomForMark}
            />
            {key && (
              <span className="absolute top-2.5 right-3 flex max-md:top-3.5">
                <ViewedMark conversationKey={key} stamp={stamp} file={file.path} />
              </span>
            )}
          </div>
        ))}
        {others.map(({ path, change }, at) => (
          <OneFile
            key={path}
            id={idOf(files.length + at)}
            worktree={worktree}
            stamp={stamp}
            path={path}
            kind={words.kinds[change]}
            layout={layout}
          />
        ))}
      </div>
    </section>
  )
}

/** The mark stands on the head of the file, and is no part of what folds it. */
const roomForMark = <span className="w-5 shrink-0" />

const idOf = (at: number): string => `file-${at}`

interface FileLinkProps {
  readonly at: number
  readonly path: string
  /** The file above it. */
  readonly before: string | undefined
  readonly children: ReactNode
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** A file under its folder, which stands there once. */
function FileLink({ at, path, before, children }: FileLinkProps) {
  const folder = folderOf(path)
  return (
    <li className="list-row">
      {folder !== folderOf(before ?? '') && folder !== '' && (
        <p
          aria-hidden="true"
          title={folder}
          className="truncate px-2 pt-1.5 font-mono text-xs leading-6 text-faint"
        >
          {folder}
        </p>
      )}
      <a
        href={`#${idOf(at)}`}
        className="flex min-h-7 items-center gap-2 rounded px-2 hover:bg-hover max-md:min-h-10"
        title={path}
      >
        <span className={`min-w-0 flex-1 truncate font-mono text-xs ${folder ? 'pl-3' : ''}`}>
          <span className="sr-only">{folder}</span>
          {path.slice(folder.length)}
        </span>
        {children}
      </a>
    </li>
  )
}

interface OneFileProps {
  readonly id: string
  readonly worktree: Worktree
  readonly stamp: string
  readonly path: string
  readonly kind: string
  readonly layout: DiffLayout
}

/** A file that the whole diff had no room for: its diff is fetched when somebody asks. */
function OneFile({ id, worktree, stamp, path, kind, layout }: OneFileProps) {
  const { worktrees: words } = useWords()
  const [asked, setAsked] = useState(false)
  const diff = useQuery({ ...diffOfFile(worktree, path, stamp), enabled: asked })
  const [file] = diff.data ? filesOfPatch(diff.data.text) : []
  if (file) return <FileDiff id={id} file={file} layout={layout} />
  return (
    <div
      id={id}
      className="flex min-h-9 scroll-mt-4 items-center gap-3 rounded-md bg-sunken px-3 py-1 font-mono text-xs"
    >
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{path}</span>
      <span className="font-sans text-faint">{kind}</span>
      {diff.data ? (
        <span className="font-sans text-faint">{words.noText}</span>
      ) : (
        <Button
          look="quiet"
          aria-disabled={diff.isFetching || undefined}
          onClick={() => setAsked(true)}
        >
          {words.show}
        </Button>
      )}
      <ProblemNote error={diff.error} onRetry={() => void diff.refetch()} />
    </div>
  )
}
