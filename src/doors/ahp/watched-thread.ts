/**
 * A session that one client watches, as two channels: the session and its one chat. Reads the
 * thread once, follows its streams from there, and tells what each event changes in what the client
 * was shown.
 */
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import { follow } from '../../protocol/threads/fold.ts'
import type { Thread } from '../../protocol/threads/thread-state.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { Subscription } from '../../server/live/subscription.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { readThread } from '../../services/system/read-thread.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import { chatChanges, chatStateOf } from './chat-changes.ts'
import type { ChatAction } from './chat-state.ts'
import { type ChatView, chatViewOf } from './chat-view.ts'
import { type Fork, readForks } from './forks.ts'
import { AhpError } from './json-rpc.ts'
import { isChatUri } from './names.ts'
import { type ThreadView, threadChanges, threadStateOf, threadViewOf } from './thread-view.ts'
import type { WatchedChangeset } from './watched-changeset.ts'

export interface Origin {
  readonly clientId: string
  readonly clientSeq: number
}

/** What a client did and was not told yet that it is done. */
export interface Pending {
  readonly channel: string
  readonly origin: Origin
  /** Whether this action tells it. */
  readonly isEchoedBy: (action: ChatAction) => boolean
}

interface WatchOptions {
  readonly deps: ServerDependencies
  readonly who: Who
  readonly key: string
  readonly subscription: Subscription
  readonly act: (channel: string, action: object, more?: object) => void
  readonly failed: (watched: WatchedThread, error: unknown) => void
}

export class WatchedThread {
  readonly key: string
  readonly #options: WatchOptions
  /** Whether the client has sent what is to steer the turn that runs. */
  isSteered = false
  /** Why the chat was not cut, for the prompt that was to follow. */
  #cutRefusal: string | undefined
  /** Done once when no turn runs any more: what was to steer the one that is stopped. */
  afterTurn: (() => Promise<unknown>) | undefined
  /** The channels of it that the client has subscribed to, as the client calls them. */
  readonly open = new Map<string, 'chat' | 'thread'>()
  readonly changesets = new Map<string, WatchedChangeset>()
  readonly #pending = new Set<Pending>()
  #thread: Thread | undefined
  #conversation: Conversation | undefined
  #forks: readonly Fork[] = []
  #chat: ChatView | undefined
  #view: ThreadView | undefined
  #isReading = false
  #isChanged = false
  #isClosed = false
  #wake: (() => void)[] = []

  constructor(options: WatchOptions) {
    this.#options = options
    this.key = options.key
  }

  /** Whether its client has none of its channels any more. */
  get isLeft(): boolean {
    return this.open.size === 0 && this.changesets.size === 0
  }

  isForkedAs(key: string): boolean {
    return this.#forks.some(({ conversation }) => conversation.key === key)
  }

  cutRefused(reason: string): void {
    this.#cutRefusal = reason
  }

  /** A prompt that was to replace what could not be cut off is not sent behind it instead. */
  refuseAfterCut({ type }: ChatAction): void {
    const reason = this.#cutRefusal
    this.#cutRefusal = undefined
    if (reason !== undefined && type === 'chat/turnStarted') throw new AhpError('denied', reason)
  }

