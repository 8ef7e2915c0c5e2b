/**
 * What comes in from Telegram and goes out to it (CN1, CN2), with whatever goes wrong in between.
 */
import { expect, test } from 'vitest'
import { setChannelRoute } from '../../src/services/channels/change-channel.ts'
import { findOutgoing } from '../../src/services/channels/queries.ts'
import { beginSending } from '../../src/services/channels/send-outgoing.ts'
import { changeChannelChat } from '../../src/services/flows/channels/change-channel-chat.ts'
import { openChatStore, openRoom, texts } from '../services/conversations/chat-room.ts'
import { by } from '../services/projects/installation.ts'
import { telegramToken } from '../support/telegram.ts'
import {
  answerIn,
  channel,
  chatsOf,
  historyOf,
  keep,
  letIn,
  openStandIn,
  stateOf,
} from './telegram-room.ts'

/** A chat that is let in, and the agents it can be for. */
async function openChat() {
  const { store, clock } = await openChatStore()
  const standIn = await openStandIn()
  const place = { store, clock, standIn }
  const room = await openRoom(store, ['ann', 'ben'])
  const kept = keep(place)
  await letIn(place)
  return { ...place, room, kept, sent: () => standIn.textsOf(42) }
}

const again = '(Sent again: it is not known whether this arrived before.)\n\n'

test('[CN1] a message is unread for the agent of its route, who answers in the chat', async () => {
  const { store, standIn, room, sent } = await openChat()
  const { projectId } = room
  const settled = (n: number) => standIn.until(() => sent().length === n)
  await store.run(setChannelRoute, { channel, route: { projectId, agentId: 'ben' }, by })
  standIn.say('for ben')
  await standIn.until(() => standIn.unacknowledged === 0)
  const ben = await room.begin('ben')
  expect(
    (await room.handOver(ben)).messages.map(({ content, senderId }) => [content, senderId]),
  ).toEqual([['for ben', 'telegram:42']])
  await room.answer(ben, 'ben **here**')
  await settled(1)
  await store.run(changeChannelChat, {
    channel,
    chatId: '42',
    route: { projectId, agentId: 'ann' },
    by,
  })
  standIn.say('for ann')
  await standIn.until(() => standIn.unacknowledged === 0)
  const ann = await room.begin('ann')
  await room.handOver(ann)
  await room.answer(ann, 'ann & <co>')
  await settled(2)
  expect(sent()).toEqual(['ben here', 'ann & <co>'])
  expect(standIn.sent.map(({ html }) => html)).toEqual(['ben <b>here</b>', 'ann &amp; &lt;co&gt;'])
  expect(await room.list()).toEqual([])
})

test('[CN1] an agent that was not asked in a chat speaks only in its own chat', async () => {
  const { room, sent } = await openChat()
  const ann = await room.begin()
  await room.answer(ann, 'boo')
  expect(texts(await room.list())).toEqual(['boo'])
  expect(sent()).toEqual([])
})

test('[CN2] a message that Telegram delivers again is taken once, by any server', async () => {
  const { store, clock, standIn, kept } = await openChat()
  const id = standIn.say('once')
  standIn.say('once', { messageId: id })
  standIn.trouble('getUpdates', 'cut-after', 'cut-after')
  await untilLater(clock, async () => standIn.unacknowledged === 0)
  await kept.stop()
  standIn.say('once', { messageId: id })
  standIn.say('twice')
  keep({ store, clock, standIn }, { holder: 'two' })
  await untilLater(clock, async () => standIn.unacknowledged === 0)
  expect(await historyOf(store)).toEqual(['once', 'twice'])
})

