/**
 * What a server has asked an editor, over connections that are lost: each is shown once, and an
 * answer that was given meanwhile is told when the server asks again.
 */
import {
  type Id,
  isAnswer,
  nameOf,
  privateIn,
  type RpcMessage,
  withoutPrivate,
} from './acp-messages.ts'

interface Ask {
  /** Names it to the editor. */
  readonly id: string
  /** The approval's number; undefined: the server does not ask again. */
  readonly ask: number | undefined
  /** Under which id the server waits; undefined: it does not. */
  serverId: Id | undefined
  answer: RpcMessage | undefined
}

/** Answered ones that are remembered; an editor shows a few at a time. */
const maxRemembered = 200

export class OpenAsks {
  /** The oldest first. */
  readonly #all: Ask[] = []
  #made = 0

  /** What the editor is to be shown, or the answer that it has given already. */
  asked(message: RpcMessage): { show?: object; answer?: string } {
    const { ask } = privateIn(message.params)
    const earlier = this.#all.find((each) => ask !== undefined && each.ask === ask)
    const { id = null, params = {} } = message
    if (earlier) {
      earlier.serverId = id
      return earlier.answer ? { answer: answerFor(earlier) } : {}
    }
    const made: Ask = {
      id: `holdfast-${++this.#made}`,
      ask: typeof ask === 'number' ? ask : undefined,
      serverId: id,
      answer: undefined,
    }
    this.#all.push(made)
    this.#forget()
    return { show: { ...message, id: made.id, params: withoutPrivate(params) } }
  }

  /** The answer for the server, if it waits for it. */
  answered(message: RpcMessage): string | undefined {
    const found = this.#all.find(({ id }) => id === message.id)
    if (!found || found.answer || !isAnswer(message)) return undefined
    found.answer = message
    return found.serverId === undefined ? undefined : answerFor(found)
  }

  /** Under which id the editor knows what the server has withdrawn. */
  withdrawn(serverId: Id): string | undefined {
    const found = this.#all.find(
      (each) => each.serverId !== undefined && nameOf(each.serverId) === nameOf(serverId),
    )
    return found && !found.answer ? found.id : undefined
  }

  connectionLost(): void {
    for (const each of this.#all) each.serverId = undefined
  }

  #forget(): void {
    while (this.#all.length > maxRemembered) {
      const oldest = this.#all.findIndex(({ answer }) => answer !== undefined)
      this.#all.splice(Math.max(0, oldest), 1)
    }
  }
}

const answerFor = ({ answer, serverId }: Ask): string => JSON.stringify({ ...answer, id: serverId })
