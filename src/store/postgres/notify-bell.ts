/**
 * Doorbells between nodes: one connection that sends and receives NOTIFY about moved streams.
 * Notifications are collected over some milliseconds and sent outside the writing transactions,
 * where they would make every commit wait for the one before. The poll (head-poll.ts) finds
 * whatever is lost.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { PostgresConnection } from './connection.ts'

const gatherMs = 15
/** The limit of NOTIFY is 8000 bytes. */
const maxPayloadBytes = 7900
/** The most streams collected for one notification; the other nodes' polls find the rest. */
const maxGathered = 10_000
const firstPauseMs = 100
const maxPauseMs = 5000

type Heads = Iterable<readonly [StreamName, number]>

export interface BellOptions {
  readonly channel: string
  /** The id of this node, by which it ignores its own notifications. */
  readonly node: string
  readonly open: () => Promise<PostgresConnection>
  readonly ring: (heads: Heads) => void
  readonly heard: (signal: string, at: number) => void
}

/** Marks signals among the streams; no stream's name begins with it. */
const signalPrefix = '!'

export class NotifyBell {
  readonly #options: BellOptions
  #connection: PostgresConnection | undefined
  #connecting: Promise<void> | undefined
  #gathered = new Map<StreamName, number>()
  #sendTimer: NodeJS.Timeout | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #failures = 0
  #closed = false

  constructor(options: BellOptions) {
    this.#options = options
    this.#connecting = this.#connect()
  }

  /** Resolves when the first attempt to listen has ended, successful or not. */
  get tried(): Promise<void> {
    return this.#connecting ?? Promise.resolve()
  }

  notifyHeads(heads: ReadonlyMap<StreamName, number>): void {
    if (!this.#connection || this.#gathered.size >= maxGathered) return
    for (const [stream, head] of heads)
      this.#gathered.set(stream, Math.max(head, this.#gathered.get(stream) ?? 0))
    this.#sendTimer ??= setTimeout(() => this.#send(), gatherMs).unref()
  }

  notifySignal(signal: string, at: number): void {
    this.notifyHeads(new Map([[`${signalPrefix}${signal}` as StreamName, at]]))
  }

  async close(): Promise<void> {
    this.#send()
    this.#closed = true
    clearTimeout(this.#retryTimer)
    await this.#connecting
    await this.#connection?.end()
  }

  #send(): void {
    clearTimeout(this.#sendTimer)
    this.#sendTimer = undefined
    const gathered = this.#gathered
    this.#gathered = new Map()
    for (const payload of payloads(this.#options.node, gathered)) {
      const values = [this.#options.channel, payload]
      this.#connection
        ?.execute({ name: 'hf_notify', sql: 'select pg_notify($1, $2)', values })
        .catch(() => {})
    }
  }

  async #connect(): Promise<void> {
    const connection = await this.#options.open().catch(() => undefined)
    if (!connection) return this.#lose()
    connection.onNotification((payload) => this.#hear(payload))
    void connection.ended.then(() => this.#lose())
    this.#connection = connection
    try {
      // The name consists of letters, digits and _, so it needs no quoting.
      await connection.execute({ sql: `listen ${this.#options.channel}`, values: [] })
      this.#failures = 0
    } catch {
      // A connection that could not listen is closed, and another is opened.
      void connection.end()
    }
  }

  #lose(): void {
    this.#connection = undefined
    if (this.#closed) return
    const pause = Math.min(firstPauseMs * 2 ** this.#failures++, maxPauseMs)
    // Spread, so that the nodes do not reconnect at the same moment.
    const spread = pause * (0.5 + Math.random() / 2)
    this.#retryTimer = setTimeout(() => {
      this.#connecting = this.#connect()
    }, spread).unref()
  }

  #hear(payload: string): void {
    const heard = read(payload)
    if (!heard || heard.node === this.#options.node) return
    const { ring, heard: hear } = this.#options
    for (const [name, at] of heard.heads)
      if (name.startsWith(signalPrefix)) hear(name.slice(signalPrefix.length), at)
    ring(heard.heads.filter(([name]) => !name.startsWith(signalPrefix)))
  }
}

/** Encodes heads as `["node","stream",head,"stream",head,…]`, in as many payloads as needed. */
export function* payloads(node: string, heads: ReadonlyMap<StreamName, number>): Generator<string> {
  const start = `[${JSON.stringify(node)}`
  let text = start
  for (const [stream, head] of heads) {
    const more = `,${JSON.stringify(stream)},${head}`
    if (Buffer.byteLength(text) + Buffer.byteLength(more) >= maxPayloadBytes) {
      yield `${text}]`
      text = start
    }
    text += more
  }
  if (text !== start) yield `${text}]`
}

/** Any client of the database may notify on the channel, so an invalid payload is ignored. */
function read(payload: string): { node: string; heads: [StreamName, number][] } | undefined {
  try {
    const [node, ...rest] = JSON.parse(payload) as unknown[]
    if (typeof node !== 'string') return undefined
    const heads: [StreamName, number][] = []
    for (let at = 0; at + 1 < rest.length; at += 2) {
      const [name, head] = [rest[at], rest[at + 1]]
      if (typeof name === 'string' && isCount(head)) heads.push([name as StreamName, head])
    }
    return { node, heads }
  } catch {
    return undefined
  }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0
