/** What was written to agents and is not yet known to have arrived, kept in the tab so that a reload loses none of it. */

import type { PromptPart } from '../../../src/protocol/prompt.ts'

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

const keyOf = (userSessionId: string): string => `holdfast.draft.prompts.${userSessionId}`

export function keptPrompts(userSessionId: string): readonly Prompt[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(userSessionId)) ?? '[]') as Omit<Prompt, 'error'>[]
    return kept.map((prompt) => ({ ...prompt, error: undefined }))
  } catch {
    return []
  }
}

export function keepPrompts(userSessionId: string, prompts: readonly Prompt[]): void {
  try {
    if (prompts.length === 0) sessionStorage.removeItem(keyOf(userSessionId))
    else sessionStorage.setItem(keyOf(userSessionId), JSON.stringify(prompts.map(({ error: _, ...kept }) => kept)))
  } catch {
    // Storage can be full or forbidden; then they last as long as the page.
  }
}
