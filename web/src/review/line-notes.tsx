/** What stands between the lines of a diff: comments on them, and the form that writes one. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import type { ReviewComment } from '../../../src/protocol/review/comment.ts'
import { client, invalidate, useMay } from '../live/queries.ts'
import { useStreams } from '../live/streams.ts'
import { SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useRequest } from '../turns/use-request.ts'
import { CommentForm, CommentThread } from './comment-thread.tsx'
import { commentsOn, viewedFilesOf } from './review-queries.ts'
import { useReviewWords } from './words.ts'

type Side = 'old' | 'new'

export interface LineNotes {
  /** What stands below a line; undefined: nothing. */
  readonly below: (side: Side, line: number) => ReactNode
  /** Somebody wants to write about a line; undefined: they may not. */
  readonly onLine: ((side: Side, line: number) => void) | undefined
  /** Whether lines of this side can be written about; left out: those of both. */
  readonly isCommentable?: (side: Side) => boolean
}

interface OpenLine {
  readonly file: string
  readonly side: Side
  readonly line: number
}

const none: readonly ReviewComment[] = []

/** The notes of each file. Those of a file stay the same as long as nothing in it changes. */
export function useReviewNotes(key: string | undefined, stamp: string) {
  const mayWrite = useMay('write')
  const [open, setOpen] = useState<OpenLine>()
  useStreams(key === undefined ? [] : [`conversation:${key}`])
  const { data } = useQuery({ ...commentsOn(key ?? '', stamp), enabled: key !== undefined })
  const comments = data ?? none
  const notesOf = useMemo(() => {
    const standing = Map.groupBy(
      comments.filter(({ outdated }) => !outdated),
      ({ file }) => file,
    )
    return (file: string): LineNotes | undefined =>
      key === undefined
        ? undefined
        : {
            onLine: mayWrite ? (side, line) => setOpen({ file, side, line }) : undefined,
            below: (side, line) => {
              const here = (standing.get(file) ?? none).filter(
                (comment) => comment.side === side && comment.endLine === line,
              )
              const isOpen = open?.file === file && open.side === side && open.line === line
              if (here.length === 0 && !isOpen) return undefined
              return (
                <div className="flex flex-col gap-2 px-3 py-2">
                  {here.map((comment) => (
                    <CommentThread
                      key={comment.id}
                      conversationKey={key}
                      comment={comment}
                      mayWrite={mayWrite}
                    />
                  ))}
                  {isOpen && (
                    <CommentForm
                      conversationKey={key}
                      about={open}
                      onClose={() => setOpen(undefined)}
                    />
                  )}
                </div>
              )
            },
          }
  }, [comments, open, key, mayWrite])
  return { comments, notesOf }
}

/** A person's drafts, sent together: in the head, in sight wherever one has scrolled. */
export function SendDrafts({
  conversationKey: key,
  stamp,
  onSent,
}: {
  readonly conversationKey: string
  readonly stamp: string
  readonly onSent: (outcome: string) => void
}) {
  const words = useReviewWords()
  const mayWrite = useMay('write')
  const { send, waiting, error } = useRequest()
  const { data = none } = useQuery(commentsOn(key, stamp))
  const drafts = data.flatMap((comment) =>
    [comment, ...comment.replies].filter(({ state }) => state === 'draft'),
  ).length
  const sendAll = async () => {
    const isSent = await send(() =>
      client.post('/api/conversations/{key}/comments/send', { params: { key } }),
    )
    if (!isSent) return
    await invalidate(['comments', key])
    onSent(words.sent(drafts))
  }
  return (
    <>
      <ProblemNote error={error} />
      {mayWrite && drafts > 0 && (
        <SubmitButton
          type="button"
          title={words.draftsAreYours}
          waiting={waiting}
          onClick={() => void sendAll()}
        >
          {words.send(drafts)}
        </SubmitButton>
      )}
    </>
  )
}

/** Comments whose lines are gone. */
export function OutdatedComments({
  conversationKey: key,
  comments,
}: {
  readonly conversationKey: string
  readonly comments: readonly ReviewComment[]
}) {
  const words = useReviewWords()
  const mayWrite = useMay('write')
  const outdated = comments.filter((comment) => comment.outdated)
  if (outdated.length === 0) return null
  return (
    <section aria-label={words.outdatedComments} className="flex flex-col gap-2">
      <h3 className="font-medium">{words.outdatedComments}</h3>
      {outdated.map((comment) => (
        <CommentThread
          key={comment.id}
          conversationKey={key}
          comment={comment}
          mayWrite={mayWrite}
        />
      ))}
    </section>
  )
}

/** The mark of a file that was viewed; it falls when the file changes. */
export function ViewedMark({
  conversationKey: key,
  stamp,
  file,
}: {
  readonly conversationKey: string
  readonly stamp: string
  readonly file: string
}) {
  const words = useReviewWords()
  const { data } = useQuery(viewedFilesOf(key, stamp))
  const { send } = useRequest()
  /** What was pressed, until the server has it. */
  const [pressed, setPressed] = useState<boolean>()
  const isViewed = pressed ?? data?.includes(file) ?? false
  const mark = async (viewed: boolean) => {
    setPressed(viewed)
    await send(() =>
      client.put('/api/conversations/{key}/viewed', { params: { key }, body: { file, viewed } }),
    )
    await invalidate(['viewed', key])
    setPressed(undefined)
  }
  return (
    <input
      type="checkbox"
      data-viewed=""
      aria-label={words.viewed(file)}
      title={words.viewed(file)}
      checked={isViewed}
      onChange={({ target }) => void mark(target.checked)}
      className="size-4 shrink-0 accent-accent"
    />
  )
}
