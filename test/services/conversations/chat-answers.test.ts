import { describe, expect, test } from 'vitest'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import {
  getOrCreateConversation,
  setSummary,
} from '../../../src/services/conversations/change-conversation.ts'
import { getConversation, getHistory } from '../../../src/services/conversations/queries.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import { by, eventsOf, typesOf } from '../projects/installation.ts'
import { openChatStore, openRoom, texts } from './chat-room.ts'

async function open(agentIds?: string[]) {
  const opened = await openChatStore()
  return { ...opened, room: await openRoom(opened.store, agentIds) }
}

const refusalOf = (attempt: Promise<unknown>): Promise<{ code: string; fields: object }> =>
  attempt.then(
    () => ({ code: 'accepted', fields: {} }),
    ({ code, fields }) => ({ code, fields }),
  )

describe('handing messages over', () => {
  test('[NA7] the most urgent first, then the oldest; told once as delivered, and unread until they are answered', async () => {
    const { store, clock, room } = await open()
    for (const [content, priority] of [
      ['a', 'low'],
      ['b', 'normal'],
      ['c', 'urgent'],
      ['d', 'high'],
      ['e', 'normal'],
    ] as const) {
      clock.advance(1)
      await room.say(content, { priority })
    }
    const agentSession = await room.begin()
    const first = await room.handOver(agentSession)
    expect(texts(first.messages)).toEqual(['c', 'd', 'b', 'e', 'a'])
    expect(await room.handOver(agentSession)).toEqual(first)
    const delivered = (await eventsOf(store, conversationStream(room.key))).filter(
      ({ type }) => type === 'messages-delivered',
    )
    const { agentSessionId } = agentSession
    expect(delivered).toEqual([
      {
        type: 'messages-delivered',
        data: { agentId: 'ann', agentSessionId, seqs: first.messages.map(({ seq }) => seq) },
      },
    ])
  })

  test('[NA7] [CV15] what an agent writes of its own accord after an answer stays in the chat that it is in', async () => {
    const { store, room } = await open()
    const key = `${room.key}.second`
    await store.run(getOrCreateConversation, { key })
    await store.run(addMessage, { key, role: 'user', content: 'here?', by })
    const agentSession = await room.begin()
    expect(texts((await room.handOver(agentSession)).messages)).toEqual(['here?'])
    await room.answer(agentSession, 'here')
    await room.answer(agentSession, 'and another thing')
    const { items } = await store.query(getHistory, { key, hidden: false, limit: 10 })
    expect(texts(items)).toEqual(['here?', 'here', 'and another thing'])
    expect(await room.list()).toEqual([])
  })

  test('[NA13] a message that arrives between delivery and answer stays unread', async () => {
    const { store, room } = await open()
    const early = await room.say('early')
    const agentSession = await room.begin()
    await room.handOver(agentSession)
    const late = await room.say('late', { priority: 'urgent' })
    const answer = await room.answer(agentSession, 'to the early one')
    expect(answer.answered).toEqual([early.id])
    expect((await room.handOver(agentSession)).messages.map(({ id }) => id)).toEqual([late.id])
    const read = (await eventsOf(store, conversationStream(room.key))).find(
      ({ type }) => type === 'messages-read',
    )
    expect(read?.data).toEqual({ agentId: 'ann', seqs: [early.seq], answerSeq: answer.seq })
  })

  test('[NA13] a process that dies after delivery loses nothing: the next session gets the same messages again', async () => {
    const { room } = await open()
    await room.say('one')
    await room.say('two')
    const dying = await room.begin()
    const handed = await room.handOver(dying)
    await room.end(dying)
    expect(await refusalOf(room.answer(dying, 'too late'))).toEqual({
      code: 'session_ended',
      fields: { reason: 'process_exited' },
    })
    expect((await refusalOf(room.handOver(dying))).code).toBe('session_ended')
    const next = await room.begin()
    const again = await room.handOver(next)
    expect(again.messages).toEqual(handed.messages)
    expect(again.primer).toContain('parts of it may be done')
    expect((await room.answer(next, 'both')).answered).toHaveLength(2)
    expect((await room.handOver(next)).messages).toEqual([])
  })

  test('[NA7] an empty answer marks them read without a message; an answer without a question is just a message', async () => {
    const { store, room } = await open()
    const asked = await room.say('ping')
    const agentSession = await room.begin()
    await room.handOver(agentSession)
    expect(await room.answer(agentSession, '')).toEqual({
      messageId: null,
      seq: null,
      answered: [asked.id],
    })
    expect(texts(await room.list())).toEqual(['ping'])
    const said = await room.answer(agentSession, 'by the way')
    expect(said).toMatchObject({ messageId: expect.stringMatching(/^msg_/), answered: [] })
    expect(texts(await room.list())).toEqual(['by the way', 'ping'])
    expect(
      (await typesOf(store, conversationStream(room.key))).filter(
        (type) => type === 'messages-read',
      ),
    ).toHaveLength(1)
  })

  test('[NA8] an answer sent twice under one client id is one message, and settles nothing that came later', async () => {
    const { room } = await open()
    await room.say('one')
    const agentSession = await room.begin()
    await room.handOver(agentSession)
    const first = await room.answer(agentSession, '', 'c1')
    await room.say('two')
    await room.handOver(agentSession)
    expect(await room.answer(agentSession, '', 'c1')).toEqual(first)
    expect(texts((await room.handOver(agentSession)).messages)).toEqual(['two'])
    const [answered, again] = [
      await room.answer(agentSession, 'yes', 'c2'),
      await room.answer(agentSession, 'yes', 'c2'),
    ]
    expect(again).toEqual(answered)
    expect(texts(await room.list())).toEqual(['yes', 'two', 'one'])
    expect((await refusalOf(room.answer(agentSession, 'no', 'c2'))).code).toBe(
      'idempotency_key_reused',
    )
  })

  test('[NA8] another session may use the same client id again', async () => {
    const { room } = await open()
    const first = await room.begin()
    await room.answer(first, 'from the first', '1')
    await room.end(first)
    expect(await room.answer(first, 'from the first', '1')).toMatchObject({ answered: [] })
    await room.answer(await room.begin(), 'from the second', '1')
    expect(texts(await room.list())).toEqual(['from the second', 'from the first'])
  })

  test('[AS6] an answer moves the activity of its session, a hand-over does not', async () => {
    const { store, clock, room } = await open()
    await room.say('x')
    const agentSession = await room.begin()
    const row = () =>
      store.read((reader) => reader.row('agent_sessions', { id: agentSession.agentSessionId }))
    const before = await row()
    clock.advance(5000)
    await room.handOver(agentSession)
    const handed = await row()
    expect(handed).toEqual({ ...before, context_id: expect.any(String) })
    await room.answer(agentSession, '')
    const now = new Date(clock.now()).toISOString()
    expect(await row()).toEqual({ ...handed, last_activity_at: now, last_answer_at: now })
  })

  test('[NA7] more than fits into one call comes with the next, and only what was handed over is answered', async () => {
    const { room } = await open()
    await Promise.all(Array.from({ length: 510 }, (_, n) => room.say(`m${n}`)))
    const agentSession = await room.begin()
    const first = await room.handOver(agentSession)
    expect(first.messages).toHaveLength(500)
    expect((await room.answer(agentSession, 'some')).answered).toHaveLength(500)
    expect((await room.handOver(agentSession)).messages).toHaveLength(10)
  })

  test('[NA7] long messages come a few at a time', async () => {
    const { room } = await open()
    for (let n = 0; n < 3; n++) await room.say('x'.repeat(400_000))
    const agentSession = await room.begin()
    expect((await room.handOver(agentSession)).messages).toHaveLength(2)
    await room.answer(agentSession, '')
    expect((await room.handOver(agentSession)).messages).toHaveLength(1)
  })

  test('[CX1] a session that works on a task is handed no chat: its context is that of its work', async () => {
    const { room } = await open()
    await room.say('x')
    const task = await room.begin('ann', 'task')
    expect((await room.handOver(task)).messages).toHaveLength(0)
    const chat = await room.begin('ann', 'chat')
    expect((await room.handOver(chat)).messages).toHaveLength(1)
  })
})

