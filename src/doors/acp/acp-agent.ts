/**
 * Holdfast as an agent of the Agent Client Protocol 1 (EC): the methods that an editor calls, each
 * over a use case. Speaks version 1, whatever an editor asks for.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  type AgentContext,
  agent,
  type ClientCapabilities,
  methods,
  PROTOCOL_VERSION,
  type Stream,
} from '@agentclientprotocol/sdk/unstable'
import { errorCatalogue, Refusal } from '../../domain/errors.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { refusalOf } from '../../server/http/problem-answer.ts'
import { archiveConversation } from '../../services/conversations/mark-conversation.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { beginThread } from '../../services/flows/conversations/begin-thread.ts'
import { warmThread } from '../../services/flows/conversations/warm-thread.ts'
import { listConversationTurns } from '../../services/turns/queries.ts'
import { placeToBegin } from './choose-place.ts'
import type { ClientLink, Editor } from './client-link.ts'
import { codes, failure, noSuchThread, rpcErrorOf } from './failures.ts'
import { listThreads } from './list-threads.ts'
import { type Known, OpenThread } from './open-thread.ts'
import { messageOf } from './prompt-content.ts'
import type { Position } from './shown-turns.ts'
import {
  attachFields,
  optionsFrom,
  positionIn,
  receiptIn,
  type TunnelOptions,
} from './tunnel-fields.ts'
import type { AcpUpdate } from './updates.ts'

/** Sessions that one editor has open; of more the longest unused is let go. */
const maxOpenThreads = 50

const authMethods = [
  {
    id: 'holdfast',
    name: 'Holdfast',
    description: 'With the credential that `holdfast acp` was started with, or that of the owner',
  },
]

interface Handled<Params> {
  readonly params: Params
  readonly client: AgentContext
  readonly requestId: string | number | null
  readonly signal: AbortSignal
}

interface Opened {
  readonly sessionId: string
  readonly cwd: string
  readonly _meta?: unknown
}

export class AcpAgent {
  readonly #link: ClientLink
  readonly #deps: ServerDependencies
  readonly #threads = new Map<string, OpenThread>()
  #capabilities: ClientCapabilities = {}
  #options: TunnelOptions = { chosen: {} }
  #mark = markOf(randomUUID())
  #isClosed = false

  constructor(link: ClientLink, deps: ServerDependencies) {
    this.#link = link
    this.#deps = deps
  }

