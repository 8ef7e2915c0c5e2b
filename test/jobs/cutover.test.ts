import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { webKey } from '../../src/domain/conversations/key.ts'
import { conversationStream } from '../../src/domain/stream-name.ts'
import { conversationsOn } from '../../src/embedded/conversations.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import {
  getOrCreateConversation,
  setConversationSummary,
  setFlags,
} from '../../src/services/conversations/change-conversation.ts'
import {
  findDaysToNote,
  findDueChapters,
  listChapterMessages,
  listChapters,
  listNotes,
  setCutoverRule,
} from '../../src/services/conversations/chapters.ts'
import { getConversation, getHistory } from '../../src/services/conversations/queries.ts'
import { deleteConversation } from '../../src/services/flows/conversations/delete-conversation.ts'
import { addMessage } from '../../src/services/flows/messages/add-message.ts'
import { beforeAllDue, turnRunsIn } from '../../src/store/conversations/chapters.ts'
import type { Store } from '../../src/store/store.ts'
import { openChatStore, openRoom, texts } from '../services/conversations/chat-room.ts'
import { by, typesOf } from '../services/projects/installation.ts'
import { planOf } from '../services/work/query-plan.ts'
import { chapterLooks } from '../support/due-work.ts'
import { type EngineName, engines } from '../support/either-store.ts'
import { type ManualClock, manualClock } from '../support/manual-clock.ts'
import { newPostgresStoreUrl, usePostgres } from '../support/postgres.ts'
import { openPostgres } from '../support/postgres-store.ts'

usePostgres()

const key = 'telegram:123456'
const hourMs = 3_600_000
/**
 * The manual clock begins at 18:00 of the 1st of March in Tokyo; the day is over ten hours later.
 */
const untilBoundaryMs = 10 * hourMs
const silent = createLogger({ level: 'silent', format: 'json' })

async function opened(engine: EngineName): Promise<{ store: Store; clock: ManualClock }> {
  if (engine === 'SQLite') return openChatStore()
  const clock = manualClock()
  return { clock, store: await openPostgres({ url: await newPostgresStoreUrl(), clock }) }
}

async function open(engine: EngineName = 'SQLite') {
  const { store, clock } = await opened(engine)
  await store.run(getOrCreateConversation, { key })
  const cutover = chapterLooks({ store, clock, logger: silent })
  return {
    store,
    clock,
    cutOver: () => cutover.run(),
    say: (content: string, role: 'user' | 'assistant' = 'user') =>
      store.run(addMessage, { key, role, content, by }),
    history: async () =>
      texts((await store.query(getHistory, { key, hidden: false, limit: 200 })).items),
    chapters: async (of = key) => (await store.query(listChapters, { key: of, limit: 50 })).items,
    said: async (day: string) =>
      texts(
        (await store.query(listChapterMessages, { key, day, hidden: false, limit: 200 })).items,
      ),
    read: () => store.query(getConversation, { key }),
  }
}

