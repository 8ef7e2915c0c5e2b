/**
 * Discord adapter (CN1), over the gateway, so that it works behind NAT. What was not stored comes
 * again when the session is resumed, or is fetched. Messages are sent with a nonce, so that one
 * sent twice within minutes is one. The library's own retries are off: they send again what has
 * arrived. Loaded only when there is a token.
 */
import { REST } from '@discordjs/rest'
import {
  type Account,
  type ChannelAdapter,
  ChannelFailure,
  type ChannelHost,
  type Edit,
  type Found,
  isOfChat,
  type Outbound,
  type Sent,
  type ServedChat,
  type Sought,
} from '../../adapters/port.ts'
import { receiveFiles } from '../../adapters/received-files.ts'
import { isNewerId } from '../../domain/channels/key.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import {
  ChannelInfo,
  componentsOf,
  Interaction,
  inboundOf,
  isHeard,
  Message,
  sentFilesIn,
} from './discord-events.ts'
import { failureOf } from './discord-failures.ts'
import { type Dispatch, Resumption, serveGateway } from './gateway.ts'

const callWithinMs = 15_000
/** A connection that ends sooner is a failure. */
const shortMs = 2000
const pageSize = 100
/** Messages fetched of one chat after a time without a connection. */
const maxCaughtUp = 200
const maxPagesSought = 5
/** Chats whose kind and name are remembered. */
const maxChats = 5000
/** Link previews are off: they have carried secrets out of answers. */
const suppressEmbeds = 4
/** How a press is answered: with words for its presser alone, or without. */
const answer = 4
const later = 6
const onlyThey = 64

export interface DiscordOptions {
  readonly token: string
  /** What stands for Discord; its own address when left out. */
  readonly apiRoot?: string | undefined
}

const apiUrl = (root: string): string => (URL.parse(root)?.pathname === '/' ? `${root}/api` : root)

