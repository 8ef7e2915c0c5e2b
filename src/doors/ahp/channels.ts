/**
 * The channels that one client subscribed to: the root, sessions and their chats. What it
 * dispatches goes to the session that the channel is of.
 */
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { home, type StreamName } from '../../domain/stream-name.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { stillFree } from '../../server/live/subscription.ts'
import { requireScope } from '../../services/access/require-scope.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { chatNameOf, findNamedThread } from '../../services/conversations/thread-names.ts'
import { actionOf, isOwnMatter, reasonOf, receiptOf } from './actions.ts'
import type { AhpClient } from './ahp-client.ts'
import type { ChatAction } from './chat-state.ts'
import { AhpError } from './json-rpc.ts'
import {
  type ChangesetName,
  changesetIn,
  keyOfChat,
  keyOfThread,
  rootChannel,
  threadOfChat,
} from './names.ts'
import { isListed, rootState } from './root.ts'
import { WatchedChangeset } from './watched-changeset.ts'
import { WatchedThread } from './watched-thread.ts'

export interface Snapshot {
  readonly resource: string
  readonly state: object
  /** Everything told up to this number is in the state. */
  readonly fromSeq: number
}

interface Dispatch {
  readonly channel: string
  readonly clientSeq: number
  readonly action: ChatAction
}

export class Channels {
  readonly #client: AhpClient
  readonly #deps: ServerDependencies
  readonly #watched = new Map<string, WatchedThread>()
  #followsHome = false

  constructor(client: AhpClient, deps: ServerDependencies) {
    this.#client = client
    this.#deps = deps
  }

  async open(who: Who, channel: string): Promise<Snapshot> {
    await this.#followHome(who)
    if (channel === rootChannel) return this.#openRoot(who)
    const changeset = changesetIn(channel)
    if (changeset) return this.#openChangeset(who, channel, changeset)
    const { key, part } = await this.#find(who, channel)
    const watched = await this.#watch(who, key)
    const state = watched.snapshot(channel, part)
    watched.open.set(channel, part)
    return { resource: channel, state, fromSeq: this.#client.serverSeq }
  }

  /** The machine may take long: what it says is sent when it comes. */
  async #openChangeset(who: Who, uri: string, name: ChangesetName): Promise<Snapshot> {
    const { key } = await this.#find(who, name.thread)
    const watched = await this.#watch(who, key)
    const deps = this.#deps
    const act = (action: ChatAction, more?: object) => this.#client.act(uri, action, more)
    const failed = (error: unknown) => this.#client.failed(error)
    const begun = new WatchedChangeset({ deps, who, uri, name, watched, act, failed })
    const changeset = watched.changesets.get(uri) ?? begun
    watched.changesets.set(uri, changeset)
    const { state } = changeset
    const { serverSeq } = this.#client
    changeset.look()
    return { resource: uri, state, fromSeq: serverSeq }
  }

  /** One that is gone meanwhile is undefined. */
  async openAgain(who: Who, channel: string): Promise<Snapshot | undefined> {
    try {
      return await this.open(who, channel)
    } catch (error) {
      if (error instanceof AhpError) return undefined
      throw error
    }
  }

  /** Whether this person's client has called a session so. */
  async isNamed(who: Who, uri: string): Promise<boolean> {
    const named = await this.#deps.app.read(findNamedThread, { name: uri, personId: who.id }, who)
    return named !== null
  }

  close(channel: string): void {
    if (channel === rootChannel) this.#client.news.isOpen = false
    for (const watched of this.#watched.values()) {
      watched.open.delete(channel)
      watched.changesets.get(channel)?.close()
      watched.changesets.delete(channel)
      if (watched.isLeft) this.#forget(watched)
    }
  }

  /** What changes in the list is told, and of what is watched what no stream of its own tells. */
  async #followHome(who: Who): Promise<void> {
    if (this.#followsHome) return
    this.#followsHome = true
    await this.#deps.app.watch([home], who)
    await this.#client.subscription.follow([home], undefined, () => {})
  }

  async #openRoot(who: Who): Promise<Snapshot> {
    const state = await rootState(this.#deps, who)
    this.#client.news.isOpen = true
    return { resource: rootChannel, state, fromSeq: this.#client.serverSeq }
  }

  /** The session that a channel is of, which must be this caller's to see. */
  async #find(
    who: Who,
    channel: string,
  ): Promise<{ readonly key: string; readonly part: 'chat' | 'thread' }> {
    const ofChat = keyOfChat(channel) ?? (await this.#forkedAs(who, channel))
    const key = ofChat ?? (await this.keyOf(who, channel))
    const conversation = key && (await this.#conversation(who, key))
    if (!key || !conversation || !isListed(conversation))
      throw new AhpError('noSession', `There is no session ${channel}`)
    return { key, part: ofChat === undefined ? 'thread' : 'chat' }
  }

  async #forkedAs(who: Who, chat: string): Promise<string | undefined> {
    const thread = threadOfChat(chat)
    const key = thread === undefined ? undefined : await this.keyOf(who, thread)
    if (key === undefined) return undefined
    const name = chatNameOf(key, chat)
    return (
      (await this.#deps.app.read(findNamedThread, { name, personId: who.id }, who)) ?? undefined
    )
  }

  async isThere(who: Who, channel: string): Promise<boolean> {
    return (await this.#found(who, channel)) !== undefined
  }

  /** Undefined: there is none, or none for this caller. */
  async #found(who: Who, channel: string) {
    return this.#find(who, channel).catch((error: unknown) => {
      if (error instanceof AhpError) return undefined
      throw error
    })
  }

