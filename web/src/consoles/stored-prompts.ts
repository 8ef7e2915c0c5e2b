/**
 * What was written to agents and is not yet known to have arrived, kept in the tab so that a reload
 * loses none of it. What was refused is kept as refused: it is said again only when the person says
 * so. Bound to the person who wrote it: somebody who signs in after them in this tab sends none of
 * it.
 */
import { ProblemError } from '../../../src/client/failures.ts'
import type { Problem } from '../../../src/protocol/problem.ts'
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'

/** Whose prompts, in which console. */
export interface PromptsOf {
  readonly personId: string
  readonly userSessionId: string
}

export interface Prompt {
  /** The same for every try, so that the server takes it once. */
  readonly requestId: string
  readonly role: string
  readonly text: string
  /** Pictures and files that go with it. */
  readonly attached?: readonly PromptPart[] | undefined
  /** Why it did not arrive. */
  readonly error: unknown
}

type Kept = Omit<Prompt, 'error'> & { readonly refused?: Problem | undefined }

/** The server has said no. Anything else may have arrived, and goes out again under its id. */
export const isRefused = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.problem.status < 500 && error.problem.status !== 429

const keyOf = ({ personId, userSessionId }: PromptsOf): string =>
  `holdfast.draft.prompts.${userSessionId}.${personId}`

export function readPrompts(of: PromptsOf): readonly Prompt[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(of)) ?? '[]') as Kept[]
    return kept.map(({ refused, ...prompt }) => ({
      ...prompt,
      error: refused && new ProblemError(refused),
    }))
  } catch {
    return []
  }
}

export function storePrompts(of: PromptsOf, prompts: readonly Prompt[]): void {
  try {
    if (prompts.length === 0) sessionStorage.removeItem(keyOf(of))
    else sessionStorage.setItem(keyOf(of), JSON.stringify(prompts.map(toKeep)))
  } catch {
    // Storage can be full or forbidden; then they last as long as the page.
  }
}

const toKeep = ({ error, ...prompt }: Prompt): Kept =>
  isRefused(error) ? { ...prompt, refused: error.problem } : prompt
