/** The tree of a review: files under their folders, with lines, comments and what was viewed. */
import { type Ref, useState } from 'react'
import type { ReviewComment } from '../../../src/protocol/review/comment.ts'
import { inputClass } from '../parts/field.tsx'
import { CheckIcon, TalkIcon } from '../parts/icons.tsx'
import { LineCounts } from '../parts/line-counts.tsx'
import { useWords } from '../translations/messages.tsx'
import { useReviewWords } from './words.ts'

export interface TreeFile {
  readonly path: string
  /** null: not text. */
  readonly added: number | null
  readonly removed: number | null
}

interface FileTreeProps {
  readonly ref: Ref<HTMLElement>
  readonly files: readonly TreeFile[]
  readonly fileCount: number
  readonly comments: readonly ReviewComment[]
  readonly viewed: readonly string[]
  /** The id of the element that a file is shown in. */
  readonly idOf: (path: string) => string
}

/** Fewer are found without a filter. */
const filteredFrom = 8

const treeClass =
  'flex min-h-0 min-w-0 flex-col gap-1 border-line max-lg:max-h-48 max-lg:shrink-0 ' +
  'max-lg:border-b lg:w-62 lg:shrink-0 lg:border-r'

export function FileTree({ ref, files, fileCount, comments, viewed, idOf }: FileTreeProps) {
  const { worktrees: words } = useWords()
  const review = useReviewWords()
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const shown = files.filter(({ path }) => path.toLowerCase().includes(wanted))
  const counted = Map.groupBy(
    comments.filter(({ resolved }) => !resolved),
    ({ file }) => file,
  )
  const sum = (of: (file: TreeFile) => number | null): number =>
    files.reduce((total, file) => total + (of(file) ?? 0), 0)
  const seen = files.filter(({ path }) => viewed.includes(path)).length
  return (
    <nav ref={ref} aria-label={words.fileList} className={treeClass}>
      <h2 className="flex items-center gap-2 px-4 pt-3 font-medium">
        {words.files(fileCount)}
        <LineCounts added={sum(({ added }) => added)} removed={sum(({ removed }) => removed)} />
      </h2>
      {files.length >= filteredFrom && (
        <div className="px-4">
          <input
            type="search"
            aria-label={review.filterFiles}
            placeholder={review.filterFiles}
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
            className={inputClass}
          />
        </div>
      )}
      <ul className="min-h-0 flex-1 overflow-y-auto px-2">
        {shown.map((file, at) => (
          <FileLink
            key={file.path}
            file={file}
            before={shown[at - 1]?.path}
            href={`#${idOf(file.path)}`}
            comments={counted.get(file.path)?.length ?? 0}
            isViewed={viewed.includes(file.path)}
          />
        ))}
      </ul>
      {fileCount > files.length && (
        <p className="px-4 text-sm text-faint">{words.more(fileCount - files.length)}</p>
      )}
      {seen > 0 && (
        <p className="px-4 pb-2 text-sm text-quiet">
          {review.viewedOf(seen, files.length)}
          <progress
            aria-hidden="true"
            value={seen}
            max={files.length}
            className="mt-1 block h-1 w-full accent-accent"
          />
        </p>
      )}
    </nav>
  )
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

interface FileLinkProps {
  readonly file: TreeFile
  /** The file above it. */
  readonly before: string | undefined
  readonly href: string
  readonly comments: number
  readonly isViewed: boolean
}

/** A file under its folder, which stands there once. */
function FileLink({ file, before, href, comments, isViewed }: FileLinkProps) {
  const review = useReviewWords()
  const { path, added, removed } = file
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
        href={href}
        className="flex min-h-7 items-center gap-2 rounded px-2 hover:bg-hover max-md:min-h-10"
        title={path}
      >
        {isViewed && <CheckIcon className="size-3.5 text-accent" />}
        <span className={`min-w-0 flex-1 truncate font-mono text-xs ${folder ? 'pl-3' : ''}`}>
          <span className="sr-only">{folder}</span>
          {path.slice(folder.length)}
        </span>
        {comments > 0 && (
          <span title={review.commentsOn(comments)} className="flex items-center text-xs text-warn">
            <TalkIcon className="size-3.5" />
            {comments}
          </span>
        )}
        {added !== null && removed !== null && <LineCounts added={added} removed={removed} />}
      </a>
    </li>
  )
}