  connect(stream: Stream): void {
    const { session: ofThread } = methods.agent
    agent({ name: 'holdfast' })
      .onRequest(methods.agent.initialize, this.#answered(this.#initialize))
      .onRequest(methods.agent.authenticate, () => ({}))
      .onRequest(ofThread.new, this.#answered(this.#begin))
      .onRequest(ofThread.list, this.#answered(this.#list))
      .onRequest(ofThread.load, this.#answered(this.#load))
      .onRequest(ofThread.resume, this.#answered(this.#resume))
      .onRequest(ofThread.fork, this.#answered(this.#fork))
      .onRequest(ofThread.delete, this.#answered(this.#delete))
      .onRequest(ofThread.close, this.#answered(this.#close))
      .onRequest(ofThread.setMode, this.#answered(this.#setMode))
      .onRequest(ofThread.setConfigOption, this.#answered(this.#setOption))
      .onRequest(ofThread.prompt, this.#answered(this.#prompt))
      .onRequest('_holdfast/attach', attachFields, this.#answered(this.#attach))
      .onNotification(ofThread.cancel, keyIn, ({ params }) => this.#cancel(params))
      .connect(stream)
  }

  /** The editor is gone. Its turns go on, and what was asked stays open for all. */
  close(): void {
    this.#isClosed = true
    for (const thread of this.#threads.values()) thread.close()
    this.#threads.clear()
  }

  /** With refusals in the words of the protocol. */
  #answered<Params, Answer>(
    handle: (this: AcpAgent, call: Handled<Params>) => Promise<Answer>,
  ): (call: Handled<Params>) => Promise<Answer> {
    return async (call) => {
      try {
        return await handle.call(this, call)
      } catch (error) {
        if (error instanceof Error && error.name === 'RequestError') throw error
        throw rpcErrorOf(refusalOf(error, this.#link.requestId, this.#deps.logger))
      }
    }
  }

  async #initialize({
    params,
  }: Handled<{ clientCapabilities?: ClientCapabilities; _meta?: unknown }>) {
    this.#capabilities = params.clientCapabilities ?? {}
    this.#options = optionsFrom(params._meta)
    if (this.#options.tunnel !== undefined) this.#mark = markOf(this.#options.tunnel)
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'holdfast', title: 'Holdfast', version: this.#deps.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, delete: {}, fork: {} },
      },
      authMethods,
    }
  }

  async #begin({ params, client, requestId }: Handled<{ cwd: string; _meta?: unknown }>) {
    const who = this.#link.who()
    const place = await placeToBegin(this.#deps, who, params.cwd, this.#options.chosen)
    const { key } = await this.#deps.app.run(
      beginThread,
      {
        ...place,
        by: who.id,
        scopes: who.scopes,
        clientId: this.#clientId(params._meta, requestId),
      },
      who,
    )
    const thread = await this.#open(key, 'all', { client, requestId }, params.cwd)
    this.#warm(key)
    return { sessionId: key, ...(await this.#opened(thread)) }
  }

  /** Has its agent come before the first prompt does (SN24). Nobody waits for it. */
  #warm(key: string): void {
    const who = this.#link.who()
    const { app, launches } = this.#deps
    app
      .run(warmThread, { key, by: who.id }, who)
      .then(async ({ post }) => post && launches.order(post))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) refusalOf(error, this.#link.requestId, this.#deps.logger)
      })
  }

  #list({ params }: Handled<{ cwd?: string | null; cursor?: string | null }>) {
    return listThreads(this.#deps, this.#link.who(), params)
  }

  async #load({ params, client, requestId }: Handled<Opened>) {
    const { sessionId: key, cwd } = params
    const thread = await this.#open(key, 'ended', { client, requestId }, cwd)
    await thread.replay(positionIn(params._meta))
    return this.#opened(thread)
  }

  async #resume({ params, client, requestId }: Handled<Opened>) {
    const { sessionId: key, cwd } = params
    return this.#opened(await this.#open(key, 'ended', { client, requestId }, cwd))
  }

  /** FS9, from the last turn that is over. */
  async #fork({ params, client, requestId }: Handled<Opened>) {
    const { app, fileOperations } = this.#deps
    const who = this.#link.who()
    const { sessionId: key, cwd, _meta } = params
    const { items } = await app.read(listConversationTurns, { key, items: false, limit: 20 }, who)
    const last = items.find(({ state, endedAt }) => endedAt !== null && state !== 'cancelled')
    if (!last) throw failure(codes.params, 'Nothing has come of this session yet to be forked.')
    const receipt = {
      credentialId: who.credentialId,
      operation: 'acp-fork',
      key: this.#clientId(_meta, requestId),
      contentHash: key,
      sealedBy: '',
    }
    const turn = { key, turnId: last.id }
    const forked = await fileOperations.fork(who, turn, undefined, receipt)
    const thread = await this.#open(forked.conversation, 'all', { client, requestId }, cwd)
    return { sessionId: forked.conversation, ...(await this.#opened(thread)) }
  }

  /** Archived for this person alone; what is not there needs nothing. */
  async #delete({ params: { sessionId: key } }: Handled<{ sessionId: string }>) {
    const who = this.#link.who()
    const archived = { key, archived: true, by: who.id }
    await this.#deps.app.run(archiveConversation, archived, who).catch((error: unknown) => {
      if (!(error instanceof Refusal) || errorCatalogue[error.code].status >= 500) throw error
      if (error.code === 'missing_scope') throw error
    })
    return this.#forget(key)
  }

  /** The editor looks at it no more. Not offered: a turn belongs to nobody's window. */
  async #close({ params }: Handled<{ sessionId: string }>) {
    return this.#forget(params.sessionId)
  }

  #forget(key: string): Record<string, never> {
    this.#threads.get(key)?.close()
    this.#threads.delete(key)
    return {}
  }

  /** A tunnel that has connected again goes on where it was. */
  async #attach({ params, client, requestId }: Handled<{ sessionId: string; after: Position }>) {
    const thread = await this.#open(params.sessionId, params.after, { client, requestId })
    await this.#opened(thread)
    return {}
  }

  /** What can be set in a session that was opened; for a tunnel, where it stands. */
  async #opened({ settings, about, position }: OpenThread) {
    const { modes, configOptions } = await settings.open(about.title)
    return {
      ...(modes && { modes }),
      ...(configOptions.length > 0 && { configOptions }),
      ...(this.#options.tunnel !== undefined && { _meta: { holdfast: { at: position } } }),
    }
  }

  async #setMode({ params }: Handled<{ sessionId: string; modeId: string }>) {
    await this.#find(params.sessionId).settings.set({ modeId: params.modeId })
    return {}
  }

  async #setOption({
    params: { sessionId: key, configId: optionId, value },
  }: Handled<{ sessionId: string; configId: string; value: string | boolean }>) {
    const { configOptions } = await this.#find(key).settings.set({ optionId, value })
    return { configOptions }
  }