test('[CN2] told to wait, it waits for as long as it is told and sends once', async () => {
  const { store, clock, standIn, sent } = await openChat()
  standIn.say('hello')
  await standIn.until(() => standIn.unacknowledged === 0)
  standIn.trouble('sendMessage', {
    status: 429,
    description: 'Too Many Requests: retry after 7',
    retryAfter: 7,
  })
  const calls = () => standIn.calls.filter((each) => each === 'sendMessage').length
  const before = calls()
  await answerIn(store, 'an answer')
  await standIn.until(() => calls() === before + 1)
  await untilWaiting(store)
  expect(await store.query(findOutgoing, { channel, after: '' })).toMatchObject([
    { chatId: '42', inMs: 7000 },
  ])
  clock.advance(6_900)
  await answerIn(store, 'the next')
  expect(calls()).toBe(before + 1)
  await untilLater(clock, async () => sent().length === 2)
  expect(sent()).toEqual(['an answer', 'the next'])
})

test('[CN2] told to wait for longer than time goes, it waits for a day', async () => {
  const { store, standIn } = await openChat()
  standIn.say('hello')
  await standIn.until(() => standIn.unacknowledged === 0)
  standIn.trouble('sendMessage', {
    status: 429,
    description: 'Too Many Requests',
    retryAfter: 1e13,
  })
  const calls = () => standIn.calls.filter((each) => each === 'sendMessage').length
  const before = calls()
  await answerIn(store, 'an answer')
  await standIn.until(() => calls() === before + 1)
  await untilWaiting(store)
  expect(await store.query(findOutgoing, { channel, after: '' })).toMatchObject([
    { chatId: '42', inMs: 24 * 3_600_000 },
  ])
})

test('[CN2] what was certainly not sent is sent again; what may have been says so', async () => {
  const { store, clock, standIn, sent } = await openChat()
  standIn.say('hello')
  await standIn.until(() => standIn.unacknowledged === 0)
  standIn.trouble('sendMessage', { status: 500, description: 'Internal Server Error' })
  await answerIn(store, 'one')
  await untilWaiting(store)
  await untilLater(clock, async () => sent().length === 1)
  standIn.trouble('sendMessage', 'cut-after')
  await answerIn(store, 'two')
  await standIn.until(() => sent().length === 2)
  await untilWaiting(store)
  await untilLater(clock, async () => sent().length === 3)
  expect(sent()).toEqual(['one', 'two', `${again}two`])
})

test('[CN2] a chat that has blocked the bot is given up, and holds up nobody else', async () => {
  const { store, clock, standIn, sent } = await openChat()
  await letIn({ store, clock, standIn }, 43)
  for (const chatId of [42, 43]) standIn.say('hello', { chatId })
  await standIn.until(() => standIn.unacknowledged === 0)
  standIn.trouble('sendMessage', {
    status: 403,
    description: 'Forbidden: bot was blocked by the user',
  })
  await answerIn(store, 'to nobody')
  await standIn.until(() => standIn.calls.at(-1) === 'sendMessage')
  await answerIn(store, 'to somebody', 43)
  await standIn.until(() => standIn.textsOf(43).length === 1)
  expect(sent()).toEqual([])
  expect((await chatsOf(store)).find(({ chatId }) => chatId === '42')?.trouble).toContain(
    'bot was blocked by the user',
  )
  await until(async () => (await stateOf(store))?.waiting === 0)
})

test('[CN2] [RE9] chats that nothing can be done about hold up no other', async () => {
  const { store, clock } = await openChatStore()
  const standIn = await openStandIn()
  const bad = Array.from({ length: 8 }, (_, n) => 11 + n)
  const shaky = new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'run') return typeof value === 'function' ? value.bind(target) : value
      const run: typeof store.run = (useCase, input, receipt) =>
        useCase.name === beginSending.name &&
        bad.includes(Number((input as { chatId: string }).chatId))
          ? Promise.reject(new Error('a row that makes no sense'))
          : store.run(useCase, input, receipt)
      return run
    },
  })
  keep({ store: shaky, clock, standIn })
  for (const chatId of [...bad, 42]) standIn.say('hello', { chatId })
  await standIn.until(() => standIn.textsOf(42).length === 1)
  expect(bad.map((chatId) => standIn.textsOf(chatId))).toEqual(bad.map(() => []))
})