export function discord({ token, apiRoot }: DiscordOptions): ChannelAdapter {
  const options = {
    version: '10',
    ...(apiRoot === undefined ? {} : { api: apiUrl(apiRoot) }),
    retries: 0,
    rejectOnRateLimit: () => true,
    timeout: callWithinMs,
  }
  const rest = new REST(options).setToken(token)
  /** Answers to presses do not count to the limit of all calls. */
  const answers = new REST({ ...options, globalRequestsPerSecond: Number.POSITIVE_INFINITY })
  const hosts = ['cdn.discordapp.com', 'media.discordapp.net']
  const fileSource = { hosts, apiRoot }
  const chats = new Map<string, ChannelInfo>()

  const orFailure = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call
    } catch (error) {
      throw failureOf(error, token)
    }
  }

  const get = (path: `/${string}`, query: Record<string, string> = {}, signal?: AbortSignal) =>
    orFailure(rest.get(path, { query: new URLSearchParams(query), ...(signal && { signal }) }))

  function remember(given: unknown): ChannelInfo | undefined {
    const { data } = ChannelInfo.safeParse(given)
    if (!data) return undefined
    if (chats.size >= maxChats) chats.clear()
    chats.set(data.id, data)
    return data
  }

  /** What a chat is; a direct one is told by its messages. */
  async function chatOf({ channel_id: id, guild_id: guildId }: Message): Promise<ChannelInfo> {
    const cached = chats.get(id)
    if (cached) return cached
    const answer = guildId === undefined ? undefined : await get(`/channels/${id}`)
    return remember(answer) ?? { id, type: guildId === undefined ? 1 : 0 }
  }

  async function take(host: ChannelHost, given: unknown, ourId: string, position?: string) {
    const { success, data } = Message.safeParse(given)
    if (!success || data.author.id === ourId || !isHeard(data)) return
    const inbound = inboundOf(data, ourId, await chatOf(data))
    const files = sentFilesIn(data)
    const more = {
      ...(position === undefined ? { isLate: true } : { position }),
      ...(files.length > 0 && { files: () => receiveFiles(files, fileSource) }),
    }
    await host.take({ ...inbound, ...more })
  }

  async function handle(
    host: ChannelHost,
    { t: type, d: data }: Dispatch,
    ourId: string,
    resumption: Resumption | null,
  ) {
    if (type === 'GUILD_CREATE') {
      const { channels, threads } = data as { channels?: unknown[]; threads?: unknown[] }
      for (const each of [...(channels ?? []), ...(threads ?? [])]) remember(each)
    } else if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(type)) remember(data)
    else if (type === 'INTERACTION_CREATE') await press(host, data)
    else if (type === 'MESSAGE_CREATE')
      await take(host, data, ourId, resumption ? JSON.stringify(resumption) : undefined)
  }

  /** Answered within three seconds, after the press is stored. */
  async function press(host: ChannelHost, given: unknown) {
    const { data } = Interaction.safeParse(given)
    const userId = data?.member?.user.id ?? data?.user?.id
    if (!data || userId === undefined) return
    const { id, token: answerTo, channel_id: chatId } = data
    const words = await host.press({ chatId, userId, token: data.data.custom_id })
    const body =
      words === null ? { type: later } : { type: answer, data: { content: words, flags: onlyThey } }
    const path = `/interactions/${id}/${answerTo}/callback` as const
    await answers.post(path, { body, auth: false }).catch(() => {})
  }

  /** A page of what is in a chat after a message, oldest first. */
  async function pageAfter(chatId: string, after: string | null, signal: AbortSignal) {
    const query = { limit: String(pageSize), ...(after !== null && { after }) }
    const found = await get(`/channels/${chatId}/messages`, query, signal)
    const messages = (Array.isArray(found) ? found : []).flatMap((each) => {
      const { data } = Message.safeParse(each)
      return data && isNewerId(data.id, after) ? [data] : []
    })
    return messages.sort((one, other) => (isNewerId(one.id, other.id) ? 1 : -1))
  }

  /** CN6: what was written in a chat while we were not connected, oldest first. */
  async function catchUp(host: ChannelHost, ourId: string, chat: ServedChat, signal: AbortSignal) {
    let after = chat.lastId
    const { chatId: id, parentId, kind } = chat
    const typeThere = parentId === null ? 0 : 11
    if (!chats.has(id))
      remember({ id, parent_id: parentId, type: kind === 'person' ? 1 : typeThere })
    for (let taken = 0; taken < maxCaughtUp; taken += pageSize) {
      const page = await pageAfter(chat.chatId, after, signal)
      for (const each of page) await take(host, each, ourId)
      if (page.length < pageSize) return
      after = page.at(-1)?.id ?? after
    }
    if ((await pageAfter(chat.chatId, after, signal)).length > 0)
      await host.tellMissed(chat.chatId, maxCaughtUp)
  }

  async function ready(host: ChannelHost, account: Account, signal: AbortSignal) {
    await host.connected(account)
    for (const chat of await host.servedChats())
      await catchUp(host, account.id, chat, signal).catch((error: unknown) => {
        // A chat that cannot be read holds up no other.
        if (!(error instanceof ChannelFailure) || !isOfChat(error)) throw error
      })
  }

  return {
    channel: 'discord',
    maxChars: 2000,
    // Sending and editing share 5 calls in 5 seconds of a chat.
    drafts: { everyMs: 2000, perMinute: 300 },

    async run(host: ChannelHost, signal: AbortSignal): Promise<void> {
      const { id, username } = (await get('/users/@me', {}, signal)) as {
        readonly id: string
        readonly username: string
      }
      const account = { id, name: username, link: null }
      let resumption =
        Resumption.safeParse(JSON.parse((await host.position()) ?? 'null')).data ?? null
      while (!signal.aborted) {
        const since = performance.now()
        resumption = await serveGateway({
          token,
          rest,
          resumption,
          signal,
          handle: (event, reached) => handle(host, event, id, reached),
          ready: () => ready(host, account, signal),
        }).catch((error: unknown) => {
          throw failureOf(error, token)
        })
        if (!signal.aborted && performance.now() - since < shortMs && resumption !== null)
          throw new ChannelFailure(
            'unreachable',
            statusNotice('platformSilent', { platform: 'Discord', why: 'gateway closed' }),
          )
      }
    },

    async send({ chatId, text, partId, buttons = [] }: Outbound, signal): Promise<Sent> {
      const body = {
        content: text,
        nonce: partId,
        enforce_nonce: true,
        allowed_mentions: { parse: [] },
        flags: suppressEmbeds,
        ...(buttons.length > 0 && { components: componentsOf(buttons) }),
      }
      const sent = await orFailure(rest.post(`/channels/${chatId}/messages`, { body, signal }))
      return { ref: (sent as { readonly id?: string }).id ?? null }
    },

    async edit({ chatId, ref, text }: Edit, signal: AbortSignal): Promise<void> {
      const body = { content: text, components: [], allowed_mentions: { parse: [] } }
      await orFailure(rest.patch(`/channels/${chatId}/messages/${ref}`, { body, signal }))
    },

    async findSent(part: Sought, signal: AbortSignal): Promise<Found> {
      const { id } = (await get('/users/@me', {}, signal)) as { readonly id: string }
      let after = part.afterRef
      for (let pages = 0; pages < maxPagesSought; pages++) {
        const page = await pageAfter(part.chatId, after, signal)
        // Behind the last that is known to have arrived, the same words of ours are this part.
        const found = page.find(
          (each) =>
            each.author.id === id && (each.nonce === part.partId || each.content === part.text),
        )
        if (found) return { ref: found.id }
        if (page.length < pageSize || after === null) return 'absent'
        after = page.at(-1)?.id ?? after
      }
      return 'unsure'
    },

    async showTyping(chatId: string, signal: AbortSignal): Promise<void> {
      await orFailure(rest.post(`/channels/${chatId}/typing`, { signal }))
    },
  }
}
