/**
 * What an editor is told of a session beside its turns: what can be set, commands, use, title. Read
 * again where events say that it has changed, and told where it has.
 */
import type { Who } from '../../domain/access/caller.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import { noOffers, type Offers } from '../../protocol/threads/offers.ts'
import type { ConfigChange } from '../../protocol/turns/config-change.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { getAgent } from '../../services/agents/queries.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { configureChat, readOptions } from '../../services/turns/chat-options.ts'
import { readContexts } from '../../services/turns/queries.ts'
import type { Editor } from './client-link.ts'
import { codes, failure } from './failures.ts'
import { type AcpOffers, changesOf, offersOf, saidOf } from './offers.ts'
import { type EditorFolder, isOwn, offersPlace, ownOptions, setOwn } from './own-options.ts'
import type { AcpUpdate } from './updates.ts'

/** An agent that does not say so within this time sets it later; then the editor is told. */
const configuredWithinMs = 5000

const changingTitle: ReadonlySet<string> = new Set(['title-set', 'message-added'])
const changingOptions: ReadonlySet<string> = new Set([
  'agent-chosen',
  'workplace-chosen',
  'agent:configuring',
  'agent:configured',
  'agent:response',
])

interface Waiting {
  readonly change: string
  readonly done: (error: string | null) => void
}

export class ThreadSettings {
  readonly #place: EditorFolder
  readonly #editor: Editor
  readonly #deps: ServerDependencies
  #offers: AcpOffers = { configOptions: [] }
  /** Whether its agent pulls what there is to do: what it says is told in messages alone. */
  isPulled = false
  #said: Pick<Offers, 'commands' | 'usage'> = noOffers
  #title: string | null = null
  /** The turn in which it was looked what an agent offers that was opened for the first time. */
  #lookedIn: string | null = null
  #isOld = false
  #hasOldTitle = false
  readonly #waiting = new Set<Waiting>()

  constructor(place: EditorFolder, editor: Editor, deps: ServerDependencies) {
    this.#place = place
    this.#editor = editor
    this.#deps = deps
  }

  /** What the editor is told with the answer that opens the session. */
  async open(title: string | null): Promise<AcpOffers> {
    this.#title = title
    this.#offers = await this.#read()
    return this.#offers
  }

  /** Notes what an event makes old. */
  take(event: HoldfastEvent): void {
    if (!('data' in event)) return
    if (changingTitle.has(event.type)) this.#hasOldTitle = true
    // With the first prompt the place is fixed.
    if (event.type === 'message-added' && offersPlace(this.#offers)) this.#isOld = true
    if (changingOptions.has(event.type)) this.#isOld = true
    if (event.type === 'agent:update') {
      const { messageId, update } = event.data
      if (update.kind === 'mode' || update.kind === 'options') this.#isOld = true
      if (messageId !== null && messageId !== this.#lookedIn) {
        this.#lookedIn = messageId
        this.#isOld = true
      }
    }
    if (event.type !== 'agent:configured') return
    const { change, error } = event.data
    for (const waiting of [...this.#waiting])
      if (waiting.change === JSON.stringify(change)) waiting.done(error)
  }

  /** What is new of what the editor was told. */
  async news(offers: Offers): Promise<readonly AcpUpdate[]> {
    const ownWords = saidOf(this.#said, offers)
    this.#said = offers
    return [...ownWords, ...(await this.#newOptions()), ...(await this.#newTitle())]
  }

  async #newOptions(): Promise<readonly AcpUpdate[]> {
    if (!this.#isOld) return []
    this.#isOld = false
    const before = this.#offers
    this.#offers = await this.#read()
    return changesOf(before, this.#offers)
  }

  async #newTitle(): Promise<readonly AcpUpdate[]> {
    if (!this.#hasOldTitle) return []
    this.#hasOldTitle = false
    const who = this.#editor.link.who()
    const { title, lastTurnAt } = await this.#conversation(who)
    if (title === this.#title) return []
    this.#title = title
    return [{ sessionUpdate: 'session_info_update', title, updatedAt: lastTurnAt }]
  }

  async #read(): Promise<AcpOffers> {
    const who = this.#editor.link.who()
    const { app } = this.#deps
    const options = await app.read(readOptions, { key: this.#place.key }, who)
    const offered = offersOf(options, this.#editor.showsBooleans)
    const conversation = await this.#conversation(who)
    const { agentId } = conversation
    const agent = agentId === null ? undefined : await app.read(getAgent, { agentId }, who)
    this.isPulled = agent?.protocol === 'mcp'
    const own = await ownOptions(this.#deps, who, conversation, this.#place)
    return { ...offered, configOptions: [...offered.configOptions, ...own] }
  }

  #conversation(who: Who): Promise<Conversation> {
    const query = { key: this.#place.key, personId: who.id }
    return this.#deps.app.read(getConversation, query, who)
  }

  /** Sets a mode or an option; an agent that is not there gets it with its next turn. */
  async set(change: ConfigChange): Promise<AcpOffers> {
    if (isOwn(change)) {
      await setOwn(this.#deps, this.#editor.link.who(), change, this.#place)
      this.#offers = await this.#read()
      return this.#offers
    }
    const { app } = this.#deps
    const who = this.#editor.link.who()
    const { key } = this.#place
    const isSet = this.#untilConfigured(change)
    try {
      await app.run(configureChat, { key, change, by: who.id }, who)
      const { contexts } = await app.read(readContexts, { key }, who)
      const error = contexts.some(({ state }) => state === 'open') ? await isSet.answered : null
      if (error !== null) throw failure(codes.internal, error)
    } finally {
      isSet.stop()
    }
    this.#offers = await this.#read()
    return this.#offers
  }

  /** Resolves with why it was not set; null: it was, or nobody has said so yet. */
  #untilConfigured(change: ConfigChange): { answered: Promise<string | null>; stop: () => void } {
    const { promise: answered, resolve } = Promise.withResolvers<string | null>()
    const stopClock = this.#deps.clock.after(configuredWithinMs, () => resolve(null))
    const waiting = { change: JSON.stringify(change), done: resolve }
    this.#waiting.add(waiting)
    const stop = (): void => {
      stopClock()
      this.#waiting.delete(waiting)
    }
    return { answered, stop }
  }
}