test('[CN2] a long answer comes in parts, in order, each once and none too long', async () => {
  const { store, standIn, sent } = await openChat()
  standIn.say('hello')
  await standIn.until(() => standIn.unacknowledged === 0)
  const words = Array.from({ length: 3000 }, (_, n) => `w${n}`)
  await answerIn(store, words.join(' '))
  await standIn.until(() => sent().length === 5)
  expect(sent().join(' ').split(' ')).toEqual(words)
})

test('[CN1] what cannot be taken is said in words, and a caption is taken', async () => {
  const { store, standIn, sent } = await openChat()
  standIn.say('', { photo: true })
  await standIn.until(() => sent().length === 1)
  standIn.say('look at this', { photo: true })
  await standIn.until(() => sent().length === 2)
  expect(sent()).toEqual(Array(2).fill('Photos cannot be taken yet. Say it in words, please.'))
  expect(await historyOf(store)).toEqual(['look at this'])
})

test('[CN1] a wrong or shared token is said in words, [SE7] never with the token', async () => {
  const { store, clock } = await openChatStore()
  const standIn = await openStandIn()
  const wrong = '1234567890:AAanotherTokenOfNobody_abcdefghijkl'
  const kept = keep({ store, clock, standIn }, { token: wrong })
  await standIn.until(() => standIn.calls.length > 0)
  await untilState(store, 'failing')
  expect((await stateOf(store))?.trouble).toContain('does not know this token')
  await kept.stop()
  expect(await stateOf(store)).toMatchObject({ state: 'off', trouble: null })
  standIn.trouble('getUpdates', {
    status: 409,
    description: `Conflict: terminated by other getUpdates request`,
  })
  const other = keep({ store, clock, standIn }, { holder: 'two' })
  await untilState(store, 'failing')
  expect((await stateOf(store))?.trouble).toContain('Another program')
  await untilLater(clock, async () => (await stateOf(store))?.state === 'connected')
  for (const text of [kept.log(), other.log(), JSON.stringify(await stateOf(store))])
    for (const token of [wrong, telegramToken]) expect(text).not.toContain(token.slice(12))
})

test('[CN2] a server that was replaced sends nothing more', async () => {
  const { store, clock, standIn, sent } = await openChat()
  standIn.say('hello')
  await standIn.until(() => standIn.unacknowledged === 0)
  const other = keep({ store, clock, standIn }, { holder: 'two' })
  await until(async () => other.figures.connected === 1)
  await untilState(store, 'connected')
  await answerIn(store, 'one')
  await answerIn(store, 'two')
  await standIn.until(() => sent().length === 2)
  expect(sent()).toEqual(['one', 'two'])
  await until(async () => other.figures.sent === 2)
})

type Stores = Awaited<ReturnType<typeof openChatStore>>

/** Looks again after everything that is under way has had its turn. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

/** With time going on meanwhile, as fast as things are tried again. */
const untilLater = (clock: Stores['clock'], isSo: () => Promise<boolean>) =>
  until(async () => {
    clock.advance(100)
    return isSo()
  })

const untilState = (store: Stores['store'], state: string) =>
  until(async () => (await stateOf(store))?.state === state)

/** Until a failed try is written down with the moment of the next. */
const untilWaiting = (store: Stores['store']) =>
  until(async () =>
    (await store.query(findOutgoing, { channel, after: '' })).some(({ inMs }) => inMs > 0),
  )

test('[CX14] in a group everybody is named: an agent is told who wrote what', async () => {
  const { room, standIn } = await openChat()
  standIn.say('tea please', { name: 'Ada' })
  standIn.say('coffee please', { name: 'Ben' })
  await standIn.until(() => standIn.unacknowledged === 0)
  const { messages, senders, conversationKey } = await room.handOver(await room.begin())
  expect([senders, conversationKey]).toEqual([['Ada', 'Ben'], 'telegram:42'])
  expect(messages.map(({ senderName }) => senderName)).toEqual(['Ada', 'Ben'])
})
