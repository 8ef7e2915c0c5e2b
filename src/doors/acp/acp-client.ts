/**
 * One editor on `/acp`: JSON-RPC messages, one a text frame, for the SDK's side of an agent. What
 * is no message is answered here in words; the connection stays open (SE8). Knows no method.
 */
import type { AnyMessage } from '@agentclientprotocol/sdk/unstable'
import type { Who } from '../../domain/access/caller.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { closeCodes } from '../../protocol/socket.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { refusalOf } from '../../server/http/problem-answer.ts'
import { type AcceptedSocket, SocketClient } from '../../server/websocket/socket-client.ts'
import { AcpAgent } from './acp-agent.ts'
import { codes, rpcErrorOf } from './failures.ts'

/** Requests of one editor under way; a prompt is one until its turn ends. */
const maxRequests = 200

type Id = string | number | null

export class AcpClient extends SocketClient {
  readonly #agent: AcpAgent
  readonly #toAgent: WritableStreamDefaultWriter<AnyMessage>
  /** Requests of the editor that are not answered. */
  readonly #asked = new Set<Id>()
  /** Requests to the editor that it has not answered. */
  readonly #asking = new Set<Id>()
  readonly #afterAnswer = new Map<Id, () => void>()
  #who: Who

  constructor(accepted: AcceptedSocket, deps: ServerDependencies) {
    super(accepted, deps)
    this.#who = accepted.presented.who
    const incoming = new TransformStream<AnyMessage>()
    this.#toAgent = incoming.writable.getWriter()
    // The agent's end closes the way to it.
    this.#toAgent.closed.catch(() => {})
    const outgoing = new WritableStream<AnyMessage>({ write: (message) => this.#write(message) })
    this.#agent = new AcpAgent(
      {
        who: () => this.#who,
        isFull: () => this.full,
        drained: () => this.drained(),
        afterAnswer: (id, then) => void this.#afterAnswer.set(id, then),
        fail: (error) => this.#fail(error),
        requestId: this.id,
      },
      deps,
    )
    this.#agent.connect({ readable: incoming.readable, writable: outgoing })
    this.listen()
  }

  protected async handle(who: Who, bytes: Buffer): Promise<void> {
    this.#who = who
    const message = parseJson(bytes, 'The message')
    const kind = kindOf(message)
    if (kind === undefined)
      return this.#refuse(idIn(message), codes.request, 'This is no message of JSON-RPC 2.0.')
    const { id = null } = message as { id?: Id }
    // An answer to nothing is for nobody.
    if (kind === 'answer' && !this.#asking.delete(id)) return
    if (kind === 'request') {
      if (this.#asked.has(id))
        return this.#refuse(id, codes.request, 'A request with this id is under way.')
      if (this.#asked.size >= maxRequests)
        return this.#refuse(id, codes.internal, 'Too many requests are under way; wait for some.')
      this.#asked.add(id)
    }
    await this.#toAgent.write(message as AnyMessage)
  }

  protected refuse(error: unknown): void {
    const refusal = refusalOf(error, this.id, this.deps.logger)
    this.deps.figures.refusedWith(refusal.code)
    const isText = refusal.code === 'invalid_request'
    this.#refuse(null, isText ? codes.parse : codes.request, rpcErrorOf(refusal).message)
  }

  protected detach(): void {
    this.#afterAnswer.clear()
    this.#agent.close()
    void this.#toAgent.close().catch(() => {})
  }

  #fail(error: unknown): void {
    refusalOf(error, this.id, this.deps.logger)
    this.webSocket.close(closeCodes.resume, 'resume')
  }

  #refuse(id: Id, code: number, message: string): void {
    if (this.isOpen) this.#send({ jsonrpc: '2.0', id, error: { code, message } })
  }

  #write(message: AnyMessage): Promise<void> | undefined {
    if (!this.isOpen) return undefined
    this.#send(message)
    if ('method' in message) {
      if ('id' in message) this.#asking.add(message.id)
    } else {
      this.#asked.delete(message.id)
      const then = this.#afterAnswer.get(message.id)
      this.#afterAnswer.delete(message.id)
      then?.()
    }
    return this.full ? this.drained() : undefined
  }

  #send(message: object): void {
    const text = JSON.stringify(message)
    this.webSocket.send(text)
    this.deps.figures.feedBytes += text.length
  }
}

const isId = (id: unknown): id is Id =>
  id === null || typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))

const idIn = (message: unknown): Id => {
  const id = (message as { id?: unknown } | null)?.id
  return isId(id) ? id : null
}

function kindOf(message: unknown): 'request' | 'notification' | 'answer' | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined
  const { jsonrpc, id, method } = message as Record<string, unknown>
  if (jsonrpc !== '2.0') return undefined
  if (typeof method === 'string') {
    if (!('id' in message)) return 'notification'
    return isId(id) ? 'request' : undefined
  }
  if (method !== undefined || !isId(id)) return undefined
  return 'result' in message !== 'error' in message ? 'answer' : undefined
}
