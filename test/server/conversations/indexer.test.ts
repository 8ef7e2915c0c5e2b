/**
 * Search over all messages, the same on either engine: what is found, what is not, in which order,
 * and what is kept up with.
 */
import { describe, expect, test } from 'vitest'
import { dayAfter, dayBefore } from '../../../src/domain/conversations/chapter.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { SearchIndexer } from '../../../src/server/conversations/indexer.ts'
import {
  getOrCreateConversation,
  resetConversation,
  setHistory,
} from '../../../src/services/conversations/change-conversation.ts'
import { importConversation } from '../../../src/services/conversations/import-conversation.ts'
import {
  findUnindexed,
  makeSearchable,
} from '../../../src/services/conversations/make-searchable.ts'
import {
  type MessageSearch,
  searchMessages,
} from '../../../src/services/conversations/search-messages.ts'
import { deleteConversation } from '../../../src/services/flows/conversations/delete-conversation.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import { engines, newPlace, type Place } from '../../support/either-store.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { usePostgres } from '../../support/postgres.ts'

usePostgres()

const by = 'person_1'
const logger = createLogger({ level: 'error', format: 'json' })

/** Conversations with what was said in them, indexed. */
async function openTalk(place: Place, said: Readonly<Record<string, readonly string[]>>) {
  const clock = manualClock()
  const store = await place.open(clock)
  const indexer = new SearchIndexer({ store, clock, logger })
  const say = (key: string, content: string) => {
    clock.advance(1)
    return store.run(addMessage, { key, role: 'user', content, by })
  }
  for (const [key, contents] of Object.entries(said)) {
    await store.run(getOrCreateConversation, { key })
    for (const content of contents) await say(key, content)
  }
  const search = (q: string, more: Partial<MessageSearch> = {}) =>
    store.query(searchMessages, { viewer: null, q, limit: 50, ...more })
  return {
    store,
    indexer,
    say,
    search,
    /** What was found, with marks around what is highlighted. */
    found: async (q: string, more: Partial<MessageSearch> = {}): Promise<string[]> => {
      await indexer.catchUp()
      return (await search(q, more)).items.map(marked)
    },
  }
}

function marked({
  excerpt,
  highlights,
}: {
  excerpt: string
  highlights: readonly { start: number; end: number }[]
}): string {
  let text = ''
  let at = 0
  for (const { start, end } of highlights) {
    text += `${excerpt.slice(at, start)}[${excerpt.slice(start, end)}]`
    at = end
  }
  return text + excerpt.slice(at)
}

const key = 'telegram:1'

