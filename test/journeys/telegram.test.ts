/**
 * A Telegram chat end to end (CN1, CN2): the real server with its coordinator and the demo agent,
 * and a stand-in of Telegram's API at the other end. Each kill is SIGKILL, at the moments that
 * matter.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'
import { TelegramStandIn, telegramToken } from '../support/telegram.ts'

const chat = 42
let telegram: TelegramStandIn
let holdfast: RunningHoldfast

const start = (data?: string): Promise<RunningHoldfast> =>
  startHoldfast({
    up: true,
    ...(data !== undefined && { data }),
    env: { HOLDFAST_TELEGRAM_TOKEN: telegramToken, HOLDFAST_TELEGRAM_API_ROOT: telegram.url },
  })

const client = () => createClient({ url: holdfast.url, token: holdfast.token })

async function killAndStart(): Promise<void> {
  await holdfast.kill()
  holdfast = await start(holdfast.data)
}

beforeAll(async () => {
  telegram = await new TelegramStandIn().open()
  holdfast = await start()
  // The first start makes the demo project in the background.
  const isThere = async () =>
    (await client().get('/api/agents', { query: {} })).items.some(({ id }) => id === 'demo')
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 50))
})

afterAll(async () => {
  await holdfast.stop()
  await telegram.close()
})

test('[CN2] an unknown sender is not served until the code from the page is sent, and [CN1] then the demo agent answers', async () => {
  telegram.say('hello?')
  await telegram.until(() => telegram.sent.length === 1)
  expect(telegram.textsOf(chat)[0]).toContain('Ask its owner')
  expect(
    (await client().get('/api/conversations', { query: {} })).items.filter(({ key }) =>
      key.startsWith('telegram:'),
    ),
  ).toEqual([])
  const { code, link } = await client().post('/api/channels/{channel}/pairing-codes', {
    params: { channel: 'telegram' },
  })
  expect(link).toBe(`https://t.me/holdfast_test_bot?start=${code}`)
  telegram.say(`/start ${code}`)
  await telegram.until(() => telegram.sent.length === 2)
  telegram.sent.splice(0)
  telegram.say('good morning')
  await telegram.until(() => telegram.textsOf(chat).length > 0)
  expect(telegram.textsOf(chat)).toEqual(['echo: good morning'])
  expect(telegram.typing).toEqual([String(chat)])
  const { items } = await client().get('/api/conversations/{key}/messages', {
    params: { key: 'telegram:42' },
    query: {},
  })
  expect(items.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'good morning'],
    ['assistant', 'echo: good morning'],
  ])
})

test('[CN2] killed while the agent answers and while messages come: each message is taken once and answered once', async () => {
  telegram.sent.splice(0)
  telegram.say('[[slow 3 300]] one')
  await telegram.until(() => telegram.unacknowledged === 0)
  await holdfast.kill()
  telegram.say('two')
  holdfast = await start(holdfast.data)
  telegram.say('three')
  const all = () => telegram.textsOf(chat).join('\n')
  await telegram.until(() => ['one', 'two', 'three'].every((word) => all().includes(word)))
  telegram.say('/status')
  await telegram.until(() => all().includes('nothing to do'))
  for (const word of ['one', 'two', 'three']) expect(all().split(word)).toHaveLength(2)
  expect(all()).not.toContain('Sent again')
})

test('[CN2] killed between the sending of an answer and the record of it: it is sent again, and says so', async () => {
  telegram.sent.splice(0)
  telegram.trouble('sendMessage', 'hang')
  telegram.say('four')
  await telegram.until(() => telegram.textsOf(chat).length === 1)
  await killAndStart()
  await telegram.until(() => telegram.textsOf(chat).length === 2)
  expect(telegram.textsOf(chat)).toEqual([
    'echo: four',
    '(Sent again: it is not known whether this arrived before.)\n\necho: four',
  ])
})

test('[CN2] /stop stops what the agent is doing for the chat, and /new begins a new conversation', async () => {
  telegram.sent.splice(0)
  telegram.say('[[slow 600 100]]')
  const status = async () => {
    telegram.sent.splice(0)
    telegram.say('/status')
    await telegram.until(() => telegram.sent.length > 0)
    return telegram.textsOf(chat)[0]
  }
  await expect.poll(status).toContain('is answering')
  telegram.say('/stop')
  await telegram.until(() => telegram.textsOf(chat).includes('The agent was told to stop.'))
  await expect.poll(status).toContain('nothing to do')
  telegram.say('/new')
  await telegram.until(() =>
    telegram.textsOf(chat).some((text) => text.includes('new conversation')),
  )
  telegram.sent.splice(0)
  telegram.say('five')
  await telegram.until(() => telegram.sent.length === 1)
  expect(telegram.textsOf(chat)).toEqual(['echo: five'])
  const { messageCount } = await client().get('/api/conversations/{key}', {
    params: { key: 'telegram:42' },
  })
  expect(messageCount).toBe(2)
})

test('[SE7] the token is in no log, no error and no answer', async () => {
  expect(holdfast.log()).not.toContain(telegramToken.slice(12))
  const { items } = await client().get('/api/channels', { query: {} })
  expect(items.filter(({ channel }) => channel === 'telegram')).toMatchObject([
    { channel: 'telegram', state: 'connected', name: 'holdfast_test_bot', trouble: null, chats: 1 },
  ])
  expect(JSON.stringify(items)).not.toContain(telegramToken.slice(12))
  const metrics = await (
    await fetch(`${holdfast.url}/metrics`, {
      headers: { authorization: `Bearer ${holdfast.token}` },
    })
  ).text()
  expect(metrics).toContain('holdfast_channel_connected{channel="telegram"} 1')
})
