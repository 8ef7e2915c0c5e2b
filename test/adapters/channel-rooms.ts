/**
 * Channels on a real store and a clock the test turns, with stand-ins of Slack and Discord at the
 * other end; no agents, no server. What both are asked is the same.
 */
import { Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { ChannelRunner } from '../../src/adapters/channel-runner.ts'
import type { ChannelAdapter } from '../../src/adapters/port.ts'
import { type ChannelName, threadId } from '../../src/domain/channels/key.ts'
import { discord } from '../../src/doors/discord/discord.ts'
import { slack } from '../../src/doors/slack/slack.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { createPairingCode } from '../../src/services/channels/change-channel.ts'
import { listChannelChats, listChannels } from '../../src/services/channels/queries.ts'
import { getHistory } from '../../src/services/conversations/queries.ts'
import { changeChannelChat } from '../../src/services/flows/channels/change-channel-chat.ts'
import { addMessage } from '../../src/services/flows/messages/add-message.ts'
import { openChatStore, openRoom } from '../services/conversations/chat-room.ts'
import { by } from '../services/projects/installation.ts'
import { DiscordStandIn, discordBot, discordToken } from '../support/discord.ts'
import type { PlatformStandIn } from '../support/platform-stand-in.ts'
import { SlackStandIn, slackAppToken, slackBot, slackBotToken } from '../support/slack.ts'

export interface Said {
  readonly in?: 'direct' | 'group' | 'thread'
  readonly user?: 'Aiko' | 'Ben'
  readonly bot?: boolean
  readonly unheard?: boolean
  readonly files?: readonly SentFile[]
}

export interface SentFile {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly url: string
}

/** A platform as the table of cases sees it. */
export interface Platform {
  readonly name: ChannelName
  readonly standIn: PlatformStandIn
  readonly chats: Readonly<Record<'direct' | 'group' | 'thread', string>>
  /** How a message that mentions us begins. */
  readonly mention: string
  readonly command: string
  readonly sending: string
  readonly maxChars: number
  open(token?: string): ChannelAdapter
  say(text: string, said?: Said): void
  textsIn(where?: 'direct' | 'group' | 'thread'): string[]
  press(token: string, said?: Said): void
  buttons(): Record<string, string>
  /** What was said about presses, to their pressers alone. */
  saidAboutPresses(): string[]
  isSettled(): boolean
}

interface Body {
  readonly content?: string
}

export async function openSlack(): Promise<Platform> {
  const standIn = await new SlackStandIn().open()
  onTestFinished(() => standIn.close())
  const users = { Aiko: 'U1', Ben: 'U2' }
  const root = standIn.say('a thread', { channel: 'C1', user: 'U9', unheard: true })
  const where = {
    direct: { channel: 'D1' },
    group: { channel: 'C1' },
    thread: { channel: 'C1', thread: root },
  }
  return {
    name: 'slack',
    standIn,
    chats: { direct: 'D1', group: 'C1', thread: threadId('C1', root) },
    mention: `<@${slackBot}> `,
    command: '!',
    sending: 'chat.postMessage',
    maxChars: 4000,
    open: (token = slackBotToken) =>
      slack({ botToken: token, appToken: slackAppToken, apiRoot: standIn.url }),
    say: (text, { in: place = 'direct', user = 'Aiko', files, ...how } = {}) =>
      void standIn.say(text, {
        ...where[place],
        ...how,
        user: users[user],
        ...(files && {
          subtype: 'file_share',
          files: files.map((each) => ({
            name: each.name,
            mimetype: each.type,
            size: each.size,
            url_private_download: each.url,
          })),
        }),
      }),
    textsIn: (place = 'direct') =>
      standIn.textsOf(where[place].channel, place === 'thread' ? root : undefined),
    press: (token, { in: place = 'direct', user = 'Aiko' } = {}) =>
      standIn.press(token, { ...where[place], user: users[user] }),
    buttons: () => standIn.buttonsIn('D1'),
    saidAboutPresses: () => standIn.ephemeral.map((each) => String(each['text'])),
    isSettled: () => standIn.sockets.size > 0 && standIn.unacknowledged === 0,
  }
}

export async function openDiscord(): Promise<Platform> {
  const standIn = await new DiscordStandIn().open()
  onTestFinished(() => standIn.close())
  const users = { Aiko: '1', Ben: '2' }
  const chats = { direct: '10', group: '20', thread: '30' }
  return {
    name: 'discord',
    standIn,
    chats,
    mention: `<@${discordBot}> `,
    command: '!',
    sending: 'POST /channels/:id/messages',
    maxChars: 2000,
    open: (token = discordToken) => discord({ token, apiRoot: standIn.url }),
    say: (text, { in: place = 'direct', user = 'Aiko', files = [], ...how } = {}) =>
      void standIn.say(text, {
        channel: chats[place],
        ...how,
        user: users[user],
        attachments: files.map((each) => ({
          filename: each.name,
          content_type: each.type,
          size: each.size,
          url: each.url,
        })),
      }),
    textsIn: (place = 'direct') => standIn.textsOf(chats[place]),
    press: (token, { in: place = 'direct', user = 'Aiko' } = {}) =>
      standIn.press(token, { channel: chats[place], user: users[user] }),
    buttons: () => standIn.buttonsIn('10'),
    saidAboutPresses: () =>
      standIn.callbacks.flatMap(({ data }) => (data ? [String((data as Body).content)] : [])),
    isSettled: () => true,
  }
}

type Stores = Pick<Awaited<ReturnType<typeof openChatStore>>, 'store' | 'clock'>

/** A server's part of it. */
export function keep({ store, clock }: Stores, adapter: ChannelAdapter, holder = 'one') {
  let log = ''
  const destination = new Writable({
    write: (chunk, _, done) => {
      log += chunk
      done()
    },
  })
  const logger = createLogger({ level: 'debug', format: 'json', destination })
  const figures = { connected: 0, received: 0, sent: 0, failures: 0 }
  const runner = new ChannelRunner({ store, clock, logger, adapter, holder, figures })
  runner.start()
  onTestFinished(() => runner.stop())
  return { stop: () => runner.stop(), figures, log: () => log }
}

/** A platform, a store with an agent, and a server that keeps the channel. */
export async function openPlatform(opened: Platform) {
  const { store, clock } = await openChatStore()
  const room = await openRoom(store, ['ann'])
  const kept = keep({ store, clock }, opened.open())
  await until(async () => kept.figures.connected === 1)
  const keyOf = (where: keyof Platform['chats'] = 'direct') =>
    `${opened.name}:${opened.chats[where]}`
  const history = async (where?: keyof Platform['chats']): Promise<string[]> => {
    const found = await store
      .query(getHistory, { key: keyOf(where), hidden: false, limit: 200 })
      .catch(() => ({ items: [] }))
    return found.items.map(({ content }) => content)
  }
  const chats = async () =>
    (await store.query(listChannelChats, { channel: opened.name, limit: 200 })).items
  return {
    ...opened,
    store,
    clock,
    room,
    kept,
    history,
    chats,
    keyOf,
    /** Somebody sends a code in the direct chat. */
    async pair(user: 'Aiko' | 'Ben' = 'Aiko'): Promise<void> {
      const { code } = await store.run(createPairingCode, { channel: opened.name, by })
      const before = opened.textsIn().length
      opened.say(code, { user })
      await opened.standIn.until(() => opened.textsIn().length > before)
    },
    /** A person lets the group in, after somebody mentioned us there. */
    async letGroupIn(): Promise<void> {
      opened.say(`${opened.mention}hello`, { in: 'group' })
      await opened.standIn.until(() => opened.textsIn('group').length === 1)
      const chatId = opened.chats.group
      const before = 1
      await store.run(changeChannelChat, { channel: opened.name, chatId, state: 'paired', by })
      await opened.standIn.until(() => opened.textsIn('group').length > before)
    },
    answer: (content: string, where?: keyof Platform['chats']) =>
      store.run(addMessage, { key: keyOf(where), role: 'assistant', content, by }),
    state: async () =>
      (await store.query(listChannels, {})).items.find(({ channel }) => channel === opened.name),
    /** Time goes on until it is so. */
    untilLater: (isSo: () => Promise<boolean>) =>
      until(async () => {
        clock.advance(100)
        return isSo()
      }),
  }
}

/** Looks again after everything that is under way has had its turn. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}