describe.each(engines)('search on %s', (engine) => {
  test('[DC5] two characters of Japanese, Chinese or Korean are found wherever they stand, and only together', async () => {
    const talk = await openTalk(await newPlace(engine), {
      [key]: [
        '本日の承認待ちは三件です',
        '承知しました。認証は済みです',
        '请批准这个计划',
        '오늘 승인을 기다립니다',
        'ｱﾌﾟﾘのガス代',
        '待ち承認',
      ],
    })
    expect(await talk.found('承認')).toEqual(['待ち[承認]', '本日の[承認]待ちは三件です'])
    expect(await talk.found('承認待ち')).toEqual(['本日の[承認待ち]は三件です'])
    expect(await talk.found('待ち 承認')).toEqual(['[待ち承認]', '本日の[承認待ち]は三件です'])
    expect(await talk.found('批准')).toEqual(['请[批准]这个计划'])
    expect(await talk.found('승인')).toEqual(['오늘 [승인]을 기다립니다'])
    // Half width is full width; ハ is not パ.
    expect(await talk.found('アプリ')).toEqual(['[ｱﾌﾟﾘ]のガス代'])
    expect(await talk.found('カス')).toEqual([])
    // One character, too: these are looked through.
    expect(await talk.found('認')).toEqual([
      '待ち承[認]',
      '承知しました。[認]証は済みです',
      '本日の承[認]待ちは三件です',
    ])
    expect(await talk.found('認', { conversation: 'telegram:2' })).toEqual([])
    expect(await talk.found('件 本')).toEqual(['[本]日の承認待ちは三[件]です'])
  })

  test('[DC5] words are found without regard to case, accents and width, also by their beginning, quoted ones exactly', async () => {
    const talk = await openTalk(await newPlace(engine), {
      [key]: [
        'The Approval of the café',
        'approve src/store.ts',
        'Ｒｅｖｉｅｗ GPT4の承認 🚀',
        'to be or not to be',
      ],
    })
    expect(await talk.found('APPROV')).toEqual([
      '[approve] src/store.ts',
      'The [Approval] of the café',
    ])
    expect(await talk.found('"approve"')).toEqual(['[approve] src/store.ts'])
    expect(await talk.found('cafe the')).toEqual(['[The] Approval of [the] [café]'])
    expect(await talk.found('src/store.ts')).toEqual(['approve [src/store.ts]'])
    expect(await talk.found('store.src')).toEqual([])
    expect(await talk.found('review gpt4の承認')).toEqual(['[Ｒｅｖｉｅｗ] [GPT4の承認] 🚀'])
    expect(await talk.found('🚀')).toEqual(['Ｒｅｖｉｅｗ GPT4の承認 [🚀]'])
    expect(await talk.found('"be or not"')).toEqual(['to [be or not] to be'])
    expect(await talk.found('"or be"')).toEqual([])
  })

  test('[DC5] what an engine could take for its own language is only text, and what holds nothing to find is refused', async () => {
    const talk = await openTalk(await newPlace(engine), {
      [key]: ["it's a NEAR miss AND a '); drop table x", '50% off: a|b'],
    })
    const hostile = [
      'NEAR(a, 2)',
      'a AND',
      'NOT',
      "'); drop table messages; --",
      '"',
      'a*',
      'terms:a',
      '^a',
      'a & !b',
      "a:* | 'b",
      '-a',
      '\\',
      '%',
    ]
    for (const q of [...hostile, '{a b}', 'a <-> b', '\ue0007465', "''''", '"a" "', 'a\u0000b']) {
      await talk
        .found(q)
        .catch((error) =>
          expect(error).toMatchObject({ code: 'invalid_request', fields: { field: 'q' } }),
        )
    }
    expect(await talk.found("'); drop table")).toEqual([
      "it's a NEAR miss AND a '); [drop] [table] x",
    ])
    expect(await talk.found('near AND miss')).toHaveLength(1)
    expect(await talk.found('NOT')).toEqual([])
    await expect(talk.search(' .*"( ')).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(talk.search('a', { cursor: 'bm90IG91cnM' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  test('[DC5] a search goes over all conversations, or one, or a channel, a project, some days; newest first, page by page', async () => {
    const place = await newPlace(engine)
    const talk = await openTalk(place, {
      'telegram:1': ['red one', 'red two'],
      'slack:C1': ['red three'],
      'web:p1.ann': ['red four', 'blue'],
    })
    expect(await talk.found('red')).toEqual(['[red] four', '[red] three', '[red] two', '[red] one'])
    expect(await talk.found('red', { conversation: 'telegram:1' })).toEqual([
      '[red] two',
      '[red] one',
    ])
    expect(await talk.found('red', { channel: 'slack' })).toEqual(['[red] three'])
    expect(await talk.found('red', { project: 'p1' })).toEqual(['[red] four'])
    expect(await talk.found('red', { project: 'p1', channel: 'slack' })).toEqual([])
    const [newest] = (await talk.search('red')).items
    expect(newest).toMatchObject({
      conversationKey: 'web:p1.ann',
      projectId: 'p1',
      role: 'user',
      senderId: by,
    })
    const { day = '' } = newest ?? {}

    expect(await talk.found('red', { from: dayAfter(day) })).toEqual([])
    expect(await talk.found('red', { to: dayBefore(day) })).toEqual([])
    expect(await talk.found('red', { from: day, to: day })).toHaveLength(4)
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await talk.search('red', { limit: 1, ...(cursor ? { cursor } : {}) })
      seen.push(...page.items.map(marked))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(['[red] four', '[red] three', '[red] two', '[red] one'])
  })

  test('[DC5] what agents are no longer handed is found; what was deleted is not; numbers that go on are found again', async () => {
    const talk = await openTalk(await newPlace(engine), { [key]: ['green apple'] })
    const { store } = talk
    await store.run(resetConversation, { key })
    expect(await talk.found('green')).toHaveLength(1)
    await store.run(deleteConversation, { key, by })
    expect(await talk.found('green')).toEqual([])
    await store.run(getOrCreateConversation, { key })
    await talk.say(key, 'green pear')
    expect(await talk.found('green')).toEqual(['[green] pear'])
  })

  test('[CV7] messages with a time from before there were computers are found, and keep no others from being found', async () => {
    const { store, found, say } = await openTalk(await newPlace(engine), { [key]: ['a zebra'] })
    const messages = ['an old zebra', 'an older zebra'].map(
      (content) => ({ role: 'user', content }) as const,
    )
    const times = { created: '0001-01-01T00:00:00.000Z', updated: '0001-01-01T00:00:00.000Z' }
    await store.run(importConversation, {
      key: 'telegram:old',
      by,
      messages,
      summary: '',
      flags: {},
      ...times,
    })
    await say(key, 'a new zebra')
    expect((await found('zebra')).sort()).toEqual([
      'a [zebra]',
      'a new [zebra]',
      'an old [zebra]',
      'an older [zebra]',
    ])
  })

  test('[DC5] what was written while nobody listened is looked for again when the store was away in between', async () => {
    const { store, search } = await openTalk(await newPlace(engine), { [key]: ['a zebra'] })
    let asked = 0
    const awayOnce = new Proxy(store, {
      get: (_, name) => {
        const found = Reflect.get(store, name)
        if (typeof found !== 'function') return found
        const isAway = (first: unknown) =>
          name === 'query' && first === findUnindexed && asked++ === 0
        return (...given: unknown[]) =>
          isAway(given[0])
            ? Promise.reject(new Refusal('store_unavailable'))
            : found.apply(store, given)
      },
    })
    const clock = manualClock()
    const indexer = new SearchIndexer({
      store: awayOnce,
      clock,
      logger: createLogger({ level: 'silent', format: 'json' }),
    })
    indexer.start()
    await expect
      .poll(async () => {
        clock.advance(1000)
        return { found: (await search('zebra')).items.length, asked }
      })
      .toEqual({ found: 1, asked: 2 })
    await indexer.stop()
  })

  test('[DC5] 1,300 messages of one moment and one that is very long are indexed in steps, each once, also when two do it', async () => {
    const place = await newPlace(engine)
    const talk = await openTalk(place, { [key]: [] })
    const { store } = talk
    const messages = Array.from({ length: 1300 }, (_, n) => ({
      role: 'user' as const,
      content: `number n${n} 項目`,
    }))
    await store.run(setHistory, { key, messages, by })
    await talk.say(key, `${'とても長い話 word '.repeat(5_000)}終わり`)
    const other = new SearchIndexer({ store, clock: manualClock(), logger })
    while ((await talk.indexer.catchUp()) + (await other.catchUp()) > 0);
    expect(await talk.found('n1234')).toEqual(['number [n1234] 項目'])
    expect(await talk.found('終わり')).toHaveLength(1)
    let count = 0
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await talk.search('項目', { limit: 200, ...(cursor ? { cursor } : {}) })
      count += page.items.length
      cursor = page.nextCursor
    }
    expect(count).toBe(1300)
    expect(await store.query(findUnindexed, { after: '' })).toEqual({ keys: [], next: null })
    expect(await store.run(makeSearchable, { keys: [key, 'telegram:unknown'] })).toEqual({
      unfinished: [],
      indexed: 0,
    })
    expect(await place.check()).toEqual([])
    const lost = await place.checkAfter(`delete from search_documents where seq = 100`)
    expect(lost).toMatchObject([
      {
        check: 'search',
        where: `messages ${key} 100`,
        what: expect.stringContaining('no document'),
      },
    ])
    const wordless = await place.checkAfter(
      `delete from search_terms where rowid in (select id from search_documents where seq = 100)`,
    )
    expect(wordless).toMatchObject([{ check: 'search', what: expect.stringContaining('words') }])
    const ofNothing = await place.checkAfter(`delete from messages where seq = 100`)
    expect(ofNothing).toMatchObject([{ check: 'search', where: `search_documents ${key} 100` }])
  }, 180_000)
})
