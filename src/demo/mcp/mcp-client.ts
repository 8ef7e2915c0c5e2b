/**
 * A small MCP client: enough of Streamable HTTP to call tools, and nothing the demo agent does not
 * need. A call that finds no server is tried again for a while, because servers are restarted under
 * agents; so callers give an id to what must happen once.
 */
import { setTimeout as pause } from 'node:timers/promises'

export interface McpClientOptions {
  readonly url: string
  readonly bearer: string
  readonly version: string
}

/** A result with `isError`. */
export class ToolFailure extends Error {
  readonly code: string
  readonly fields: Readonly<Record<string, unknown>>

  constructor(fields: Readonly<Record<string, unknown>>) {
    super(String(fields['message'] ?? 'the tool failed'))
    this.name = 'ToolFailure'
    this.code = String(fields['code'] ?? 'internal')
    this.fields = fields
  }
}

const protocolVersion = '2025-11-25'
/** 0.25 s, doubled up to 4 s: about half a minute in all. */
const maxTries = 12
const firstPauseMs = 250
const maxPauseMs = 4000

/**
 * While a call is held, the server says every 20 s that it is there: one that was stopped keeps its
 * connections open.
 */
const silenceMs = 30_000

interface Answer {
  readonly id?: unknown
  readonly result?: {
    readonly structuredContent?: Record<string, unknown>
    readonly isError?: boolean
  }
  readonly error?: { readonly message: string }
}

export class McpClient {
  readonly #options: McpClientOptions
  #lastId = 0

  constructor(options: McpClientOptions) {
    this.#options = options
  }

  /**
   * The handshake. The server keeps nothing of it, so it is done once, however often that is
   * restarted.
   */
  async connect(): Promise<void> {
    const clientInfo = { name: 'holdfast-demo-mcp', version: this.#options.version }
    await this.#request('initialize', { protocolVersion, capabilities: {}, clientInfo })
    await this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  /** The tool's `structuredContent`; throws a ToolFailure for one with `isError`. */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { result } = await this.#request('tools/call', { name, arguments: args }, signal)
    const content = result?.structuredContent ?? {}
    if (result?.isError) throw new ToolFailure(content)
    return content
  }

  async #request(method: string, params: object, signal?: AbortSignal): Promise<Answer> {
    const id = ++this.#lastId
    const answers = await this.#sendWithRetries({ jsonrpc: '2.0', id, method, params }, signal)
    const answer = answers.find((each) => each.id === id)
    if (!answer) throw new Error(`No answer came to ${method}`)
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer
  }

  async #sendWithRetries(message: object, signal: AbortSignal | undefined): Promise<Answer[]> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#send(message, signal)
      } catch (error) {
        // Refused is refused; only what never arrived, or a server that is going away, may be
        // better next time.
        if (signal?.aborted || error instanceof RefusedError || tried === maxTries) throw error
        await pause(
          Math.min(maxPauseMs, firstPauseMs * 2 ** (tried - 1)),
          undefined,
          signal ? { signal } : {},
        )
      }
    }
  }

  async #send(message: object, signal?: AbortSignal): Promise<Answer[]> {
    const { url, bearer } = this.#options
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(new Error('the server is silent')), silenceMs)
    let response: Response
    let text: string
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': protocolVersion,
        },
        body: JSON.stringify(message),
        redirect: 'error',
        signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]),
      })
      text = await textOf(response, () => timer.refresh())
    } finally {
      clearTimeout(timer)
    }
    if (response.status >= 400 && response.status < 500)
      throw new RefusedError(`${url} answers ${response.status}: ${text.slice(0, 300)}`)
    if (!response.ok) throw new Error(`${url} answers ${response.status}`)
    if (text === '') return []
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    return isStream ? framesIn(text) : [JSON.parse(text) as Answer]
  }
}

async function textOf({ body }: Response, onHeard: () => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    onHeard()
    text += decoder.decode(bytes, { stream: true })
  }
  return text
}

class RefusedError extends Error {}

/** The messages of a stream that has ended. */
const framesIn = (text: string): Answer[] =>
  text
    .split(/\r?\n\r?\n/)
    .map((frame) =>
      frame
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as Answer)
