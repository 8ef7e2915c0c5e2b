/**
 * A stand-in of Slack: its Web API and socket mode, as its pages describe them. Events are kept
 * until they are acknowledged and come again on the next connection; a mention comes twice, as
 * `message` and as `app_mention`.
 */
import type { WebSocket } from 'ws'
import { type Call, PlatformStandIn, type Reply, type Trouble } from './platform-stand-in.ts'

export const slackBotToken = 'xoxb-1111111111-testTokenOfNobody'
export const slackAppToken = 'xapp-1-A0TEST-1111111111-testTokenOfNobody'
export const slackBot = 'UBOT'
const team = 'T0TEST'

interface Kept {
  readonly channel: string
  readonly ts: string
  readonly user: string
  readonly text: string
  readonly threadTs?: string
  readonly botId?: string
  readonly metadata?: unknown
  readonly blocks?: unknown
}

export interface SlackWriter {
  readonly channel?: string
  readonly user?: string
  readonly thread?: string
  readonly bot?: boolean
  /** Said while nothing of it is delivered, as after the last redelivery. */
  readonly unheard?: boolean
  readonly subtype?: string
  readonly files?: readonly object[]
}

interface SlackButton {
  readonly text: { readonly text: string }
  readonly value: string
}

interface Pending {
  readonly id: string
  readonly payload: object
  attempts: number
  at: number
}

export class SlackStandIn extends PlatformStandIn {
  readonly kept: Kept[] = []
  readonly ephemeral: Record<string, unknown>[] = []
  /** How long each acknowledgement took. */
  readonly ackMs: number[] = []
  readonly names: Record<string, string> = { U1: 'Aiko', U2: 'Ben' }
  readonly #pending: Pending[] = []
  readonly #acked: Pending[] = []
  #next = 1

  /** A person writes; the time stamp of the message. */
  say(text: string, writer: SlackWriter = {}): string {
    const { channel = 'D1', user = 'U1', thread, bot, unheard, subtype, files } = writer
    const ts = this.#stamp()
    const root = this.kept.find((each) => each.ts === thread && each.channel === channel)
    this.kept.push({
      channel,
      ts,
      user,
      text,
      ...(thread && { threadTs: thread }),
      ...(bot && { botId: 'BOTHER' }),
    })
    const event = {
      type: 'message',
      channel,
      user,
      text,
      ts,
      channel_type: channel.startsWith('D') ? 'im' : 'channel',
      ...(thread && { thread_ts: thread, ...(root && { parent_user_id: root.user }) }),
      ...(bot && { bot_id: 'BOTHER' }),
      ...(subtype && { subtype }),
      ...(files && { files }),
    }
    if (!unheard) {
      if (text.includes(`<@${slackBot}>`))
        this.deliver({ ...event, type: 'app_mention', channel_type: undefined })
      this.deliver(event)
    }
    return ts
  }

  /** An event as Slack wraps it. */
  deliver(event: object): void {
    const id = `E${this.#next++}`
    const payload = { team_id: team, type: 'event_callback', event_id: id, event }
    this.push({ envelope_id: id, type: 'events_api', payload })
  }

  push(envelope: {
    readonly envelope_id: string
    readonly type: string
    readonly payload: object
  }) {
    const pending = { id: envelope.envelope_id, payload: envelope, attempts: 0, at: 0 }
    this.#pending.push(pending)
    const socket = [...this.sockets].at(-1)
    if (socket) this.#send(socket, pending)
  }

