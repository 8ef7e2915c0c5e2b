/**
 * A stand-in of Discord: its REST API and its gateway, as its pages describe them. Events of a
 * session are numbered and kept, and come again when it is resumed.
 */
import type { WebSocket } from 'ws'
import { type Call, PlatformStandIn, type Reply, type Trouble } from './platform-stand-in.ts'

export const discordToken = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GTestT.okenOfNobody_abcdefghijklmnopqrstuvw'
export const discordBot = '900'
const guild = '500'
const neededIntents = 1 + 512 + 4096 + 32_768

interface Kept {
  readonly id: string
  readonly channel_id: string
  readonly author: object & { readonly id: string }
  content: string
  components?: unknown
  readonly nonce?: string
}

interface DiscordButton {
  readonly label: string
  readonly custom_id: string
}

export interface DiscordWriter {
  readonly channel?: string
  readonly user?: string
  readonly bot?: boolean
  readonly webhook?: boolean
  /** Said while nobody is told of it, as after the session is lost. */
  readonly unheard?: boolean
  readonly attachments?: readonly object[]
}

interface Run {
  readonly id: string
  readonly events: { readonly s: number; readonly t: string; readonly d: unknown }[]
}

export class DiscordStandIn extends PlatformStandIn {
  readonly kept: Kept[] = []
  readonly callbacks: Record<string, unknown>[] = []
  readonly closeCodes: number[] = []
  readonly identified: string[] = []
  readonly names: Record<string, string> = { '1': 'Aiko', '2': 'Ben' }
  /** Direct chats have no server; threads have a parent. */
  readonly channels: { id: string; type: number; name?: string; parent_id?: string }[] = [
    { id: '10', type: 1 },
    { id: '11', type: 1 },
    { id: '20', type: 0, name: 'general' },
    { id: '30', type: 11, name: 'a job', parent_id: '20' },
  ]
  readonly #runs = new Map<string, Run>()
  readonly #linked = new Map<WebSocket, Run>()
  #next = 1000

  /** A person writes; the id of the message. */
  say(text: string, writer: DiscordWriter = {}): string {
    const { channel = '10', user = '1', bot, webhook, unheard, attachments = [] } = writer
    const id = String(this.#next++)
    const author = { id: user, username: `user${user}`, global_name: this.names[user], bot }
    const message = { id, channel_id: channel, author, content: text }
    this.kept.push(message)
    const event = {
      ...message,
      type: 0,
      mentions: text.includes(`<@${discordBot}>`) ? [{ id: discordBot, username: 'holdfast' }] : [],
      attachments,
      ...(webhook && { webhook_id: '77' }),
      ...(!this.#isDirect(channel) && { guild_id: guild }),
    }
    if (!unheard) this.dispatch('MESSAGE_CREATE', event)
    return id
  }

  /** Tells every session, linked or not. */
  dispatch(t: string, d: unknown): void {
    for (const run of this.#runs.values()) {
      const event = { s: run.events.length + 1, t, d }
      run.events.push(event)
      for (const [socket, of] of this.#linked)
        if (of === run) socket.send(JSON.stringify({ op: 0, ...event }))
    }
  }

  /** Sessions that can be resumed no more. */
  forgetRuns(): void {
    this.#runs.clear()
  }

  /** Somebody presses a button that has this value, in a message of this chat. */
  press(custom_id: string, { channel = '10', user = '1' }: DiscordWriter = {}): void {
    const id = String(this.#next++)
    const who = this.#isDirect(channel)
      ? { user: { id: user } }
      : { member: { user: { id: user } } }
    const about = { id, token: `t${id}`, type: 3, channel_id: channel, data: { custom_id } }
    this.dispatch('INTERACTION_CREATE', { ...about, ...who })
  }

  /** The buttons that are there, by their labels. */
  buttonsIn(channel: string): Record<string, string> {
    const rows = this.kept
      .filter((each) => each.channel_id === channel && each.author.id === discordBot)
      .flatMap((each) => (each.components ?? []) as { components: DiscordButton[] }[])
    return Object.fromEntries(
      rows.flatMap(({ components }) =>
        components.map(({ label, custom_id }) => [label, custom_id]),
      ),
    )
  }

  textsOf = (channel: string): string[] =>
    this.kept
      .filter((each) => each.channel_id === channel && each.author.id === discordBot)
      .map(({ content }) => content)

  protected linked(socket: WebSocket): void {
    socket.on('close', (code) => {
      this.closeCodes.push(code)
      this.#linked.delete(socket)
      this.tell()
    })
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 41_250 } }))
  }

  protected received(socket: WebSocket, { op, d }: Record<string, unknown>): void {
    const given = (d ?? {}) as Record<string, unknown>
    if (op === 1) socket.send(JSON.stringify({ op: 11 }))
    if (op === 2) this.#identify(socket, given)
    if (op === 6) this.#resume(socket, given)
  }

