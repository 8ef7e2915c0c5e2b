/**
 * Sends outgoing messages (CN2): in order within a chat, part by part, at least once. Each part is
 * recorded before and after it is sent; a part that was begun by a sender that died is sent again
 * and marked as such. Waits when the platform asks for it, and gives up what it refuses
 * permanently.
 */

import { createHash } from 'node:crypto'
import { chatWords } from '../domain/channels/chat-texts.ts'
import { type ChannelName, parseChannelKey } from '../domain/channels/key.ts'
import { splitText } from '../domain/channels/split-text.ts'
import { statusNotice } from '../domain/status-texts.ts'
import { home, parseStream, type StreamName } from '../domain/stream-name.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { chatsPageSize, findOutgoing, type NextOutgoing } from '../services/channels/queries.ts'
import {
  type BegunPart,
  beginSending,
  recordSent,
  type SentOutcome,
} from '../services/channels/send-outgoing.ts'
import type { Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import {
  type ChannelAdapter,
  ChannelFailure,
  draftPartId,
  isOfChat,
  type Outbound,
  type Sent,
} from './port.ts'

/** Interval of a full check, in case a doorbell is lost. */
const checkAllEveryMs = 5000
const chatsTogether = 8
/** Retries end after this time. The message stays in the conversation. */
const giveUpAfterMs = 24 * 3_600_000
/** Time a stop waits for a running send. */
const finishWithinMs = 3000
export interface SenderOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly adapter: ChannelAdapter
  readonly holder: string
  readonly onSent: () => void
  /** Resolves when no call about a chat's draft is under way. */
  readonly draftSettled?: (chatId: string) => Promise<void>
}

export class Sender {
  readonly #options: SenderOptions
  readonly #channel: ChannelName
  readonly #abort = new AbortController()
  /** Parts sent and not yet recorded, known while this process lives. */
  readonly #arrived = new Map<string, SentOutcome>()
  #stopBell: (() => void) | undefined
  #cancel: (() => void) | undefined
  #running: Promise<void> | undefined
  #rung = false
  #stopped = false

  constructor(parts: SenderOptions) {
    this.#options = parts
    this.#channel = parts.adapter.channel
  }

  start(): void {
    this.#stopBell = this.#options.store.doorbell.onAny((stream) => this.#heard(stream))
    this.look()
  }

