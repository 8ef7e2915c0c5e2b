/**
 * Answers requests to `/mcp`: tool calls itself, the rest by the SDK. Keeps no session, so any node
 * can serve any call.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/errors.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { Presented } from '../../server/security/credentials.ts'
import { noteTools } from '../../services/flows/turns/settle-turn.ts'
import { type PlainCall, plainCall } from './plain-call.ts'
import { runTool } from './run-tool.ts'
import type { SdkHandler } from './sdk-handler.ts'
import type { Tool } from './tool.ts'
import { type ServerInfo, ToolAnswer } from './tool-answer.ts'
import { toolNamed } from './tool-list.ts'

/** Launches that are remembered as noted; one that is forgotten is noted again. */
const maxConnected = 10_000

export class McpRequests {
  readonly #deps: ServerDependencies
  readonly #serverInfo: ServerInfo
  #sdk: Promise<SdkHandler> | undefined
  readonly #connected = new Set<string>()

  constructor(deps: ServerDependencies) {
    this.#deps = deps
    this.#serverInfo = { name: 'holdfast', title: 'Holdfast', version: deps.version }
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const presented = presentedIn(request)
    void this.#noteConnected(presented)
    const call = request.method === 'POST' ? plainCall(request.headers, request.body) : undefined
    const tool = call && toolNamed(call.name)
    if (call && tool) await this.#callTool(tool, call, presented, request.id, reply)
    else await this.#askSdk(request, presented, reply)
    return reply
  }

  /** AC11: notes once that a launch has connected. */
  async #noteConnected({ who }: Presented): Promise<void> {
    const { launch } = who
    if (!launch || this.#connected.has(launch.id)) return
    this.#connected.add(launch.id)
    if (this.#connected.size > maxConnected) this.#connected.clear()
    await this.#deps.app
      .run(noteTools, { launchId: launch.id }, who)
      .catch(() => this.#connected.delete(launch.id))
  }

  async close(): Promise<void> {
    await (await this.#sdk)?.close()
  }

  async #callTool(
    tool: Tool,
    call: PlainCall,
    presented: Presented,
    requestId: string,
    reply: FastifyReply,
  ): Promise<void> {
    const answer = new ToolAnswer(reply, call, this.#serverInfo)
    if (tool.mayWait) answer.mayTakeLong(this.#deps.clock)
    const result = await runTool(
      tool,
      call.args,
      { deps: this.#deps, presented, gone: () => goneSignal(reply) },
      requestId,
    )
    // The client calls again at once and should reach another node.
    if (this.#deps.closing) reply.raw.shouldKeepAlive = false
    answer.finish(result)
  }

  async #askSdk(
    { raw, body, id: requestId }: FastifyRequest,
    presented: Presented,
    reply: FastifyReply,
  ): Promise<void> {
    const sdk = await this.#loadSdk()
    reply.hijack()
    await sdk.handle({ request: raw, response: reply.raw, body, presented, requestId })
  }

  #loadSdk(): Promise<SdkHandler> {
    this.#sdk ??= import('./sdk-handler.ts').then(({ createSdkHandler }) =>
      createSdkHandler(this.#deps, this.#serverInfo),
    )
    return this.#sdk
  }
}

function presentedIn({ presented }: FastifyRequest): Presented {
  if (!presented) throw new Refusal('unauthenticated')
  return presented
}

/** Aborts when the socket closes, the only sign of a client that cancels or times out. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  else raw.once('close', () => gone.abort())
  return gone.signal
}
