/**
 * Shows answers while they are written (CN8), by editing one message as often as its platform
 * allows. Told to wait, it leaves the rest to the end of the turn. Nothing depends on a draft: the
 * answer is sent whether or not there is one.
 */
import { type ChannelName, parseChannelKey } from '../domain/channels/key.ts'
import { splitText } from '../domain/channels/split-text.ts'
import { parseStream, type StreamName } from '../domain/stream-name.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { type Draft, findDraft, recordDraft } from '../services/channels/drafts.ts'
import type { Store } from '../store/store.ts'
import { type ChannelAdapter, ChannelFailure, draftPartId } from './port.ts'

const minuteMs = 60_000
/** Chats in which something is being written; more are shown at their end. */
const maxChats = 200
/** Room for the sign that more is coming. */
const reservedChars = 96

interface DrafterOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly adapter: ChannelAdapter
  readonly holder: string
}

export class Drafter {
  readonly #options: DrafterOptions
  readonly #channel: ChannelName
  readonly #abort = new AbortController()
  readonly #timers = new Map<string, () => void>()
  readonly #running = new Map<string, Promise<void>>()
  /** By chat: what is shown; null for a turn of which no more is shown. */
  readonly #shown = new Map<string, { turnId: string; text: string | null }>()
  #stopBell: (() => void) | undefined
  #usedAt: number[] = []

  constructor(options: DrafterOptions) {
    this.#options = options
    this.#channel = options.adapter.channel
  }

  start(): void {
    if (this.#options.adapter.drafts)
      this.#stopBell = this.#options.store.doorbell.onAny((stream) => this.#heard(stream))
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopBell?.()
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    this.#abort.abort()
    await Promise.all(this.#running.values())
  }

  /** Resolves when no call about a chat's draft is under way. */
  async settled(chatId: string): Promise<void> {
    await this.#running.get(chatId)
  }

  #heard(name: StreamName): void {
    const stream = parseStream(name)
    const place = stream?.kind === 'turns' ? parseChannelKey(stream.id) : undefined
    const { drafts } = this.#options.adapter
    if (!drafts || place?.channel !== this.#channel) return
    const { chatId } = place
    if (this.#timers.has(chatId) || this.#timers.size >= maxChats) return
    const show = () => {
      this.#timers.delete(chatId)
      if (this.#running.has(chatId)) return
      const showing = this.#show(chatId)
        .catch((error: unknown) => this.#failed(chatId, error))
        .finally(() => this.#running.delete(chatId))
      this.#running.set(chatId, showing)
    }
    this.#timers.set(chatId, this.#options.clock.after(drafts.everyMs, show))
  }

  async #show(chatId: string): Promise<void> {
    const { store, adapter, clock } = this.#options
    const draft = await store.query(findDraft, { channel: this.#channel, chatId })
    if (!draft || draft.text === '') return void this.#shown.delete(chatId)
    const before = this.#shown.get(chatId)
    const isSame = before?.turnId === draft.turnId
    const [first = ''] = splitText(draft.text, adapter.maxChars - reservedChars, adapter.lengthOf)
    const text = `${first} …`
    if (isSame && (before.text === null || before.text === text)) return
    const now = clock.now()
    this.#usedAt = this.#usedAt.filter((at) => at > now - minuteMs)
    if (this.#usedAt.length >= (adapter.drafts?.perMinute ?? 0)) return
    this.#usedAt.push(now)
    this.#shown.set(chatId, { turnId: draft.turnId, text: null })
    await this.#write(chatId, draft, text)
    this.#shown.set(chatId, { turnId: draft.turnId, text })
  }

  async #write(chatId: string, { turnId, isBegun, ref }: Draft, text: string): Promise<void> {
    const { store, adapter, holder } = this.#options
    const { signal } = this.#abort
    const about = { channel: this.#channel, chatId, holder, turnId }
    if (ref !== null) return adapter.edit({ chatId, ref, text }, signal)
    // Begun by a process that died: it is looked for when the answer is sent.
    if (isBegun) return
    const { recorded } = await store.run(recordDraft, { ...about, ref: null })
    if (!recorded) return
    const sent = await adapter.send({ chatId, text, partId: draftPartId(turnId) }, signal)
    if (sent.ref !== null) await store.run(recordDraft, { ...about, ref: sent.ref })
  }

  #failed(chatId: string, error: unknown): void {
    const { logger } = this.#options
    const kind = error instanceof ChannelFailure ? error.kind : 'unknown'
    const about = { channel: this.#channel, chatId, kind }
    logger.debug(about, 'an answer is not shown before its end')
  }
}