  #find(key: string): OpenThread {
    const thread = this.#threads.get(key)
    if (!thread) throw noSuchThread(key)
    return thread
  }

  /** `cwd`: where paths belong while its agent has no folder. */
  async #open(
    key: string,
    through: Known,
    { client, requestId }: Pick<Handled<unknown>, 'client' | 'requestId'>,
    cwd: string | null = null,
  ): Promise<OpenThread> {
    const { app } = this.#deps
    const who = this.#link.who()
    const { agentId, workplace, title } = await app.read(
      getConversation,
      { key, personId: who.id },
      who,
    )
    if (agentId === null) throw noSuchThread(key)
    const folder = workplace?.directory ?? cwd
    const about = { key, title, folder, cwd }
    const thread = new OpenThread(about, this.#editor(client), this.#deps)
    await thread.open(through)
    if (this.#isClosed) thread.close()
    this.#threads.get(key)?.close()
    this.#threads.delete(key)
    this.#threads.set(key, thread)
    this.#letUnusedGo()
    this.#link.afterAnswer(requestId, () => thread.goLive())
    return thread
  }

  #letUnusedGo(): void {
    for (const [key, thread] of this.#threads) {
      if (this.#threads.size <= maxOpenThreads) return
      if (!thread.prompts.isEmpty) continue
      thread.close()
      this.#threads.delete(key)
    }
  }

  async #prompt({
    params: { sessionId: key, prompt, _meta },
    requestId,
    signal,
  }: Handled<{ sessionId: string; prompt: Parameters<typeof messageOf>[0]; _meta?: unknown }>) {
    const thread = this.#find(key)
    // Used last.
    this.#threads.delete(key)
    this.#threads.set(key, thread)
    return thread.prompt(messageOf(prompt), this.#clientId(_meta, requestId), signal)
  }

  async #cancel(key: string): Promise<void> {
    try {
      await this.#threads.get(key)?.cancel()
    } catch (error) {
      // A notification has no answer; the turn goes on, which the editor sees.
      if (!(error instanceof Refusal)) refusalOf(error, this.#link.requestId, this.#deps.logger)
    }
  }

  /** The same for a request that a tunnel sends again, so that it is carried out once (HT4). */
  #clientId(meta: unknown, requestId: string | number | null): string {
    const key = receiptIn(meta) ?? `${typeof requestId} ${requestId} ${randomUUID()}`
    return `${this.#mark}${createHash('sha256').update(key).digest('base64url')}`
  }

  #editor(context: AgentContext): Editor {
    const { session: can, elicitation } = this.#capabilities
    const { tunnel } = this.#options
    return {
      link: this.#link,
      context,
      shows: { notices: can?.notices != null, compaction: can?.compaction != null },
      showsBooleans: can?.configOptions?.boolean != null,
      asksForms: elicitation?.form != null,
      asksUrls: elicitation?.url != null,
      mark: this.#mark,
      tell: (key: string, update: AcpUpdate, at: string) => {
        const meta = tunnel === undefined ? {} : { _meta: { holdfast: { at } } }
        // Nobody is there any more to be told.
        return context
          .notify(methods.client.session.update, { sessionId: key, update, ...meta })
          .catch(() => {})
      },
    }
  }
}

const markOf = (id: string): string => `acp:${id}:`

/** Never throws: what it makes of a wrong one is open nowhere. */
const keyIn = (params: unknown): string => {
  const { sessionId: key } = (params ?? {}) as { sessionId?: unknown }
  return typeof key === 'string' ? key : ''
}