  async isShown(who: Who, key: string): Promise<boolean> {
    const conversation = await this.#conversation(who, key)
    return conversation !== undefined && isListed(conversation)
  }

  async #conversation(who: Who, key: string) {
    try {
      return await this.#deps.app.read(getConversation, { key, personId: who.id }, who)
    } catch (error) {
      if (error instanceof Refusal && error.code !== 'missing_scope') return undefined
      throw error
    }
  }

  /** By the name that this person's client gave it, else by ours. */
  async keyOf(who: Who, uri: string): Promise<string | undefined> {
    const named = await this.#deps.app.read(findNamedThread, { name: uri, personId: who.id }, who)
    return named ?? keyOfThread(uri)
  }

  /** Does something with the session of a channel, which its client need not watch. */
  async within<Result>(
    who: Who,
    channel: string,
    work: (watched: WatchedThread) => Promise<Result>,
  ): Promise<Result> {
    const { key } = await this.#find(who, channel)
    const watched = await this.#watch(who, key)
    try {
      return await work(watched)
    } finally {
      if (watched.isLeft) this.#forget(watched)
    }
  }

  async #watch(who: Who, key: string): Promise<WatchedThread> {
    const before = this.#watched.get(key)
    if (before) return before
    stillFree(['conversation:', 'turns:'] as StreamName[], this.#client.subscription.streams)
    const watched = new WatchedThread({
      deps: this.#deps,
      who,
      key,
      subscription: this.#client.subscription,
      act: (channel, action, more) => this.#client.act(channel, action, more),
      failed: (each, error) => this.#lost(each, error),
    })
    this.#watched.set(key, watched)
    try {
      await watched.begin()
    } catch (error) {
      this.#forget(watched)
      throw error
    }
    return watched
  }

  /** Deleted, or not this caller's any more: nothing is told of it. */
  #lost(watched: WatchedThread, error: unknown): void {
    this.#forget(watched)
    if (!(error instanceof Refusal)) this.#client.failed(error)
  }

  #forget(watched: WatchedThread): void {
    watched.close()
    if (this.#watched.get(watched.key) === watched) this.#watched.delete(watched.key)
    this.#client.subscription.unfollow(watched.streams)
  }

  closeAll(): void {
    for (const watched of this.#watched.values()) watched.close()
    this.#watched.clear()
  }

  take(event: HoldfastEvent): void {
    if (event.stream !== home) {
      for (const watched of this.#watched.values())
        if (watched.has(event.stream)) watched.take(event)
      return
    }
    if (event.type !== 'session-changed' || !('data' in event)) return
    const { key } = event.data
    for (const watched of this.#watched.values())
      if (watched.key === key || watched.isForkedAs(key)) void watched.readAgain()
  }

  /** Streams began anew, or events of them are gone. */
  readAgain(streams: readonly StreamName[]): void {
    for (const watched of this.#watched.values())
      if (streams.some((stream) => watched.has(stream))) watched.beginAgain()
  }

  #changeset(uri: string): WatchedChangeset | undefined {
    const found = this.#watched.values().find(({ changesets }) => changesets.has(uri))
    return found?.changesets.get(uri)
  }

  /** Refused in an echo with why, so that the client takes it back. */
  async dispatch(who: Who, { channel, clientSeq, action }: Dispatch): Promise<void> {
    const { clientId } = this.#client
    const origin = { clientId, clientSeq }
    if (isOwnMatter(action)) return this.#client.act(channel, action, { origin })
    const changeset = this.#changeset(channel)
    const key = (await this.#found(who, changeset?.name.thread ?? channel))?.key
    // One for an unknown channel is ignored.
    if (key === undefined) return
    try {
      if (changeset) return await changeset.review(who, action, origin)
      const { rights, run, isEchoedBy } = actionOf(action)
      requireScope(who, rights.scope)
      const watched = await this.#watch(who, key)
      const given = { who, deps: this.#deps, watched, receipt: receiptOf(who, origin, action) }
      watched.refuseAfterCut(action)
      const isDone = (echo: ChatAction) => isEchoedBy(action, echo)
      const pending = { channel, origin, isEchoedBy: isDone }
      await watched.carryOut(pending, () => run(given, action))
    } catch (error) {
      const rejectionReason = reasonOf(error)
      if (rejectionReason === undefined) throw error
      if (action.type === 'chat/truncated') this.#watched.get(key)?.cutRefused(rejectionReason)
      this.#client.act(channel, action, { origin, rejectionReason })
    }
  }
}
