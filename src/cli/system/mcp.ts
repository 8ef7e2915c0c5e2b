/**
 * `holdfast mcp`: MCP on standard input and output, for clients that start a program rather than
 * open an address (MC1).
 */

import { setTimeout as pause } from 'node:timers/promises'
import { problemIn, UnreachableError } from '../../client/failures.ts'
import { SseParser } from '../../client/sse-parser.ts'
import { errorCatalogue } from '../../domain/errors.ts'
import { parsedJson } from '../../platform/json.ts'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { inputLines } from '../input-lines.ts'

// Forwards MCP messages between a client on a pipe and the server's `/mcp`. Reads only ids,
// cancellations and the headers the server needs. Keeps no state, so the server may be restarted;
// requests in flight are then answered with an error that says to call again.

interface BridgeOptions {
  readonly url: string
  readonly token: string
  /** Writes one message without its line end. */
  readonly write: (message: string) => void
  readonly fetch?: typeof fetch
}

interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: {
    readonly name?: unknown
    readonly uri?: unknown
    readonly requestId?: unknown
    readonly _meta?: Record<string, unknown>
  }
}

/** Upper bound of requests in flight; clients have a handful. */
const maxInFlight = 200
/** Clients that close the input give a program about two seconds to exit. */
const lastAnswersMs = 1000
const versionKey = 'io.modelcontextprotocol/protocolVersion'
const serverError = -32000
const parseError = -32700

class McpBridge {
  readonly #options: BridgeOptions
  readonly #inFlight = new Map<string | number, AbortController>()
  readonly #done = new Set<Promise<void>>()

  constructor(options: BridgeOptions) {
    this.#options = options
  }

  receive(line: string): void {
    const message = parsedJson(line) as Message | undefined
    if (message === undefined) return this.#fail({ id: null }, parseError, 'This line is not JSON')
    if (message?.method === 'notifications/cancelled')
      return this.#cancel(message.params?.requestId)
    if (this.#done.size >= maxInFlight)
      return this.#fail(
        message,
        serverError,
        'Too many requests are under way; wait for some to end',
      )
    const carried = this.#carry(line, message).finally(() => this.#done.delete(carried))
    this.#done.add(carried)
  }

  /** Waits shortly for answers after the input has ended. */
  async close(): Promise<void> {
    const done = Promise.all(this.#done)
    await Promise.race([done, pause(lastAnswersMs, undefined, { ref: false })])
    for (const controller of this.#inFlight.values()) controller.abort()
    await done
  }

  /** Cancels a request by closing its connection. */
  #cancel(requestId: unknown): void {
    if (typeof requestId === 'string' || typeof requestId === 'number')
      this.#inFlight.get(requestId)?.abort()
  }

  async #carry(line: string, message: Message): Promise<void> {
    const controller = new AbortController()
    const { id } = message
    if (id !== undefined && id !== null) this.#inFlight.set(id, controller)
    try {
      await this.#post(line, message, controller.signal)
    } catch (error) {
      // A cancelled request needs no answer.
      if (!controller.signal.aborted) this.#unreachable(message, error)
    } finally {
      if (id !== undefined && id !== null && this.#inFlight.get(id) === controller)
        this.#inFlight.delete(id)
    }
  }

  async #post(line: string, message: Message, signal: AbortSignal): Promise<void> {
    const { url, token, fetch: callFetch = fetch } = this.#options
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...envelopeHeaders(message),
    }
    const response = await callFetch(url, {
      method: 'POST',
      headers,
      body: line,
      signal,
      redirect: 'error',
    })
    const media = response.headers.get('content-type') ?? ''
    if (media.startsWith('text/event-stream')) return this.#passOn(response)
    const problem = await problemIn(response)
    if (problem)
      return this.#fail(message, serverError, problem.message, {
        code: problem.problem.code,
        next: problem.problem.next,
      })
    const text = await response.text()
    if (text === '') return
    if (!media.startsWith('application/json')) throw new UnreachableError(url, 'foreign')
    this.#write(message, text)
  }

  async #passOn(response: Response): Promise<void> {
    const parser = new SseParser(({ data }) => this.#options.write(data))
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? [])
      parser.push(decoder.decode(chunk, { stream: true }))
  }

  /** Writes an answer; notifications are never answered. */
  #write(message: Message, text: string): void {
    if (Array.isArray(message) || (message?.id !== undefined && message.id !== null))
      this.#options.write(text)
  }

  #unreachable(message: Message, error: unknown): void {
    const why =
      error instanceof UnreachableError ? error.message : `Nothing answers at ${this.#options.url}`
    if (message.method !== 'tools/call') return this.#fail(message, serverError, why)
    // A result rather than a protocol error, because models read results.
    const { next } = errorCatalogue.shutting_down
    const content = { code: 'shutting_down', message: why, next }
    const result = {
      structuredContent: content,
      content: [{ type: 'text', text: JSON.stringify(content) }],
      isError: true,
    }
    this.#write(message, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
  }

  #fail(message: Message, code: number, text: string, data?: object): void {
    const id = message?.id ?? null
    if (id === null && code !== parseError) return
    this.#options.write(
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        error: { code, message: text, ...(data ? { data } : {}) },
      }),
    )
  }
}

/** Headers of a request that carries its own envelope. */
function envelopeHeaders({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[versionKey]
  if (typeof version !== 'string' || method === undefined) return {}
  const name = params?.name ?? params?.uri
  return {
    'mcp-protocol-version': inHeader(version),
    'mcp-method': inHeader(method),
    ...(typeof name === 'string' ? { 'mcp-name': inHeader(name) } : {}),
  }
}

const inHeader = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** Longer lines are refused; the server accepts 1 MiB. */
const maxLine = 2 * 1024 * 1024

/**
 * Reads URL and token of a launch from the environment only (CO4), because it must not use other
 * credentials.
 */
function launched({
  terminal: { env },
}: CommandContext): { url: string; token: string } | undefined {
  const { HOLDFAST_MCP_URL: url, HOLDFAST_LAUNCH_TOKEN: token } = env
  return url && token ? { url, token } : undefined
}

async function connected(context: CommandContext): Promise<{ url: string; token: string }> {
  const { url, token } = await context.connection()
  return { url: `${url}/mcp`, token: context.terminal.env['HOLDFAST_LAUNCH_TOKEN'] || token }
}

export const mcp = command({
  summary: 'Speak MCP on standard input and output, for clients that start a program',
  examples: [
    [
      'mcp',
      'what to enter as the command of an MCP server; HOLDFAST_TOKEN holds the passkey of the agent',
    ],
    [
      'mcp --token-file passkey.txt --server https://holdfast.example.com',
      'with a server elsewhere',
    ],
  ],
  async run(context) {
    const { stdin, stdout } = context.terminal
    const target = launched(context) ?? (await connected(context))
    context.end()
    const bridge = new McpBridge({
      ...target,
      write: (message) => void stdout.write(`${message}\n`),
    })
    for await (const line of inputLines(stdin, maxLine)) bridge.receive(line)
    await bridge.close()
  },
})
