/**
 * Slack adapter (CN1), over socket mode, so that it works behind NAT. An event is acknowledged
 * after it was stored; redeliveries are known by channel and time stamp, because a mention comes
 * twice with two event ids. The libraries' own retries are off: they send again what has arrived.
 * Loaded only when there are tokens.
 */
import { LogLevel, SocketModeClient } from '@slack/socket-mode'
import { WebClient, type WebClientOptions } from '@slack/web-api'
import { Connection, NameCache, within } from '../../adapters/connection.ts'
import {
  type Account,
  type ChannelAdapter,
  ChannelFailure,
  type ChannelHost,
  type Edit,
  type Found,
  isOfChat,
  type Outbound,
  type ServedChat,
  type Sought,
} from '../../adapters/port.ts'
import { receiveFiles } from '../../adapters/received-files.ts'
import { splitThreadId, threadId } from '../../domain/channels/key.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import {
  Actions,
  Envelope,
  inboundOf,
  isHeard,
  Message,
  type OurSelf,
  sentFilesIn,
} from './slack-events.ts'
import { failureOf } from './slack-failures.ts'
import { blocksOf, slackText, textFromSlack } from './slack-text.ts'

const callWithinMs = 15_000
const helloWithinMs = 30_000
/** A connection that ends sooner is a failure; Slack renews others every few hours. */
const shortMs = 2000
const pageSize = 100
/** Messages fetched of one chat after a time without a connection. */
const maxCaughtUp = 200
/** Pages in which a part is looked for. */
const maxPagesSought = 5

export interface SlackOptions {
  readonly botToken: string
  readonly appToken: string
  /** What stands for Slack; its own address when left out. */
  readonly apiRoot?: string | undefined
}

/** The libraries log messages and addresses with secrets. */
const silent = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
}

const apiUrl = (root: string): string =>
  URL.parse(root)?.pathname === '/' ? `${root}/api/` : `${root}/`

