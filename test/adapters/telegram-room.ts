/**
 * A channel on a real store and a clock the test turns, with a stand-in of Telegram at the other
 * end; no agents, no server.
 */
import { Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { ChannelRunner } from '../../src/adapters/channel-runner.ts'
import { telegram } from '../../src/doors/telegram/telegram.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import type { ChannelChat } from '../../src/protocol/channels/channel.ts'
import { createPairingCode } from '../../src/services/channels/change-channel.ts'
import { listChannelChats, listChannels } from '../../src/services/channels/queries.ts'
import { getHistory } from '../../src/services/conversations/queries.ts'
import { addMessage } from '../../src/services/flows/messages/add-message.ts'
import type { Store } from '../../src/store/store.ts'
import { by } from '../services/projects/installation.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { TelegramStandIn, telegramToken } from '../support/telegram.ts'

export const channel = 'telegram'

interface Place {
  readonly store: Store
  readonly clock: ManualClock
  readonly standIn: TelegramStandIn
}

export async function openStandIn(): Promise<TelegramStandIn> {
  const standIn = await new TelegramStandIn().open()
  onTestFinished(() => standIn.close())
  return standIn
}

/** A server's part of it. */
export function keep(
  { store, clock, standIn }: Place,
  { holder = 'one', token = telegramToken } = {},
) {
  let log = ''
  const destination = new Writable({
    write: (chunk, _, done) => {
      log += chunk
      done()
    },
  })
  const logger = createLogger({ level: 'debug', format: 'json', destination })
  const figures = { connected: 0, received: 0, sent: 0, failures: 0 }
  const adapter = telegram({ token, apiRoot: standIn.url })
  const runner = new ChannelRunner({ store, clock, logger, adapter, holder, figures })
  runner.start()
  onTestFinished(() => runner.stop())
  return { stop: () => runner.stop(), figures, log: () => log }
}

/** Lets the chat in with a code, and forgets what was said about that. */
export async function letIn({ store, standIn }: Place, chatId = 42): Promise<void> {
  const { code } = await store.run(createPairingCode, { channel, by })
  const before = standIn.textsOf(chatId).length
  standIn.say(`/start ${code}`, { chatId })
  await standIn.until(() => standIn.textsOf(chatId).length > before)
  standIn.sent.splice(0)
}

export const answerIn = (store: Store, content: string, chatId = 42) =>
  store.run(addMessage, { key: `telegram:${chatId}`, role: 'assistant', content, by })

export const historyOf = async (store: Store, chatId = 42): Promise<string[]> =>
  (
    await store.query(getHistory, { key: `telegram:${chatId}`, hidden: false, limit: 200 })
  ).items.map(({ content }) => content)

export const chatsOf = async (store: Store): Promise<ChannelChat[]> =>
  (await store.query(listChannelChats, { channel, limit: 200 })).items

export const stateOf = async (store: Store) => (await store.query(listChannels, {})).items[0]
