/**
 * The prompt that comments become (RV3): each with its number, where it stands as agents' own tools
 * print it, the code, and what was written. What changes direction or is not seen is shown by its
 * number.
 */
import { nameOfComment } from '../../domain/review/comment.ts'
import type { QuotedCode } from '../../protocol/review/review-requests.ts'
import { withNumbers } from '../../protocol/unseen-characters.ts'
import type { CommentRow } from '../../store/review/comments.ts'
import type { Comment } from './comment-record.ts'

/** What is sent of one comment: its own text, new answers in it, or both. */
export interface SentThread {
  readonly comment: Comment
  readonly texts: readonly CommentRow[]
}

export function reviewPrompt(threads: readonly SentThread[]): string {
  const count = threads.reduce((sum, { texts }) => sum + texts.length, 0)
  const comments = count === 1 ? '1 comment' : `${count} comments`
  const head =
    `Review of your changes: ${comments}. Do what each asks, or answer it. ` +
    'End with one line for each, "c7: what you did".'
  return [head, ...threads.map(threadText)].join('\n\n')
}

function threadText({ comment, texts }: SentThread): string {
  const name = nameOfComment(comment.number)
  const { above, lines, below }: QuotedCode = JSON.parse(comment.code)
  const isOutdated = comment.now_side === null
  const file = isOutdated ? comment.file : comment.now_file
  const line = isOutdated ? comment.line : comment.now_line
  const side = comment.now_side ?? comment.side
  const removed = side === 'old' && lines.some((each) => each.startsWith('-'))
  const about = [
    removed ? ', a line you removed' : '',
    isOutdated ? ' (the code has changed since; it was)' : '',
  ].join('')
  const marked = lines.map((each, at) =>
    at === lines.length - 1 ? `${each}      <-- ${name}` : each,
  )
  const code = [...above, ...marked, ...below].map(withNumbers).join('\n')
  const words = texts.map(({ text }) => withNumbers(text)).join('\n\n')
  const fence = fenceFor(code)
  const head = `## ${name} ${withNumbers(file)}:${line}${about}`
  return [head, `${fence}diff`, code, fence, words].join('\n')
}

/** Longer than any in the code. */
function fenceFor(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  return '`'.repeat(longest + 1)
}
