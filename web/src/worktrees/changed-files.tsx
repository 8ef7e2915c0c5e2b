/** The changed files of a worktree, each with its diff when it is opened; so a large change costs what is looked at. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Worktree, WorktreeState } from '../../../src/protocol/worktrees/worktree.ts'
import { FoldIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { Line } from './diff-view.tsx'
import { diffOfFile } from './worktree-queries.ts'

/** Lines of one file that are shown; a phone would not scroll more. */
const mostLines = 3000

export function ChangedFiles({ worktree, state }: { worktree: Worktree; state: WorktreeState }) {
  const { worktrees: words } = useWords()
  const { files, fileCount } = state
  if (fileCount === 0) return <p className="text-quiet">{words.nothing}</p>
  return (
    <section aria-label={words.files(fileCount)} className="flex flex-col gap-1">
      <h3 className="font-medium">{words.files(fileCount)}</h3>
      <ul className="flex flex-col divide-y divide-line rounded-md shadow-[inset_0_0_0_1px_var(--line)]">
        {files.map(({ path, change }) => (
          <File key={path} worktree={worktree} head={state.head} path={path} kind={words.kinds[change]} />
        ))}
      </ul>
      {fileCount > files.length && <p className="text-sm text-faint">{words.more(fileCount - files.length)}</p>}
    </section>
  )
}

interface FileProps {
  readonly worktree: Worktree
  readonly head: string
  readonly path: string
  readonly kind: string
}

function File({ worktree, head, path, kind }: FileProps) {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="flex min-h-8 cursor-pointer items-center gap-2 px-3 py-1 max-md:min-h-10">
          <FoldIcon />
          <span className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap">{path}</span>
          <span className="shrink-0 text-xs text-faint">{kind}</span>
        </summary>
        {open && <FileDiff worktree={worktree} head={head} path={path} />}
      </details>
    </li>
  )
}

function FileDiff({ worktree, head, path }: Omit<FileProps, 'kind'>) {
  const words = useWords()
  const diff = useQuery(diffOfFile(worktree, path, head))
  if (diff.error) return <ProblemNote error={diff.error} onRetry={() => void diff.refetch()} />
  if (!diff.data) return <Waiting what={path} onRetry={() => void diff.refetch()} />
  const lines = shownLines(diff.data.text)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard */}
      <section tabIndex={0} aria-label={words.console.diffOf(path)} className="max-h-96 overflow-auto font-mono text-xs">
        <div className="w-max min-w-full">
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change
            <DiffLine key={at} line={line} />
          ))}
        </div>
      </section>
      {lines.length === 0 && <p className="px-3 py-1 text-sm text-faint">{words.worktrees.noText}</p>}
      {(diff.data.cut || lines.length === mostLines) && <p className="px-3 text-sm text-faint">{words.console.cutShort}</p>}
    </>
  )
}

const DiffLine = ({ line }: { line: string }) =>
  line.startsWith('@@') || line.startsWith('Binary') ? (
    <div className="border-t border-dashed border-edge px-3 text-faint">{line}</div>
  ) : (
    <Line line={line} />
  )

/** The diff from its first hunk on; for a binary file, git's own line. */
function shownLines(text: string): string[] {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@') || line.startsWith('Binary files '))
  return first < 0 ? [] : lines.slice(first, first + mostLines).filter((line) => line !== '' && !line.startsWith('\\'))
}
