/** Shows an error: what happened, what was kept, what to do, and the code. */
import { ProblemError } from '../../../src/client/client.ts'
import { translated } from '../../../src/protocol/notice-words.ts'
import type { Problem } from '../../../src/protocol/problem.ts'
import type { Messages } from '../translations/en.ts'
import { useWords } from '../translations/messages.tsx'
import { Button } from './button.tsx'

interface ProblemText {
  readonly title: string
  /** The effect of the request: none after a refusal; unknown without an answer. */
  readonly kept: string
  readonly next: string
  readonly detail?: string
  readonly code?: string
}

export const problemIn = (error: unknown): Problem | undefined =>
  error instanceof ProblemError ? error.problem : undefined

export function describeProblem(error: unknown, words: Messages): ProblemText {
  const problem = problemIn(error)
  if (!problem)
    return {
      title: words.problem.unreachable,
      kept: words.problem.unknown,
      next: words.problem.unreachableNext,
    }
  // A server newer than this page may know codes that the page does not.
  const known = words.errors[problem.code] ?? { title: problem.title, next: problem.next }
  return {
    ...known,
    kept: words.problem.unchanged,
    code: problem.code,
    ...(problem.notice?.code !== problem.code && {
      detail: translated(words.translation, problem.detail, problem.notice),
    }),
  }
}

/**
 * Scrolls the note into view in a long dialog, where the pressed button would seem to do nothing.
 */
const scrollIntoDialog = (note: HTMLElement | null): void => {
  if (note?.closest('[role=dialog], [role=alertdialog]')) note.scrollIntoView({ block: 'nearest' })
}

interface ProblemNoteProps {
  readonly error: unknown
  /** Whether typed text was kept. */
  readonly typed?: boolean
  /** For what was only read: there is nothing that could have been done or not. */
  readonly onRetry?: () => void
}

export function ProblemNote({ error, typed = false, onRetry }: ProblemNoteProps) {
  const words = useWords()
  if (!error) return null
  const described = describeProblem(error, words)
  return (
    <div
      ref={scrollIntoDialog}
      role="alert"
      className="flex flex-col gap-1 rounded-md bg-bad-wash px-3 py-2.5 [overflow-wrap:anywhere]"
    >
      <p className="font-medium text-bad">{described.title}</p>
      {described.detail && <p className="text-sm">{described.detail}</p>}
      <p>
        {[!onRetry && described.kept, typed && words.problem.typed, described.next]
          .filter(Boolean)
          .join(' ')}
      </p>
      <div className="flex flex-wrap items-center justify-between gap-2">
        {described.code && (
          <p className="font-mono text-xs text-quiet">{words.problem.code(described.code)}</p>
        )}
        {onRetry && <Button onClick={onRetry}>{words.act.retry}</Button>}
      </div>
    </div>
  )
}
