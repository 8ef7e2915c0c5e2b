/**
 * An editor on `/acp`, as plain JSON-RPC: what is sent is what a test says, and everything that
 * comes is kept in order.
 */
import { openSocket } from './feed-clients.ts'
import type { TestServer } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails without it
type Anything = any

export interface EditorOptions {
  readonly token?: string
  readonly capabilities?: object
  /** What a tunnel says of itself. */
  readonly tunnel?: object
}

async function connectEditor(server: Pick<TestServer, 'port' | 'ownerToken'>, token?: string) {
  const socket = await openSocket({
    port: server.port,
    token: token ?? server.ownerToken,
    path: '/acp',
  })
  // Far from the ids that made up frames have, which are answered too.
  let asked = 1_000_000_000
  const answers = new Map<unknown, PromiseWithResolvers<Anything>>()
  const answerOf = (id: unknown) => {
    const answer = answers.get(id) ?? Promise.withResolvers<Anything>()
    answers.set(id, answer)
    return answer
  }
  socket.webSocket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.method === undefined) answerOf(message.id).resolve(message)
  })
  const answerTo = (id: unknown): Promise<Anything> => answerOf(id).promise
  /** The id of the request; its answer is taken from the inbox. */
  const ask = (method: string, params: object): number => {
    const id = ++asked
    socket.send({ jsonrpc: '2.0', id, method, params })
    return id
  }
  return {
    socket,
    ask,
    answerTo,
    call: (method: string, params: object): Promise<Anything> => answerTo(ask(method, params)),
    notify: (method: string, params: object) => socket.send({ jsonrpc: '2.0', method, params }),
    /** The next request or notification of this method. */
    next: (method: string): Promise<Anything> =>
      socket.inbox.next((each) => each.method === method),
    answer: (id: Anything, result: object) => socket.send({ jsonrpc: '2.0', id, result }),
    /** The updates of a kind that came so far. */
    updates: (wanted?: string): Anything[] =>
      socket.inbox.all
        .filter(({ method }) => method === 'session/update')
        .map(({ params }) => params.update)
        .filter(({ sessionUpdate: kind }) => wanted === undefined || kind === wanted),
    /** What the agent has said so far. */
    text: (): string =>
      socket.inbox.all
        .filter(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk')
        .map(({ params }) => params.update.content.text)
        .join(''),
  }
}

export async function openEditor(
  server: Pick<TestServer, 'port' | 'ownerToken'>,
  { token, capabilities = {}, tunnel }: EditorOptions = {},
) {
  const editor = await connectEditor(server, token)
  const { result: initialized } = await editor.call('initialize', {
    protocolVersion: 1,
    clientCapabilities: capabilities,
    ...(tunnel && { _meta: { holdfast: tunnel } }),
  })
  return { ...editor, initialized }
}

export const text = (words: string) => ({ type: 'text', text: words })
