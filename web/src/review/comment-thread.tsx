/** A comment on lines of a diff with its answers, and the form that writes one (RV2, RV3). */
import { type FormEvent, useState } from 'react'
import type { ReviewComment } from '../../../src/protocol/review/comment.ts'
import { client, invalidate } from '../live/queries.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import { useReviewWords } from './words.ts'

const one = '/api/conversations/{key}/comments/{commentId}'

interface ThreadProps {
  readonly conversationKey: string
  readonly comment: ReviewComment
  readonly mayWrite: boolean
}

export function CommentThread({ conversationKey: key, comment, mayWrite }: ThreadProps) {
  const words = useReviewWords()
  const [answering, setAnswering] = useState(false)
  const { send, waiting, error } = useRequest()
  const params = { key, commentId: comment.id }
  const then = async (request: () => Promise<unknown>) => {
    if (await send(request)) await invalidate(['comments', key])
  }
  const isDraft = comment.state === 'draft'
  return (
    <article
      aria-label={words.comment(comment.number)}
      data-comment={comment.number}
      className="flex max-w-2xl flex-col gap-2 rounded-md bg-raised px-3 py-2 font-sans text-sm whitespace-normal shadow-[inset_0_0_0_1px_var(--edge)]"
    >
      <p className="flex flex-wrap items-center gap-2 text-xs text-quiet">
        <span className="font-medium text-ink">{comment.by}</span>
        <span>{words.states[comment.state]}</span>
        {comment.outdated && <span className="text-warn">{words.outdated}</span>}
        {comment.resolvedBy !== null && <span>{words.resolvedBy(comment.resolvedBy)}</span>}
      </p>
      {comment.outdated && (
        <pre className="overflow-x-auto rounded bg-sunken px-2 py-1 font-mono text-xs">
          {comment.file}:{comment.line}
          {'\n'}
          {comment.quoted}
        </pre>
      )}
      <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        {comment.text}
      </p>
      {comment.replies.map((reply) => (
        <p
          key={reply.id}
          className="border-l-2 border-line pl-2 whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          <span className="font-medium">{reply.by}</span>{' '}
          {reply.state === 'draft' && (
            <span className="text-xs text-quiet">{words.states.draft}</span>
          )}{' '}
          <span dir="auto">{reply.text}</span>
        </p>
      ))}
      {mayWrite && (
        <div className="flex flex-wrap gap-2">
          {isDraft ? (
            <Button look="quiet" onClick={() => void then(() => client.delete(one, { params }))}>
              {words.discard}
            </Button>
          ) : (
            <>
              <Button
                look="quiet"
                aria-disabled={waiting || undefined}
                onClick={() =>
                  void then(() =>
                    client.patch(one, { params, body: { resolved: !comment.resolved } }),
                  )
                }
              >
                {comment.resolved ? words.reopen : words.resolve}
              </Button>
              <Button look="quiet" onClick={() => setAnswering(true)}>
                {words.answer}
              </Button>
            </>
          )}
        </div>
      )}
      {answering && (
        <CommentForm
          conversationKey={key}
          about={{ inReplyTo: comment.id }}
          onClose={() => setAnswering(false)}
        />
      )}
      <ProblemNote error={error} />
    </article>
  )
}

interface FormProps {
  readonly conversationKey: string
  readonly about:
    | { readonly inReplyTo: string }
    | { readonly file: string; readonly side: 'old' | 'new'; readonly line: number }
  readonly onClose: () => void
}

export function CommentForm({ conversationKey: key, about, onClose }: FormProps) {
  const { act } = useWords()
  const words = useReviewWords()
  const [text, setText] = useState('')
  const { send, waiting, error } = useRequest()
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const isAdded = await send(() =>
      client.post('/api/conversations/{key}/comments', {
        params: { key },
        body: { ...about, text },
      }),
    )
    if (!isAdded) return
    await invalidate(['comments', key])
    onClose()
  }
  return (
    <form
      onSubmit={(event) => void add(event)}
      className="flex max-w-2xl flex-col gap-2 rounded-md bg-raised px-3 py-2 font-sans whitespace-normal shadow-[inset_0_0_0_1px_var(--edge)]"
    >
      <TextAreaField label={words.write} value={text} onValue={setText} rows={3} autoFocus />
      <div className="flex gap-2">
        <SubmitButton waiting={waiting}>{words.addDraft}</SubmitButton>
        <Button look="quiet" onClick={onClose}>
          {act.cancel}
        </Button>
      </div>
      <ProblemNote error={error} />
    </form>
  )
}
