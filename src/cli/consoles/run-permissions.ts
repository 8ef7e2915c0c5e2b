/** Answers what the agent of `holdfast run` asks permission for. */
import type { RelayEvent } from '../../client/relay-messages.ts'
import { isChoice } from '../../domain/approvals/permission.ts'
import { type Asked, askPermission } from '../approvals/ask-permission.ts'
import type { CommandContext } from '../context.ts'
import { isInteractive } from '../terminal.ts'
import type { RelayLines } from './relay-lines.ts'

/** Sends the answer: what was chosen, or whether it is allowed at all. */
export type SendAnswer = (
  permission: Asked,
  answer: { readonly optionId: string } | { readonly outcome: 'allowed' | 'denied' },
) => Promise<unknown>

interface Manner {
  readonly allow: boolean
  readonly lines: RelayLines
  readonly interrupt: () => void
}

/**
 * Answers permission requests: as set by options, as the person decides, or not at all without a
 * terminal.
 */
export class Permissions {
  readonly #context: CommandContext
  readonly #send: SendAnswer
  readonly #manner: Manner
  readonly #open = new Map<number, AbortController>()
  /** Serialises questions. */
  #asking: Promise<void> = Promise.resolve()

  constructor(context: CommandContext, send: SendAnswer, manner: Manner) {
    this.#context = context
    this.#send = send
    this.#manner = manner
  }

  take(event: RelayEvent): void {
    if (event.type === 'permission:resolved') this.#open.get(event.approvalId)?.abort()
    if (event.type !== 'permission:requested') return
    const taken = new AbortController()
    this.#open.set(event.approvalId, taken)
    this.#asking = this.#asking.then(() => this.#answer(event, taken.signal)).catch(() => {})
  }

  close(): void {
    for (const taken of this.#open.values()) taken.abort()
  }

  async #answer(request: Asked, signal: AbortSignal): Promise<void> {
    const { terminal, json } = this.#context
    const { allow, lines, interrupt } = this.#manner
    if (signal.aborted) return
    lines.endLine()
    if (allow) {
      const isQuestion = isChoice(request.options)
      const canAllow = !isQuestion && request.options.some(({ kind }) => kind === 'allow_once')
      if (isQuestion)
        lines.note(`Not answered, because only a person answers a question: ${request.title}.`)
      else if (!canAllow)
        lines.note(`Denied, because the agent offers no way to allow it once: ${request.title}.`)
      await this.#send(request, { outcome: canAllow ? 'allowed' : 'denied' })
    } else if (isInteractive(terminal) && !json) {
      const optionId = await askPermission(terminal, {
        asked: request,
        signal,
        onInterrupt: interrupt,
      })
      if (optionId !== undefined) await this.#send(request, { optionId })
      // Leaving without an answer denies the request.
      else if (!signal.aborted) await this.#send(request, { outcome: 'denied' })
    } else {
      lines.note(
        `Denied, because nobody is here to ask: ${request.title}. --allow allows what it asks for.`,
      )
      await this.#send(request, { outcome: 'denied' })
    }
  }
}