export function slack({ botToken, appToken, apiRoot }: SlackOptions): ChannelAdapter {
  const options: WebClientOptions = {
    ...(apiRoot === undefined ? {} : { slackApiUrl: apiUrl(apiRoot) }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callWithinMs,
    logger: silent,
  }
  const web = new WebClient(botToken, options)
  const headers = { authorization: `Bearer ${botToken}` }
  const fileSource = { hosts: ['files.slack.com'], apiRoot, headers }
  const people = new NameCache()
  const chats = new NameCache()

  /** One call, tried once. The library cannot be told to stop. */
  const call = async <T>(doing: Promise<T>, signal: AbortSignal): Promise<T> => {
    const late = () => new ChannelFailure('unknown', silence('no answer'))
    try {
      return await within(callWithinMs, doing, signal, late)
    } catch (error) {
      throw failureOf(error)
    }
  }

  const personName = (id: string): Promise<string> =>
    people.of(id, async () => {
      const { user } = await web.users.info({ user: id })
      return user?.profile?.display_name || user?.real_name || user?.name
    })
  const chatName = (id: string): Promise<string> =>
    chats.of(id, async () => {
      const { channel } = await web.conversations.info({ channel: id })
      return channel?.name === undefined ? undefined : `#${channel.name}`
    })

  async function take(host: ChannelHost, given: unknown, us: OurSelf, chat?: string) {
    const { success, data } = Message.safeParse(given)
    if (!success || !isHeard(data, us)) return
    const { user, text, channel = chat } = data
    if (user === undefined || channel === undefined) return
    const author = await personName(user)
    const mentioned = [...text.matchAll(/<@(\w+)/g)].map(([, id = '']) => id).slice(0, 20)
    const names = new Map<string, string>()
    for (const id of mentioned) names.set(id, await personName(id))
    const files = sentFilesIn(data)
    await host.take({
      ...inboundOf({ ...data, channel, user }, us, {
        text: textFromSlack(text, us.userId, (id) => names.get(id) ?? id),
        author,
        title: channel.startsWith('D') ? author : await chatName(channel),
      }),
      ...(files.length > 0 && { files: () => receiveFiles(files, fileSource) }),
    })
  }

  /** What is said about a press only its presser sees. */
  async function press(host: ChannelHost, given: unknown, signal: AbortSignal) {
    const { data } = Actions.safeParse(given)
    if (!data) return
    const { user, channel, message, actions } = data
    const { ts, thread_ts: thread } = message
    const isThread = thread !== undefined && thread !== ts
    const chatId = isThread ? threadId(channel.id, thread) : channel.id
    for (const { value: token } of actions.slice(0, 1)) {
      const words = await host.press({ chatId, userId: user.id, token })
      if (words === null) continue
      const about = { channel: channel.id, user: user.id, text: slackText(words) }
      await call(
        web.chat.postEphemeral(isThread ? { ...about, thread_ts: thread } : about),
        signal,
      ).catch(() => {})
    }
  }

  /** A page of what is in a chat, newest first; of a thread, oldest first, with its root. */
  const page = (chatId: string, oldest: string | null, cursor: string | undefined) => {
    const [channel, ts] = splitThreadId(chatId)
    const about = {
      channel,
      limit: pageSize,
      include_all_metadata: true,
      ...(oldest !== null && { oldest }),
      ...(cursor !== undefined && { cursor }),
    }
    return ts === undefined
      ? web.conversations.history(about)
      : web.conversations.replies({ ...about, ts })
  }

  /** CN6: what was written in a chat while we were not connected, oldest first. */
  async function catchUp(host: ChannelHost, us: OurSelf, chat: ServedChat, signal: AbortSignal) {
    const found: Message[] = []
    let cursor: string | undefined
    do {
      const answer = await call(page(chat.chatId, chat.lastId, cursor), signal)
      for (const each of answer.messages ?? []) {
        const { success, data } = Message.safeParse(each)
        if (success && data.ts > chat.lastId) found.push(data)
      }
      cursor = answer.response_metadata?.next_cursor || undefined
    } while (cursor !== undefined && found.length <= maxCaughtUp)
    found.sort((one, other) => (one.ts < other.ts ? -1 : 1))
    const [channel] = splitThreadId(chat.chatId)
    for (const each of found.slice(-maxCaughtUp)) await take(host, each, us, channel)
    if (found.length > maxCaughtUp) await host.tellMissed(chat.chatId, maxCaughtUp)
  }

  /** Until the connection ends; throws what ended it. */
  async function serve(host: ChannelHost, us: OurSelf, account: Account, signal: AbortSignal) {
    const connection = new Connection()
    const client = new SocketModeClient({
      appToken,
      autoReconnectEnabled: false,
      logger: silent,
      clientOptions: options,
    })
    client.on('error', () => connection.end())
    client.on('disconnected', () => connection.end())
    client.on('slack_event', (given: { ack: () => Promise<void> }) =>
      connection.add(async () => {
        const { success, data } = Envelope.safeParse(given)
        if (success && data.type === 'events_api') await take(host, data.body.event, us)
        if (success && data.type === 'interactive') await press(host, data.body, signal)
        // Without the acknowledgement it comes again and is known.
        await given.ack().catch(() => {})
      }),
    )
    const stop = () => connection.end()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const late = () => new ChannelFailure('unreachable', silence('hello'))
      await within(helloWithinMs, client.start(), signal, late).catch((error: unknown) => {
        throw failureOf(error ?? new Error('closed'), 'slack.app_token')
      })
      await host.connected(account)
      for (const chat of await host.servedChats())
        await catchUp(host, us, chat, signal).catch((error: unknown) => {
          // A chat that cannot be read holds up no other.
          if (!(error instanceof ChannelFailure) || !isOfChat(error)) throw error
        })
      connection.open()
      await connection.ended
    } finally {
      signal.removeEventListener('abort', stop)
      void client.disconnect().catch(() => {})
    }
  }

  return {
    channel: 'slack',
    maxChars: 4000,
    lengthOf: (text) => slackText(text).length,
    // Slack takes about 50 edits a minute of a workspace.
    drafts: { everyMs: 3000, perMinute: 40 },

    async run(host: ChannelHost, signal: AbortSignal): Promise<void> {
      if (appToken === '')
        throw new ChannelFailure(
          'refused',
          statusNotice('platformToken', {
            platform: 'Slack',
            why: '—',
            setting: 'slack.app_token',
          }),
        )
      const {
        user_id: userId = '',
        team_id: teamId = '',
        user,
      } = await call(web.auth.test(), signal)
      const account = { id: teamId, name: user ?? userId, link: null }
      while (!signal.aborted) {
        const since = performance.now()
        await serve(host, { userId, teamId }, account, signal)
        if (!signal.aborted && performance.now() - since < shortMs)
          throw new ChannelFailure('unreachable', silence('socket closed'))
      }
    },

    async send({ chatId, text, partId, buttons = [] }: Outbound, signal: AbortSignal) {
      const [channel, thread] = splitThreadId(chatId)
      const { ts } = await call(
        web.chat.postMessage({
          channel,
          text: slackText(text),
          ...(buttons.length > 0 && { blocks: blocksOf(slackText(text), buttons) }),
          ...(thread !== undefined && { thread_ts: thread }),
          unfurl_links: false,
          unfurl_media: false,
          link_names: false,
          metadata: { event_type: partEvent, event_payload: { part_id: partId } },
        }),
        signal,
      )
      return { ref: ts ?? null }
    },

    async edit({ chatId, ref, text }: Edit, signal: AbortSignal): Promise<void> {
      const [channel] = splitThreadId(chatId)
      await call(web.chat.update({ channel, ts: ref, text: slackText(text), blocks: [] }), signal)
    },

    async findSent({ chatId, partId, afterRef }: Sought, signal: AbortSignal): Promise<Found> {
      let cursor: string | undefined
      for (let pages = 0; pages < maxPagesSought; pages++) {
        const answer = await call(page(chatId, afterRef, cursor), signal).catch(
          (error: unknown) => {
            if (error instanceof ChannelFailure && error.kind === 'refused') return undefined
            throw error
          },
        )
        if (!answer) return 'unsure'
        for (const each of answer.messages ?? []) {
          const { success, data } = Message.safeParse(each)
          if (success && data.metadata?.event_payload?.['part_id'] === partId)
            return { ref: data.ts }
        }
        cursor = answer.response_metadata?.next_cursor || undefined
        if (cursor === undefined) return 'absent'
      }
      return 'unsure'
    },

    // Slack shows nobody that a bot is writing.
    showTyping: async () => {},
  }
}

const partEvent = 'holdfast_part'

const silence = (why: string) => statusNotice('platformSilent', { platform: 'Slack', why })