  #identify(socket: WebSocket, { token, intents }: Record<string, unknown>): void {
    if (token !== discordToken) return socket.close(4004, 'Authentication failed.')
    if (intents !== neededIntents) return socket.close(4014, 'Disallowed intent(s).')
    const run: Run = { id: `s${this.#next++}`, events: [] }
    this.identified.push(run.id)
    this.#runs.set(run.id, run)
    this.#linked.set(socket, run)
    const user = { id: discordBot, username: 'holdfast' }
    const resume_gateway_url = `ws://127.0.0.1:${this.port}`
    this.#tellOne(socket, run, 'READY', { user, session_id: run.id, resume_gateway_url })
    this.#tellOne(socket, run, 'GUILD_CREATE', {
      id: guild,
      channels: this.channels.filter(({ type }) => type === 0),
      threads: [],
    })
  }

  #resume(socket: WebSocket, { token, session_id: id, seq }: Record<string, unknown>): void {
    const run = this.#runs.get(String(id))
    if (token !== discordToken || !run) return socket.send(JSON.stringify({ op: 9, d: false }))
    this.#linked.set(socket, run)
    for (const event of run.events.slice(Number(seq)))
      socket.send(JSON.stringify({ op: 0, ...event }))
    socket.send(JSON.stringify({ op: 0, s: run.events.length, t: 'RESUMED', d: {} }))
  }

  #tellOne(socket: WebSocket, run: Run, t: string, d: unknown): void {
    const event = { s: run.events.length + 1, t, d }
    run.events.push(event)
    socket.send(JSON.stringify({ op: 0, ...event }))
  }

  protected nameOf = ({ method, path }: Call): string =>
    `${method} ${path.replace(/^\/api\/v10/, '').replaceAll(/\/\d+/g, '/:id')}`

  protected refused(trouble: Exclude<Trouble, string>): Reply {
    if ('refuse' in trouble)
      return { status: Number(trouble.refuse), body: { code: 50_001, message: 'Missing Access' } }
    if (trouble.status === 500) return { status: 500, body: { message: 'Internal', code: 0 } }
    return {
      status: 429,
      headers: { 'retry-after': String(trouble.retryAfter), 'x-ratelimit-scope': 'user' },
      body: { message: 'rate limited', retry_after: trouble.retryAfter, global: false },
    }
  }

  protected run(name: string, { path, query, body, token }: Call): Reply {
    // The address of an answer to a press is its credential.
    if (token !== discordToken && !name.startsWith('POST /interactions'))
      return { status: 401, body: { code: 0, message: '401: Unauthorized' } }
    const [, id = ''] = /\/channels\/(\d+)/.exec(path) ?? []
    switch (name) {
      case 'GET /users/@me':
        return { body: { id: discordBot, username: 'holdfast', bot: true } }
      case 'GET /gateway/bot': {
        const limit = { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 }
        const url = `ws://127.0.0.1:${this.port}`
        return { body: { url, shards: 1, session_start_limit: limit } }
      }
      case 'GET /channels/:id': {
        const found = this.channels.find((each) => each.id === id)
        return found ? { body: found } : { status: 404, body: { code: 10_003, message: 'Unknown' } }
      }
      case 'GET /channels/:id/messages':
        return this.#history(id, query)
      case 'POST /channels/:id/messages':
        return this.#post(id, body)
      case 'PATCH /channels/:id/messages/:id':
        return this.#edit(path.split('/').at(-1) ?? '', body)
      case 'POST /channels/:id/typing':
        return { status: 204 }
      default:
        if (/^POST \/interactions/.test(name)) {
          this.callbacks.push(body)
          return { status: 204 }
        }
        return { status: 404, body: { code: 0, message: '404: Not Found' } }
    }
  }

  #post(id: string, body: Record<string, unknown>): Reply {
    const content = String(body['content'] ?? '')
    if (content.length > 2000 || content === '')
      return { status: 400, body: { code: 50_035, message: 'Invalid Form Body' } }
    const nonce = body['nonce'] === undefined ? undefined : String(body['nonce'])
    if (nonce !== undefined && nonce.length > 25)
      return { status: 400, body: { code: 50_035, message: 'Invalid Form Body' } }
    const mentions = body['allowed_mentions'] as { parse?: unknown[] } | undefined
    if (mentions?.parse?.length !== 0 || body['flags'] !== 4)
      return { status: 400, body: { code: 1, message: 'test: would mention or fetch' } }
    const known = this.kept.find((each) => each.nonce !== undefined && each.nonce === nonce)
    if (known && body['enforce_nonce'] === true) return { body: known }
    const message: Kept = {
      id: String(this.#next++),
      channel_id: id,
      author: { id: discordBot, username: 'holdfast', bot: true } as Kept['author'],
      content,
      components: body['components'],
      ...(nonce !== undefined && { nonce }),
    }
    this.kept.push(message)
    this.dispatch('MESSAGE_CREATE', { ...message, type: 0, mentions: [], attachments: [] })
    return { body: message }
  }

  #edit(id: string, body: Record<string, unknown>): Reply {
    const found = this.kept.find((each) => each.id === id)
    if (!found) return { status: 404, body: { code: 10_008, message: 'Unknown Message' } }
    if (body['content'] !== undefined) found.content = String(body['content'])
    if (body['components'] !== undefined) found.components = body['components']
    return { body: found }
  }

  /** History has no nonces. */
  #history(id: string, query: URLSearchParams): Reply {
    const after = Number(query.get('after') ?? 0)
    const limit = Number(query.get('limit') ?? 50)
    const found = this.kept.filter((each) => each.channel_id === id && Number(each.id) > after)
    const page = query.has('after') ? found.slice(0, limit) : found.slice(-limit)
    const messages = page.map(({ nonce: _, ...rest }) => ({ ...rest, type: 0, mentions: [] }))
    return { body: messages.reverse() }
  }

  #isDirect = (id: string): boolean => this.channels.find((each) => each.id === id)?.type === 1
}