describe('chapters', () => {
  test('[DC2] the day is closed at the boundary: agents get none of it, flags stay', async () => {
    const { store, clock, cutOver, say, history, chapters, said, read } = await open()
    await say('早上好')
    await say('good morning', 'assistant')
    await store.run(setConversationSummary, { key, summary: 'greetings' })
    await store.run(setFlags, { key, flags: { localOnly: true } })
    clock.advance(untilBoundaryMs - 1)
    await cutOver()
    expect(await history()).toEqual(['早上好', 'good morning'])
    const { updated } = await read()
    clock.advance(1)
    await cutOver()
    expect(await history()).toEqual([])
    expect(await read()).toMatchObject({
      messageCount: 0,
      summary: '',
      flags: { localOnly: true },
      updated,
    })
    expect(await chapters()).toMatchObject([
      { day: '2026-03-01', state: 'closed', messageCount: 2, summary: 'greetings' },
    ])
    expect(await said('2026-03-01')).toEqual(['早上好', 'good morning'])
    // Looked at again, nothing more is closed.
    await cutOver()
    const types = await typesOf(store, conversationStream(key))
    expect(types.filter((type) => type === 'chapter-closed')).toHaveLength(1)
  })

  test('[DC2] the first touch after the boundary closes the day before anything else', async () => {
    const { clock, say, history, chapters, said } = await open()
    const first = await say('yesterday')
    clock.advance(untilBoundaryMs)
    const second = await say('today')
    expect(second.seq).toBe(first.seq + 2)
    expect(await history()).toEqual(['today'])
    expect(await chapters()).toMatchObject([
      { day: '2026-03-02', state: 'open', messageCount: 1, note: null },
      { day: '2026-03-01', state: 'closed', messageCount: 1, note: 'pending' },
    ])
    expect(await said('20260301')).toEqual(['yesterday'])
    expect(await said('20260302')).toEqual(['today'])
  })

  test('[DC1] 03:59 in Tokyo belongs to yesterday; another zone counts later on', async () => {
    const { store, clock, say, chapters } = await open()
    clock.advance(untilBoundaryMs - 1)
    await say('at 03:59')
    clock.advance(1)
    await say('at 04:00')
    expect((await chapters()).map(({ day }) => day)).toEqual(['2026-03-02', '2026-03-01'])
    await store.run(setCutoverRule, { hour: 0, timezone: 'America/New_York', source: 'chosen' })
    clock.advance(24 * hourMs)
    // 14:00 of the 2nd in New York: the day that was closed goes on, no day comes twice.
    await say('at 14:00')
    expect(await chapters()).toMatchObject([
      { day: '2026-03-02', state: 'open', messageCount: 2 },
      { day: '2026-03-01', state: 'closed', messageCount: 1 },
    ])
    clock.advance(10 * hourMs)
    await say('at midnight')
    expect((await chapters()).map(({ day }) => day)).toEqual([
      '2026-03-03',
      '2026-03-02',
      '2026-03-01',
    ])
  })

  test('[DC2] what is unread stays unread and is handed over all the same', async () => {
    const { store, clock, cutOver, chapters } = await open()
    const room = await openRoom(store)
    await room.say('can you see this?')
    clock.advance(untilBoundaryMs)
    await cutOver()
    const chat = webKey(room.projectId, 'ann')
    expect(await chapters(chat)).toMatchObject([{ state: 'closed', messageCount: 1 }])
    const ann = await room.begin()
    expect(texts((await room.handOver(ann)).messages)).toEqual(['can you see this?'])
    await room.answer(ann, 'yes')
    expect(await chapters(chat)).toMatchObject([
      { day: '2026-03-02', state: 'open', messageCount: 1 },
      { day: '2026-03-01', state: 'closed', messageCount: 1 },
    ])
  })

  test.each(engines)(
    '[DC6] on %s a turn over the boundary, with all written meanwhile, is of the day it began on',
    async (engine) => {
      const { store, clock, cutOver, chapters } = await open(engine)
      const room = await openRoom(store)
      const chat = webKey(room.projectId, 'ann')
      await room.say('a long question')
      const ann = await room.begin()
      await room.handOver(ann)
      clock.advance(untilBoundaryMs + hourMs)
      await cutOver()
      await room.say('are you still there?')
      expect(await chapters(chat)).toMatchObject([
        { day: '2026-03-01', state: 'open', messageCount: 2 },
      ])
      await room.answer(ann, 'a long answer')
      expect(await chapters(chat)).toMatchObject([
        { day: '2026-03-01', state: 'closed', messageCount: 3 },
      ])
      const messages = await store.query(listChapterMessages, {
        key: chat,
        day: '20260301',
        hidden: false,
        limit: 10,
      })
      expect(texts(messages.items)).toEqual([
        'a long question',
        'are you still there?',
        'a long answer',
      ])
      // What came in between is unread still, and its answer is of the new day.
      // The session still knows the day that is over (CX4): another one answers it.
      expect((await room.handOver(ann)).messages).toEqual([])
      await room.end(ann)
      const next = await room.begin()
      expect(texts((await room.handOver(next)).messages)).toEqual(['are you still there?'])
      await room.answer(next, 'yes')
      expect(await chapters(chat)).toMatchObject([
        { day: '2026-03-02', messageCount: 1 },
        { day: '2026-03-01' },
      ])
    },
  )

  test('[DC7] a server off for ten days closes each chapter once under its own day', async () => {
    const { store, clock, cutOver, say, chapters } = await open()
    await say('on the 1st')
    await store.run(getOrCreateConversation, { key: 'slack:C1' })
    clock.advance(untilBoundaryMs)
    await store.run(addMessage, { key: 'slack:C1', role: 'user', content: 'on the 2nd', by })
    clock.advance(10 * 24 * hourMs)
    await cutOver()
    expect(await chapters()).toMatchObject([{ day: '2026-03-01', state: 'closed' }])
    expect(await chapters('slack:C1')).toMatchObject([{ day: '2026-03-02', state: 'closed' }])
    const notes = (await store.query(listNotes, { limit: 50 })).items
    expect(notes.map(({ date, conversations }) => [date, conversations])).toEqual([
      ['2026-03-02', 1],
      ['2026-03-01', 1],
    ])
  })

  test.each(engines)(
    '[DC4] on %s a deleted conversation is in no note any more',
    async (engine) => {
      const { store, clock, cutOver, say } = await open(engine)
      await say('forget this')
      clock.advance(untilBoundaryMs)
      await cutOver()
      expect((await store.query(listNotes, { month: '202603', limit: 50 })).items).toHaveLength(1)
      await store.run(deleteConversation, { key, by })
      await cutOver()
      expect((await store.query(listNotes, { month: '202603', limit: 50 })).items).toEqual([])
    },
  )

  test('[DC2] due chapters and their turns are found through indexes at any size', async () => {
    const { folder } = await openChatStore()
    const clock = { now: '2026-03-02T00:00:00.000Z', timeZone: 'UTC' }
    const plan = await planOf(join(folder, 'holdfast.db'), async (reader) => {
      await findDueChapters.run(reader, { after: beforeAllDue }, clock)
      await turnRunsIn(reader, key)
      await findDaysToNote.run(reader, {}, clock)
      await listChapters.run(
        { ...reader, row: async () => ({ key }) as never },
        { key, limit: 50 },
        clock,
      )
    })
    expect(
      plan.filter(
        (step) => /^SCAN(?! CONSTANT)/.test(step) && !step.includes('chapters_not_noted'),
      ),
    ).toEqual([])
    expect(plan.join('\n')).toMatch(/conversations_by_due[\s\S]*turns_in[\s\S]*chapters_not_noted/)
  })

  test('[DC2] an embedding program has no duty: the first read closes the day', async () => {
    const { store, clock, chapters } = await open()
    const conversations = conversationsOn(store, {
      by,
      save: null,
      noted: async () => {},
      close: async () => {},
    })
    await conversations.addMessage(key, 'user', 'yesterday')
    await conversations.setSummary(key, 'what was said')
    clock.advance(untilBoundaryMs)
    expect(await conversations.getHistory(key)).toEqual([])
    expect(await conversations.getSummary(key)).toBe('')
    expect(await chapters()).toMatchObject([
      { day: '2026-03-01', state: 'closed', summary: 'what was said' },
    ])
  })
})