  get streams(): StreamName[] {
    return Object.keys(this.#thread?.heads ?? {}) as StreamName[]
  }

  get conversation(): Conversation {
    if (!this.#conversation) throw new Error(`${this.key} is not read yet`)
    return this.#conversation
  }

  get chat(): ChatView {
    if (!this.#chat) throw new Error(`${this.key} is not read yet`)
    return this.#chat
  }

  get thread(): Thread {
    if (!this.#thread) throw new Error(`${this.key} is not read yet`)
    return this.#thread
  }

  /** Reads it and follows it from there. */
  async begin(): Promise<void> {
    const { deps, subscription } = this.#options
    await this.#readConversation()
    await this.#readThread()
    this.#look()
    const heads = new Map(Object.entries(this.thread.heads) as [StreamName, number][])
    const cursor = encodeCursor(deps.store.incarnation, heads)
    await subscription.follow(this.streams, cursor, () => {})
  }

  async #readConversation(): Promise<void> {
    const { deps, who, key } = this.#options
    const whose = { key, personId: who.id }
    this.#conversation = await deps.app.read(getConversation, whose, who)
    this.#forks = await readForks(deps, who, key)
  }

  /** Until it is not behind what was followed meanwhile. */
  async #readThread(): Promise<void> {
    const { deps, who, key } = this.#options
    const isBehind = ({ heads }: Thread): boolean =>
      Object.entries(this.#thread?.heads ?? {}).some(([name, head]) => (heads[name] ?? 0) < head)
    let thread = await deps.app.read(readThread, { key }, who)
    while (isBehind(thread)) thread = await deps.app.read(readThread, { key }, who)
    this.#thread = thread
  }

  /** The state of a channel, in which all is that was told so far. */
  snapshot(channel: string, part: 'chat' | 'thread'): object {
    return part === 'chat' ? this.#chatState(channel) : threadStateOf(this.#shown().view)
  }

  #chatState(resource: string): object {
    // A chat has no title beside its session's.
    const { created } = this.conversation
    return chatStateOf(this.#shown().chat, { resource, title: '', createdAt: created })
  }

  #shown(): { readonly chat: ChatView; readonly view: ThreadView } {
    if (!this.#chat || !this.#view) throw new Error(`${this.key} is not read yet`)
    return { chat: this.#chat, view: this.#view }
  }

  /** Events of its streams are gone before they were taken. */
  beginAgain(): void {
    const { state, heads } = this.thread
    this.#thread = { heads, state: { ...state, isStale: true } }
    void this.readAgain()
  }

  has(stream: string): boolean {
    return this.#thread?.heads[stream] !== undefined
  }

  take(event: HoldfastEvent): void {
    if (!this.#thread) return
    this.#thread = follow(this.#thread, event)
    if (this.#thread.state.isStale) void this.readAgain()
    else this.#look()
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** Something of it has changed that lists show, and no event of its streams tells. */
  async readAgain(): Promise<void> {
    this.#isChanged = true
    if (this.#isReading || !this.#thread) return
    this.#isReading = true
    try {
      while (this.#isChanged) {
        this.#isChanged = false
        await this.#readConversation()
        if (this.thread.state.isStale) await this.#readThread()
        if (!this.#isClosed) this.#look()
      }
    } catch (error) {
      if (!this.#isClosed) this.#options.failed(this, error)
    } finally {
      this.#isReading = false
      for (const wake of this.#wake.splice(0)) wake()
    }
  }

  /** Tells what has changed since. */
  #look(): void {
    const { state } = this.thread
    const chat = chatViewOf(state)
    const shown = { conversation: this.conversation, forks: this.#forks, chat, key: this.key }
    const view = threadViewOf(shown)
    const before = { chat: this.#chat, view: this.#view }
    if (!chat.isActive && this.afterTurn) this.#goOn(this.afterTurn)
    this.#chat = chat
    this.#view = view
    const parts = new Set(this.open.values())
    if (before.chat && parts.has('chat')) this.#tell('chat', chatChanges(before.chat, chat))
    if (before.view && parts.has('thread')) this.#tell('thread', threadChanges(before.view, view))
    for (const changeset of this.changesets.values()) changeset.look()
  }

  /** Where it may not go on, what waits is shown as waiting. */
  #goOn(work: () => Promise<unknown>): void {
    this.afterTurn = undefined
    work().catch((error: unknown) => {
      if (!(error instanceof Refusal)) this.#options.failed(this, error)
    })
  }

  #tell(part: 'chat' | 'thread', actions: readonly ChatAction[]): void {
    const channels = this.open.keys().filter((channel) => this.open.get(channel) === part)
    for (const channel of channels)
      for (const action of actions) {
        const done = [...this.#pending].find(
          (each) => each.channel === channel && each.isEchoedBy(action),
        )
        if (done) this.#pending.delete(done)
        this.#options.act(channel, action, done && { origin: done.origin })
      }
  }

  /**
   * Does what a client asks for, and tells it once: with the action that comes of it, or, where
   * nothing is to be told any more, with one that changes nothing.
   */
  async carryOut(pending: Pending, work: () => Promise<unknown>): Promise<void> {
    const { channel, origin } = pending
    this.#pending.add(pending)
    try {
      await work()
      await this.#upToDate()
    } catch (error) {
      this.#pending.delete(pending)
      throw error
    }
    if (!this.#pending.delete(pending)) return
    const { activity } = this.#shown().view
    const nothing = isChatUri(channel)
      ? { type: 'chat/activityChanged' }
      : { type: 'session/activityChanged', activity }
    this.#options.act(channel, nothing, { origin })
  }

  /** Has taken all that was committed when it was called. */
  async #upToDate(): Promise<void> {
    const { streams } = this
    const positions = await this.#options.deps.store.positions(streams)
    const isBehind = (): boolean =>
      streams.some(
        (stream, index) => (this.thread.heads[stream] ?? 0) < (positions[index]?.head ?? 0),
      )
    void this.readAgain()
    while (!this.#isClosed && (isBehind() || this.#isReading))
      await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  close(): void {
    this.#isClosed = true
    this.open.clear()
    for (const changeset of this.changesets.values()) changeset.close()
    this.changesets.clear()
    for (const wake of this.#wake.splice(0)) wake()
  }
}