  /** Sends what was acknowledged once more, newest first. */
  redeliverAll(): void {
    const socket = [...this.sockets].at(-1)
    for (const each of [...this.#acked].reverse())
      socket?.send(JSON.stringify({ ...each.payload, retry_attempt: 1, retry_reason: 'timeout' }))
  }

  get unacknowledged(): number {
    return this.#pending.length
  }

  /** Somebody presses a button that has this value, in a message of this chat. */
  press(value: string, { channel = 'D1', user = 'U1', thread }: SlackWriter = {}): void {
    const message = { ts: '1700000000.000001', ...(thread && { thread_ts: thread }) }
    const about = { user: { id: user }, channel: { id: channel }, message }
    const payload = { type: 'block_actions', ...about, actions: [{ action_id: 'choice_0', value }] }
    this.push({ envelope_id: `P${this.#next++}`, type: 'interactive', payload })
  }

  /** The buttons that are there, by their labels. */
  buttonsIn(channel: string): Record<string, string> {
    const blocks = this.kept
      .filter((each) => each.channel === channel && each.user === slackBot)
      .flatMap((each) => (each.blocks ?? []) as { elements?: SlackButton[] }[])
    return Object.fromEntries(
      blocks.flatMap(({ elements = [] }) => elements.map(({ text, value }) => [text.text, value])),
    )
  }

  /** What we wrote there, as people see it. */
  textsOf(channel: string, thread?: string): string[] {
    return this.kept
      .filter(
        (each) => each.user === slackBot && each.channel === channel && each.threadTs === thread,
      )
      .map(({ text }) => shown(text))
  }

  /** Asks the other side to connect anew, as Slack does every few hours. */
  refresh(): void {
    for (const socket of this.sockets)
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }))
  }

  protected linked(socket: WebSocket): void {
    const hello = { type: 'hello', num_connections: 1, connection_info: { app_id: 'A0TEST' } }
    socket.send(JSON.stringify(hello))
    for (const each of this.#pending) this.#send(socket, each)
  }

  protected received(_: WebSocket, message: Record<string, unknown>): void {
    const at = this.#pending.findIndex(({ id }) => id === message['envelope_id'])
    const [found] = at === -1 ? [] : this.#pending.splice(at, 1)
    if (!found) return
    this.ackMs.push(performance.now() - found.at)
    this.#acked.push(found)
  }

  protected nameOf = ({ path }: Call): string => path.replace(/^\/api\//, '')

  protected refused(trouble: Exclude<Trouble, string>): Reply {
    if ('refuse' in trouble) return { body: { ok: false, error: trouble.refuse } }
    return trouble.status === 429
      ? { status: 429, headers: { 'retry-after': String(trouble.retryAfter) }, body: { ok: false } }
      : { status: 500, body: { ok: false } }
  }

  protected run(name: string, { body, token }: Call): Reply {
    const wanted = name === 'apps.connections.open' ? slackAppToken : slackBotToken
    if (token !== wanted) return refuse('invalid_auth')
    const given = (field: string): string | undefined =>
      body[field] === undefined ? undefined : String(body[field])
    switch (name) {
      case 'auth.test':
        return answer({ user_id: slackBot, team_id: team, user: 'holdfast', bot_id: 'BBOT' })
      case 'apps.connections.open':
        return answer({ url: `ws://127.0.0.1:${this.port}/link` })
      case 'users.info': {
        const user = given('user') ?? ''
        return answer({ user: { id: user, profile: { display_name: this.names[user] ?? '' } } })
      }
      case 'conversations.info':
        return answer({ channel: { id: given('channel'), name: 'general' } })
      case 'chat.postMessage':
        return this.#post(given, body)
      case 'chat.update':
        return this.#update(given, body)
      case 'chat.postEphemeral':
        this.ephemeral.push(body)
        return answer({})
      case 'conversations.history':
        return this.#history(given, ({ threadTs, ts }) => !threadTs || threadTs === ts)
      case 'conversations.replies': {
        const root = given('ts')
        return this.#history(given, ({ threadTs, ts }) => threadTs === root || ts === root)
      }
      default:
        return refuse('unknown_method')
    }
  }

  #post(given: (field: string) => string | undefined, body: Record<string, unknown>): Reply {
    const text = given('text') ?? ''
    if (text === '' && !body['blocks']) return refuse('no_text')
    if (text.length > 4000) return refuse('msg_too_long')
    if (given('unfurl_links') !== 'false' || given('unfurl_media') !== 'false')
      return refuse('test_would_unfurl')
    const channel = given('channel') ?? ''
    const ts = this.#stamp()
    const threadTs = given('thread_ts')
    this.kept.push({
      channel,
      ts,
      user: slackBot,
      text,
      botId: 'BBOT',
      ...(threadTs !== undefined && { threadTs }),
      ...(body['metadata'] !== undefined && { metadata: parsed(body['metadata']) }),
      ...(body['blocks'] !== undefined && { blocks: parsed(body['blocks']) }),
    })
    // Our own messages come to us, too.
    this.deliver({ type: 'message', channel, user: slackBot, bot_id: 'BBOT', text, ts })
    return answer({ channel, ts })
  }

  #update(given: (field: string) => string | undefined, body: Record<string, unknown>): Reply {
    const at = this.kept.findIndex((each) => each.ts === given('ts'))
    const before = this.kept[at]
    if (!before) return refuse('message_not_found')
    const text = given('text') ?? ''
    if (text.length > 4000) return refuse('msg_too_long')
    this.kept[at] = { ...before, text, blocks: parsed(body['blocks']) }
    return answer({ channel: before.channel, ts: before.ts })
  }

  #history(given: (field: string) => string | undefined, isIn: (each: Kept) => boolean): Reply {
    const oldest = given('oldest') ?? '0'
    const found = this.kept
      .filter((each) => each.channel === given('channel') && each.ts > oldest && isIn(each))
      .reverse()
    const from = Number(given('cursor') ?? 0)
    const limit = Number(given('limit') ?? 100)
    const messages = found.slice(from, from + limit).map((each) => ({
      type: 'message',
      user: each.user,
      text: each.text,
      ts: each.ts,
      ...(each.botId && { bot_id: each.botId }),
      ...(each.threadTs && { thread_ts: each.threadTs }),
      ...(given('include_all_metadata') === 'true' && { metadata: each.metadata }),
    }))
    const next = from + limit < found.length ? String(from + limit) : ''
    return answer({ messages, has_more: next !== '', response_metadata: { next_cursor: next } })
  }

  #send(socket: WebSocket, pending: Pending): void {
    pending.at = performance.now()
    socket.send(JSON.stringify({ ...pending.payload, retry_attempt: pending.attempts++ }))
  }

  #stamp = (): string => `17000000${String(this.#next++).padStart(2, '0')}.000100`
}

const answer = (body: object): Reply => ({ body: { ok: true, ...body } })
const refuse = (error: string): Reply => ({ body: { ok: false, error } })
const parsed = (given: unknown): unknown =>
  typeof given === 'string' ? (JSON.parse(given) as unknown) : given

const shown = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