  /** Resolves when running sends have finished, or after a short time. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#cancel?.()
    const giveUp = this.#options.clock.after(finishWithinMs, () => this.#abort.abort())
    await this.#running
    giveUp()
  }

  look(): void {
    this.#rung = true
    if (this.#stopped) return
    this.#running ??= this.#checkAll()
  }

  #heard(name: StreamName): void {
    const stream = parseStream(name)
    if (
      name === home ||
      (stream?.kind === 'conversation' && parseChannelKey(stream.id)?.channel === this.#channel)
    )
      this.look()
  }

  async #checkAll(): Promise<void> {
    const { clock, logger } = this.#options
    let waitMs = checkAllEveryMs
    try {
      while (this.#rung && !this.#stopped) {
        this.#rung = false
        waitMs = await this.#sendDue()
      }
    } catch (error) {
      if (!this.#stopped)
        logger.warn(
          { channel: this.#channel, error: String(error) },
          'messages could not be sent; retrying',
        )
    }
    this.#cancel?.()
    if (!this.#stopped)
      this.#cancel = clock.after(Math.min(waitMs, checkAllEveryMs), () => this.look())
    // Synchronously after the last check for rings, so that no ring in between is lost.
    this.#running = undefined
  }

  /** Sends what is due. Returns the time until more is due, as far as known. */
  async #sendDue(): Promise<number> {
    let waitMs = checkAllEveryMs
    const failures: unknown[] = []
    for (let after = ''; ; ) {
      const next = await this.#options.store.query(findOutgoing, { channel: this.#channel, after })
      const due = next.filter(({ inMs }) => inMs === 0)
      for (let at = 0; at < due.length && !this.#stopped; at += chatsTogether)
        await Promise.all(
          due
            .slice(at, at + chatsTogether)
            .map((each) => this.#send(each).catch((error) => failures.push(error))),
        )
      if (due.length > 0) this.#rung = true
      for (const { inMs } of next) if (inMs > 0) waitMs = Math.min(waitMs, inMs)
      after = next.at(-1)?.chatId ?? after
      if (next.length < chatsPageSize) break
    }
    // RE9: thrown after all other chats were served and their sends finished; a retry before would
    // send twice.
    if (failures.length > 0) throw failures[0]
    return waitMs
  }

  async #send({ chatId, n }: NextOutgoing): Promise<void> {
    const { store, adapter, holder, onSent } = this.#options
    const partKey = { channel: this.#channel, chatId, n }
    await this.#options.draftSettled?.(chatId)
    const { begun } = await store.run(beginSending, { ...partKey, holder })
    if (!begun) return
    const { part } = begun
    const id = `${chatId}/${n}/${part}`
    const parts = splitText(begun.content, adapter.maxChars - reservedChars, adapter.lengthOf)
    const arrivedAt = this.#arrived.get(id)
    const outcome = arrivedAt ?? (await this.#sendPart({ chatId, n }, parts, begun))
    if (outcome.is === 'sent') {
      this.#arrived.set(id, outcome)
      if (!arrivedAt) onSent()
    }
    await store.run(recordSent, { ...partKey, part, outcome })
    this.#arrived.delete(id)
  }

  /** CN8: the draft becomes the first part. Undefined where there is none any more. */
  async #replaceDraft(
    message: Pick<Outbound, 'chatId' | 'text'>,
    { draft, afterRef }: BegunPart,
  ): Promise<string | undefined> {
    if (!draft) return undefined
    const { adapter } = this.#options
    const { signal } = this.#abort
    const sought = { ...message, partId: draftPartId(draft.turnId), afterRef }
    const found = draft.ref === null ? await adapter.findSent?.(sought, signal) : draft
    const ref = typeof found === 'object' ? found.ref : null
    if (ref === null) return undefined
    try {
      await adapter.edit({ ...message, ref }, signal)
      return ref
    } catch (error) {
      if (error instanceof ChannelFailure && isOfChat(error)) return undefined
      throw error
    }
  }

  /**
   * Sends a part that may have arrived only if the platform says that it has not. Where it cannot
   * tell, the part says that it may be a repetition.
   */
  async #sendOnce(message: Outbound, begun: BegunPart): Promise<Sent> {
    const { adapter } = this.#options
    const { signal } = this.#abort
    if (!begun.maybeSent) return adapter.send(message, signal)
    const sought = { ...message, afterRef: begun.afterRef }
    const found = (await adapter.findSent?.(sought, signal)) ?? 'unsure'
    if (typeof found === 'object') return found
    if (found === 'absent') return adapter.send(message, signal)
    const { again } = chatWords(begun.language, this.#channel)
    return adapter.send({ ...message, text: `${again}\n\n${message.text}` }, signal)
  }

  async #sendPart(
    { chatId, n }: Pick<NextOutgoing, 'chatId' | 'n'>,
    parts: readonly string[],
    begun: BegunPart,
  ): Promise<SentOutcome> {
    const { clock, logger } = this.#options
    const { part, attempts, createdAt } = begun
    const text = parts[part]
    const isLast = part >= parts.length - 1
    if (text === undefined) return { is: 'sent', isLast: true, ref: null }
    try {
      const { buttons, editRef } = begun
      if (editRef !== undefined) {
        await this.#options.adapter.edit({ chatId, ref: editRef, text }, this.#abort.signal)
        return { is: 'sent', isLast: true, ref: null }
      }
      const ref = await this.#replaceDraft({ chatId, text }, begun)
      if (ref !== undefined) return { is: 'sent', isLast, ref }
      const partId = partIdOf(this.#channel, chatId, n, begun)
      const sent = await this.#sendOnce({ chatId, text, partId, buttons }, begun)
      return { is: 'sent', isLast, ref: sent.ref }
    } catch (error) {
      const failure =
        error instanceof ChannelFailure ? error : new ChannelFailure('unknown', String(error))
      logger.warn(
        { channel: this.#channel, chatId, kind: failure.kind, error: failure.message },
        'message could not be sent',
      )
      if (failure.kind === 'gone' || failure.kind === 'faulty')
        return { is: 'never', why: failure.detail }
      if (clock.now() - Date.parse(createdAt) > giveUpAfterMs)
        return { is: 'never', why: statusNotice('givenUp') }
      const afterMs = backoffMs(attempts, failure.retryAfterMs)
      return { is: 'later', afterMs, maybeSent: failure.kind === 'unknown' }
    }
  }
}

/**
 * The same in every attempt. `n` begins anew when a queue has been empty; the message before tells
 * two apart that were queued in one moment.
 */
const partIdOf = (channel: string, chatId: string, n: number, begun: BegunPart): string =>
  createHash('sha256')
    .update(JSON.stringify([channel, chatId, n, begun.part, begun.createdAt, begun.afterRef]))
    .digest('base64url')
    .slice(0, 24)

/** Space reserved for the note before a part that may already have arrived. */
const reservedChars = 96