describe('what belongs to another', () => {
  test('[SE3] one agent can neither read nor answer for another, in this project or the next', async () => {
    const { store, room } = await open(['ann', 'ben'])
    const other = await openRoom(store, ['ann'])
    await room.say('for ann')
    const ben = await room.begin('ben')
    const elsewhere = await other.begin('ann')
    expect((await room.handOver(ben)).messages).toEqual([])
    expect((await other.handOver(elsewhere)).messages).toEqual([])
    for (const caller of [
      { ...ben, agentId: 'ann' },
      { ...elsewhere, projectId: room.projectId },
      { ...ben, agentSessionId: 'made up' },
    ]) {
      expect((await refusalOf(room.handOver(caller))).code).toBe('not_found')
      expect((await refusalOf(room.answer(caller, 'x'))).code).toBe('not_found')
    }
    expect(texts(await room.list())).toEqual(['for ann'])
  })
})

describe('summaries by an agent', () => {
  test('[NA9] what a summary covers is no longer handed to agents, the archive keeps it, and the next hand-over brings it', async () => {
    const { store, room } = await open()
    await room.say('one 🙂')
    const two = await room.say('two')
    const agentSession = await room.begin()
    await room.handOver(agentSession)
    const answer = await room.answer(agentSession, 'three')
    await room.say('four')
    await store.run(setSummary, {
      ...agentSession,
      conversationKey: room.key,
      summary: 'so far',
      throughSeq: two.seq,
    })
    const { items } = await store.query(getHistory, { key: room.key, hidden: false, limit: 50 })
    expect(texts(items)).toEqual(['three', 'four'])
    expect(texts(await room.list())).toEqual(['four', 'three', 'two', 'one 🙂'])
    expect(await store.query(getConversation, { key: room.key })).toMatchObject({
      summary: 'so far',
      messageCount: 2,
    })
    const next = await room.handOver(agentSession)
    expect([texts(next.messages), next.summary]).toEqual([['four'], 'so far'])
    await store.run(setSummary, {
      ...agentSession,
      conversationKey: room.key,
      summary: 'all of it',
      throughSeq: answer.seq ?? 0,
    })
    expect((await typesOf(store, conversationStream(room.key))).slice(-2)).toEqual([
      'summary-set',
      'history-truncated',
    ])
  })

  test('[NA9] a summary cannot cover what was not handed over, nor less than the one before', async () => {
    const { store, room } = await open()
    const one = await room.say('one')
    const agentSession = await room.begin()
    await room.handOver(agentSession)
    const two = await room.say('two')
    const summarise = (throughSeq: number) =>
      refusalOf(
        store.run(setSummary, {
          ...agentSession,
          conversationKey: room.key,
          summary: 's',
          throughSeq,
        }),
      )
    expect((await summarise(two.seq)).code).toBe('invalid_request')
    expect((await summarise(one.seq)).code).toBe('accepted')
    expect((await summarise(one.seq - 1)).code).toBe('invalid_request')
    expect((await summarise(one.seq)).code).toBe('accepted')
  })
})
