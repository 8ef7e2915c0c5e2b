/**
 * The prompts of an editor in one session that are not answered: each is a message, and over when
 * that is read or withdrawn. Lost with the connection; who asks again with the same key gets the
 * same answer (HT4).
 */
import type { PromptResponse } from '@agentclientprotocol/sdk/unstable'

export interface OpenPrompt {
  /** The number of its message, once that is posted. */
  seq: number | undefined
  /** The editor has cancelled it. */
  isCancelled: boolean
  /** The message is read or withdrawn: the turn is over, or is about to be told so. */
  isOver: boolean
  readonly answer: (response: PromptResponse) => void
  readonly fail: (error: unknown) => void
  readonly answered: Promise<PromptResponse>
}

export class OpenPrompts {
  readonly #open = new Set<OpenPrompt>()

  add(): OpenPrompt {
    const { promise: answered, resolve, reject } = Promise.withResolvers<PromptResponse>()
    // The connection may be gone before anybody waits for it.
    answered.catch(() => {})
    const prompt: OpenPrompt = {
      seq: undefined,
      isCancelled: false,
      isOver: false,
      answered,
      answer: (response) => {
        this.#open.delete(prompt)
        resolve(response)
      },
      fail: (error) => {
        this.#open.delete(prompt)
        reject(error)
      },
    }
    this.#open.add(prompt)
    return prompt
  }

  get all(): readonly OpenPrompt[] {
    return [...this.#open]
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  /** These messages are answered or withdrawn. */
  over(seqs: readonly number[]): void {
    for (const prompt of this.#open)
      if (prompt.seq !== undefined && seqs.includes(prompt.seq)) prompt.isOver = true
  }

  /** Perhaps all of them: events were missed. */
  allOver(): void {
    for (const prompt of this.#open) prompt.isOver = prompt.seq !== undefined
  }

  failAll(error: unknown): void {
    for (const prompt of this.#open) prompt.fail(error)
  }
}
