/**
 * All open WebSockets and event streams: number per credential, heartbeat, clients that read
 * nothing, and closing what a credential opened once it is revoked (SE3, SE8, RL5). Counts beats,
 * not time, so a laptop that slept loses no connection.
 */

import { Refusal } from '../../domain/errors.ts'
import { epochMs, type Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import type { EventType } from '../../protocol/events.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { Presented } from '../security/credentials.ts'
import type { FeedEvent } from './tail.ts'

export const maxConnectionsPerCredential = 5000
const lookMs = 5000
/**
 * Event streams get a beat at every check, so that a client notices a node that does not answer
 * (SC3).
 */
const looksPerBeat = { 'event-stream': 1, websocket: 3 } as const
const looksPerRecheck = 3
/** Two checks in a row: the client read nothing for at least 10 s. */
const maxStuckLooks = 2
/** Longest timer delay; a later expiry is checked again then. */
const maxTimerMs = 2 ** 31 - 1
/** Time clients have to answer a close before they are cut off. */
const goodbyeMs = 1000

const endings: ReadonlySet<string> = new Set<EventType>([
  'token-revoked',
  'person-removed',
  'person-renewed',
  'person-changed',
  'signed-out',
  'passkey-replaced',
  'agent-deleted',
])

export interface OpenConnection {
  readonly kind: 'websocket' | 'event-stream'
  readonly presented: Pick<Presented, 'who' | 'hash'>
  /** Bytes sent and not yet read. */
  readonly waitingBytes: number
  /** Returns how many checks in a row the client read nothing. */
  look(): number
  beat(): void
  end(why: 'revoked' | 'slow' | 'going-away'): void
  cut(): void
}

type ConnectionsOptions = Pick<ServerDependencies, 'store' | 'clock' | 'credentials' | 'tails'>

export class Connections {
  readonly #options: ConnectionsOptions
  readonly #open = new Set<OpenConnection>()
  readonly #perCredential = new Map<string, number>()
  /** When each ends, and what stops waiting for it. */
  readonly #expiries = new Map<
    OpenConnection,
    { readonly at: Instant; readonly stop: () => void }
  >()
  #looks = 0
  #stopLooking: (() => void) | undefined
  #closing = false
  #allGone: (() => void) | undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** Starts following the log, so that a revoked credential closes its connections at once. */
  async start(): Promise<void> {
    const { store, tails } = this.#options
    const tail = tails.acquire(home)
    tail.join({ take: (events) => this.#read(events) })
    const [position] = await store.positions([home])
    tail.start(position?.head ?? 0)
    this.#lookLater()
  }

  count(kind: OpenConnection['kind']): number {
    let count = 0
    for (const connection of this.#open) if (connection.kind === kind) count++
    return count
  }

  get waitingBytes(): number {
    let bytes = 0
    for (const connection of this.#open) bytes += connection.waitingBytes
    return bytes
  }

  /** Refuses a connection beyond the limit of a credential, and any while the server stops. */
  admit({ who }: Pick<Presented, 'who'>): void {
    if (this.#closing) throw new Refusal('shutting_down')
    if ((this.#perCredential.get(who.credentialId) ?? 0) < maxConnectionsPerCredential) return
    const limit = maxConnectionsPerCredential
    throw new Refusal('too_many_connections', refusalText('connections', { count: limit }), {
      limit,
    })
  }

  add(connection: OpenConnection): void {
    const { who, hash } = connection.presented
    this.#open.add(connection)
    this.#perCredential.set(who.credentialId, (this.#perCredential.get(who.credentialId) ?? 0) + 1)
    this.#expireAt(connection, who.expiresAt)
    // The credential may have been revoked between its check and this registration.
    void this.#recheck(hash)
  }

  remove(connection: OpenConnection): void {
    if (!this.#open.delete(connection)) return
    const { credentialId } = connection.presented.who
    const left = (this.#perCredential.get(credentialId) ?? 1) - 1
    if (left > 0) this.#perCredential.set(credentialId, left)
    else this.#perCredential.delete(credentialId)
    this.#expireAt(connection, null)
    if (this.#open.size === 0) this.#allGone?.()
  }

  /** Closes all connections, waits a little, then cuts off the rest. */
  async close(): Promise<void> {
    this.#closing = true
    this.#stopLooking?.()
    if (this.#open.size === 0) return
    for (const connection of [...this.#open]) connection.end('going-away')
    await new Promise<void>((resolve) => {
      const stopWaiting = this.#options.clock.after(goodbyeMs, resolve)
      this.#allGone = () => {
        stopWaiting()
        resolve()
      }
      if (this.#open.size === 0) this.#allGone()
    })
    for (const connection of [...this.#open]) connection.cut()
  }

  #lookLater(): void {
    this.#stopLooking = this.#options.clock.after(lookMs, () => {
      this.#look()
      this.#lookLater()
    })
  }

  #look(): void {
    this.#looks++
    for (const connection of [...this.#open]) {
      if (connection.look() >= maxStuckLooks) connection.end('slow')
      else if (this.#looks % looksPerBeat[connection.kind] === 0) connection.beat()
    }
    if (this.#looks % looksPerRecheck === 0) void this.#recheckAll()
  }

  #read(events: readonly FeedEvent[]): void {
    if (events.some((event) => endings.has(event.type))) void this.#recheckAll()
  }

  async #recheckAll(): Promise<void> {
    for (const hash of new Set([...this.#open].map(({ presented }) => presented.hash)))
      await this.#recheck(hash)
  }

  async #recheck(hash: string): Promise<void> {
    // If the store cannot be read the credential counts as valid until the next beat.
    const now = await this.#options.credentials.whoHas(hash).catch(() => 'unknown' as const)
    if (now === 'unknown') return
    for (const connection of [...this.#open]) {
      const { presented } = connection
      if (presented.hash !== hash) continue
      if (!now) connection.end('revoked')
      // The role has fewer scopes now: the client must reconnect.
      else if (presented.who.scopes.some((scope) => !now.scopes.includes(scope)))
        connection.end('going-away')
    }
  }

  #expireAt(connection: OpenConnection, at: Instant | null): void {
    const before = this.#expiries.get(connection)
    if (before?.at === at) return
    before?.stop()
    this.#expiries.delete(connection)
    if (at === null) return
    const ms = Math.max(0, epochMs(at) - this.#options.clock.now())
    const stop = this.#options.clock.after(Math.min(ms, maxTimerMs), () => {
      this.#expiries.delete(connection)
      if (ms > maxTimerMs) this.#expireAt(connection, at)
      else void this.#recheck(connection.presented.hash)
    })
    this.#expiries.set(connection, { at, stop })
  }
}
