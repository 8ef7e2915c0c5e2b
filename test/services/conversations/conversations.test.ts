import { describe, expect, test } from 'vitest'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import {
  getOrCreateConversation,
  resetConversation,
  setConversationSummary,
  setFlags,
  setHistory,
  truncateHistory,
} from '../../../src/services/conversations/change-conversation.ts'
import {
  getConversation,
  getHistory,
  listConversations,
} from '../../../src/services/conversations/queries.ts'
import { deleteConversation } from '../../../src/services/flows/conversations/delete-conversation.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import { by, typesOf } from '../projects/installation.ts'
import { codeOf, openChatStore, openRoom, texts } from './chat-room.ts'

const key = 'telegram:123456'

async function open() {
  const opened = await openChatStore()
  const { store } = opened
  const say = (content: string, more: Partial<Message> & { key?: string } = {}) =>
    store.run(addMessage, {
      key,
      role: 'user',
      content,
      by,
      toolCalls: more.toolCalls as unknown[],
      clientId: more.clientId ?? undefined,
    })
  const history = async (hidden = false) =>
    (await store.query(getHistory, { key, hidden, limit: 200 })).items
  return { ...opened, say, history, begin: () => store.run(getOrCreateConversation, { key }) }
}

describe('conversations', () => {
  test('[CV1] getOrCreate begins one once, empty, also when asked by many at once', async () => {
    const { store, clock, begin } = await open()
    const now = new Date(clock.now()).toISOString()
    const all = await Promise.all(Array.from({ length: 20 }, begin))
    expect(all.filter(({ created }) => created)).toHaveLength(1)
    const conversation = {
      key,
      kind: 'channel',
      channel: 'telegram',
      projectId: null,
      agentId: null,
      agents: [],
      state: 'open',
      summary: '',
      flags: {},
      title: null,
      messageCount: 0,
      created: now,
      updated: now,
      lastTurnAt: now,
    }
    for (const each of all) expect(each.conversation).toEqual(conversation)
    expect(await typesOf(store, conversationStream(key))).toEqual(['conversation-created'])
  })

  test('[CV1] addMessage and addFullMessage keep order, role, tool calls and media', async () => {
    const { store, begin, history } = await open()
    await begin()
    const toolCalls = [{ id: 'call_1', function: { name: 'ls', arguments: '{}' } }]
    await store.run(addMessage, {
      key,
      role: 'user',
      content: 'list files',
      media: [{ url: 'x.png' }],
      by,
    })
    await store.run(addMessage, { key, role: 'assistant', content: '', toolCalls, by })
    await store.run(addMessage, { key, role: 'tool', content: 'a.txt', toolCallId: 'call_1', by })
    expect(await history()).toMatchObject([
      {
        role: 'user',
        content: 'list files',
        toolCalls: null,
        media: [{ url: 'x.png' }],
        senderId: by,
        receiverId: null,
      },
      { role: 'assistant', content: '', toolCalls, media: null },
      { role: 'tool', content: 'a.txt', toolCallId: 'call_1' },
    ])
    expect(await store.query(getConversation, { key })).toMatchObject({ messageCount: 3 })
  })

  test('[CV1] the same client id again adds nothing; for other words it is refused', async () => {
    const { begin, say, history } = await open()
    await begin()
    const first = await say('hi', { clientId: 'tg-7' })
    expect(await say('hi', { clientId: 'tg-7' })).toEqual(first)
    expect(await codeOf(say('ho', { clientId: 'tg-7' }))).toBe('idempotency_key_reused')
    expect(await history()).toHaveLength(1)
  })

  test('[CV1] setHistory puts other messages in the place of those that were there; numbers go on and nobody has to answer', async () => {
    const { store } = await open()
    const room = await openRoom(store)
    await room.say('old')
    await store.run(setConversationSummary, { key: room.key, summary: 'kept' })
    const messages = [
      { role: 'user' as const, content: 'one' },
      { role: 'assistant' as const, content: 'two' },
    ]
    const changed = await store.run(setHistory, { key: room.key, messages, by })
    expect(changed).toMatchObject({ messageCount: 2, summary: 'kept' })
    const { items } = await store.query(getHistory, { key: room.key, hidden: false, limit: 50 })
    expect(items.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'one'],
      ['assistant', 'two'],
    ])
    expect(texts(await room.list())).toEqual(['two', 'one', 'old'])
    expect(texts((await room.handOver(await room.begin())).messages)).toEqual(['old'])
    await store.run(setHistory, { key: room.key, messages: [], by })
    expect(await store.query(getConversation, { key: room.key })).toMatchObject({ messageCount: 0 })
  })

  test('[CV2] what was given and what is returned are copies: changing them changes nothing inside', async () => {
    const { store, begin, history } = await open()
    await begin()
    const messages = [{ role: 'user' as const, content: 'as given', toolCalls: [{ id: 1 }] }]
    await store.run(setHistory, { key, messages, by })
    ;(messages[0] as { content: string }).content = 'changed'
    ;(messages[0]?.toolCalls[0] as { id: number }).id = 2
    const read = await history()
    expect(read).toMatchObject([{ content: 'as given', toolCalls: [{ id: 1 }] }])
    ;(read[0] as { content: string }).content = 'changed'
    expect(await history()).toMatchObject([{ content: 'as given', toolCalls: [{ id: 1 }] }])
  })

  test('[CV1] truncateHistory keeps the newest, 0 clears, a negative number is refused; more than there are changes nothing', async () => {
    const { store, begin, say, history } = await open()
    await begin()
    for (let n = 0; n < 6; n++) await say(`m${n}`)
    const truncate = (keepLast: number) => store.run(truncateHistory, { key, keepLast })
    const head = async () => (await store.positions([conversationStream(key)]))[0]?.head
    const before = await head()
    for (const keepLast of [6, 7, Number.MAX_SAFE_INTEGER])
      expect(await truncate(keepLast)).toMatchObject({ messageCount: 6 })
    for (const keepLast of [-1, 0.5, Number.NaN])
      expect(await codeOf(truncate(keepLast))).toBe('invalid_request')
    expect(await head()).toBe(before)
    expect(await truncate(2)).toMatchObject({ messageCount: 2 })
    expect(texts(await history())).toEqual(['m4', 'm5'])
    expect(await truncate(0)).toMatchObject({ messageCount: 0 })
    expect(await history()).toEqual([])
    await say('next')
    expect(texts(await history())).toEqual(['next'])
  })

  test('[CV4] reset clears messages and summary, keeps flags and created, sets updated', async () => {
    const { store, clock, begin, say, history } = await open()
    const { conversation } = await begin()
    await say('x')
    await store.run(setConversationSummary, { key, summary: 's' })
    await store.run(setFlags, { key, flags: { localOnly: true } })
    clock.advance(5000)
    const updated = new Date(clock.now()).toISOString()
    const reset = await store.run(resetConversation, { key })
    expect(reset).toEqual({ ...conversation, flags: { localOnly: true }, updated })
    expect(await history()).toEqual([])
  })

  test('[CV3] setFlags replaces; unset ones are left out, unknown ones are kept, wrong ones refused', async () => {
    const { store, begin } = await open()
    await begin()
    const set = (flags: Record<string, unknown>) => store.run(setFlags, { key, flags })
    await set({ localOnly: true, originRoute: 'CHAT' })
    const flags = { pendingOriginReply: false, workOverlayTurnsLeft: 3, other: { deep: [1, null] } }
    expect(await set(flags)).toEqual({ workOverlayTurnsLeft: 3, other: { deep: [1, null] } })
    expect((await store.query(getConversation, { key })).flags).toEqual({
      workOverlayTurnsLeft: 3,
      other: { deep: [1, null] },
    })
    expect(await codeOf(set({ localOnly: 'yes' }))).toBe('invalid_request')
    expect((await store.query(getConversation, { key })).flags).toMatchObject({
      workOverlayTurnsLeft: 3,
    })
  })

  test('[CV1] a deleted one is gone with its messages; begun again it is empty and its numbers go on', async () => {
    const { store } = await open()
    const room = await openRoom(store)
    const old = await room.say('old', { clientId: 'c1' })
    await store.run(deleteConversation, { key: room.key, by })
    expect(await codeOf(store.query(getConversation, { key: room.key }))).toBe('not_found')
    expect((await room.handOver(await room.begin())).messages).toEqual([])
    const again = await room.say('again', { clientId: 'c1' })
    expect(again.seq).toBeGreaterThan(old.seq + 1)
    expect(texts(await room.list())).toEqual(['again'])
  })

  test('[CV1] an unknown key is not there, for reading and for writing', async () => {
    const { store, say } = await open()
    const attempts = [
      () => say('x'),
      () => store.query(getConversation, { key }),
      () => store.query(getHistory, { key, hidden: false, limit: 1 }),
      () => store.run(setHistory, { key, messages: [], by }),
      () => store.run(truncateHistory, { key, keepLast: 0 }),
      () => store.run(resetConversation, { key }),
      () => store.run(setConversationSummary, { key, summary: 's' }),
      () => store.run(setFlags, { key, flags: {} }),
      () => store.run(deleteConversation, { key, by }),
    ]
    for (const attempt of attempts) expect(await codeOf(attempt())).toBe('not_found')
    expect(await store.positions([conversationStream(key)])).toEqual([{ head: 0, floor: 0 }])
  })

  test('[CV6] a key that no file can have is refused before anything is written', async () => {
    const { store } = await open()
    const bad = [
      '',
      '.',
      '..',
      'plain',
      ':x',
      'x:',
      'a:b/c',
      'a:b\\c',
      'a:\u0000',
      'a:nul',
      'con:1',
      'a:b.',
      'a:b ',
      `a:${'x'.repeat(199)}`,
    ]
    for (const each of bad) {
      expect(await codeOf(store.run(getOrCreateConversation, { key: each })), each).toBe(
        'invalid_key',
      )
      expect(await codeOf(store.query(getConversation, { key: each })), each).toBe('invalid_key')
    }
    expect((await store.query(listConversations, { viewer: null, limit: 50 })).items).toEqual([])
    expect(await store.streamsAfter('', 10)).toEqual([])
  })

  test('[HT1] conversations are listed the one touched last first, page by page', async () => {
    const { store, clock } = await open()
    for (let n = 0; n < 5; n++) {
      clock.advance(1)
      await store.run(getOrCreateConversation, { key: `slack:C${n}` })
    }
    clock.advance(1)
    await store.run(addMessage, { key: 'slack:C1', role: 'user', content: 'x', by })
    const first = await store.query(listConversations, { viewer: null, limit: 3 })
    const second = await store.query(listConversations, {
      viewer: null,
      limit: 3,
      cursor: first.nextCursor ?? '',
    })
    expect([...first.items, ...second.items].map((each) => each.key)).toEqual(
      [1, 4, 3, 2, 0].map((n) => `slack:C${n}`),
    )
    expect(second.nextCursor).toBeNull()
  })

  test('[CV1] what the user says in a chat with an agent is unread for it, whichever way it came', async () => {
    const { store } = await open()
    const room = await openRoom(store)
    await store.run(getOrCreateConversation, { key: room.key })
    await store.run(addMessage, { key: room.key, role: 'user', content: 'to ann', by })
    await store.run(addMessage, { key: room.key, role: 'assistant', content: 'as ann', by })
    expect(texts((await room.handOver(await room.begin())).messages)).toEqual(['to ann'])
    expect(await store.query(getConversation, { key: room.key })).toMatchObject({
      projectId: room.projectId,
      agentId: 'ann',
    })
  })
})
