/**
 * Which day what is said belongs to (DC), whatever else is done with a conversation; and when days
 * begin, said by the owner (DC1).
 */
import { describe, expect, test } from 'vitest'
import { storeCutoverRule } from '../../../src/jobs/cutover.ts'
import { createToken } from '../../../src/services/access/change-access.ts'
import { importConversation } from '../../../src/services/conversations/import-conversation.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { openTestServer } from '../../support/server.ts'

const key = 'telegram:123456'
const path = `/api/conversations/${encodeURIComponent(key)}`
/** The manual clock begins at 18:00 of the 1st of March in Tokyo. */
const nextDay = '2026-03-02T04:00:00+09:00'

async function open() {
  const server = await openTestServer()
  const { ask } = server
  const post = (to: string, body?: unknown) => ask(to, { method: 'POST', body })
  const items = async (to: string) => (await ask(to)).json.items
  const contents = async (to: string) =>
    (await items(to)).map(({ content }: { content: string }) => content)
  const say = (content: string, role = 'user') => post(`${path}/messages`, { role, content })
  const cutOver = async (now = nextDay) => (await post(`${path}/cutover`, { now })).json
  return { ...server, post, items, contents, say, cutOver }
}

const past = {
  messages: [{ role: 'user', content: 'last week' }],
  summary: 'About last week',
  updated: '2026-02-22T09:00:00.000Z',
}

describe('which day it is of', () => {
  test('[CV12] what is said after an import is of today, what came in of its own day; agents are handed both until the boundary', async () => {
    const { ask, post, items, contents, say, cutOver } = await open()
    await post(`${path}/import`, past)
    await say('today')
    expect(await contents(`${path}/messages`)).toEqual(['last week', 'today'])
    expect(await items(`${path}/chapters`)).toMatchObject([
      { day: '2026-03-01', state: 'open', messageCount: 1 },
      { day: '2026-02-22', state: 'closed', messageCount: 1, summary: 'About last week' },
    ])
    expect(await cutOver()).toMatchObject({ cut: true, date: '2026-03-01' })
    expect(await contents(`${path}/messages`)).toEqual([])
    expect(await contents(`${path}/chapters/2026-02-22/messages`)).toEqual(['last week'])
    expect(await contents(`${path}/chapters/2026-03-01/messages`)).toEqual(['today'])
    const note = (await ask('/api/notes/20260301')).text
    expect([
      note.includes('today'),
      note.includes('last week'),
      note.includes('About last week'),
    ]).toEqual([true, false, false])
    expect((await ask(path)).json.summary).toBe('')
  })

  test('[CV12] an import that nothing is added to has one day, and leaves what agents are handed at the boundary', async () => {
    const { post, items, contents, cutOver } = await open()
    await post(`${path}/import`, past)
    expect(await items(`${path}/chapters`)).toMatchObject([{ day: '2026-02-22' }])
    expect(await contents(`${path}/messages`)).toEqual(['last week'])
    expect(await cutOver()).toMatchObject({ cut: true, date: '2026-02-22' })
    expect(await contents(`${path}/messages`)).toEqual([])
    expect(await items(`${path}/chapters`)).toMatchObject([
      { day: '2026-02-22', messageCount: 1, summary: 'About last week' },
    ])
  })

  test('[DC3] what setHistory puts back is told once, in the day and in its note; what it leaves out stays there', async () => {
    const { ask, post, items, contents, say, cutOver } = await open()
    await post('/api/conversations', { key })
    for (const content of ['one', 'two', 'three']) await say(content)
    const put = (messages: unknown) =>
      ask(`${path}/messages`, { method: 'PUT', body: { messages } })
    await put(await items(`${path}/messages`))
    await put([
      { role: 'system', content: 'cut short' },
      ...(await items(`${path}/messages`)).slice(1),
    ])
    expect(await contents(`${path}/messages`)).toEqual(['cut short', 'two', 'three'])
    expect(await items(`${path}/chapters`)).toMatchObject([{ messageCount: 4 }])
    expect(await contents(`${path}/chapters/2026-03-01/messages`)).toEqual([
      'one',
      'two',
      'three',
      'cut short',
    ])
    await cutOver()
    const note = (await ask('/api/notes/20260301')).text
    expect(note).toContain('4 messages')
    expect(note.match(/> (one|two|three|cut short)$/gm)).toHaveLength(4)
  })

  test('[DC2] a summary without messages is of a day too, and is cut over', async () => {
    const { ask, post, items, cutOver } = await open()
    await post('/api/conversations', { key })
    await ask(`${path}/summary`, { method: 'PUT', body: { summary: 'Agreed on the phone' } })
    expect(await cutOver()).toMatchObject({ cut: true, date: '2026-03-01' })
    expect((await ask(path)).json.summary).toBe('')
    expect(await items(`${path}/chapters`)).toMatchObject([
      { day: '2026-03-01', messageCount: 0, summary: 'Agreed on the phone' },
    ])
    expect((await ask('/api/notes/20260301')).text).toContain('Agreed on the phone')
  })

  test.each(['console', 'work', 'fork', 'schedule', 'import', 'race'])(
    '[DC9] %s: has one chapter; nobody begins one from outside, and one that is there is usable',
    async (channel) => {
      const { ask, post, store, clock, contents } = await open()
      const own = `${channel}:1.a`
      const at = `/api/conversations/${encodeURIComponent(own)}`
      for (const refused of [
        await post('/api/conversations', { key: own }),
        await post(`${at}/import`, past),
      ]) {
        expect([refused.status, refused.json.code]).toEqual([422, 'invalid_key'])
        expect(refused.json.detail).toContain(`begin with ${channel}:`)
      }
      expect((await ask(at)).status).toBe(404)
      const said = {
        messages: [{ role: 'user', content: 'at work' } as const],
        summary: '',
        flags: {},
      }
      await store.run(importConversation, { ...said, key: own, by: 'owner', ours: true })
      clock.advance(7 * 24 * 3_600_000)
      expect((await post(`${at}/messages`, { role: 'user', content: 'still' })).status).toBe(201)
      expect((await post(`${at}/cutover`, { now: '2026-06-01T00:00:00Z' })).json).toMatchObject({
        cut: false,
      })
      expect(await contents(`${at}/messages`)).toEqual(['at work', 'still'])
      expect((await post('/api/conversations', { key: own })).status).toBe(200)
    },
  )

  test('[CV11] what agents say to each other is begun by them alone', async () => {
    const { post } = await open()
    expect((await post('/api/conversations', { key: 'agent:ann~ben' })).json.code).toBe(
      'invalid_key',
    )
  })
})

describe('when days begin', () => {
  test('[DC1] the owner changes hour and zone at run time, or switches days off and on; others may only read it', async () => {
    const { ask, post, store, contents, say, cutOver } = await open()
    const set = (body: unknown, token?: string) =>
      ask('/api/cutover', { method: 'PUT', body, ...(token && { token }) })
    expect((await ask('/api/cutover')).json).toEqual({
      hour: 4,
      timezone: 'Asia/Tokyo',
      source: 'usual',
    })
    const { token } = await store.run(createToken, {
      name: 's',
      kind: 'script',
      scopes: ['read', 'write'],
      by: ownerWho,
    })
    expect((await set({ hour: 5 }, token)).status).toBe(403)
    expect((await ask('/api/cutover', { token })).json.hour).toBe(4)
    for (const bad of [{ hour: 24 }, { hour: 'never' }, { timezone: 'Mars/Olympus' }, { day: 1 }])
      expect((await set(bad)).status).toBe(400)
    await post('/api/conversations', { key })
    await say('before')
    expect((await set({ hour: 'off' })).json).toEqual({
      hour: 'off',
      timezone: 'Asia/Tokyo',
      source: 'chosen',
    })
    expect(await cutOver('2026-06-01T00:00:00Z')).toMatchObject({ cut: false })
    expect((await set({ hour: 23, timezone: 'Europe/Berlin' })).json).toMatchObject({
      hour: 23,
      timezone: 'Europe/Berlin',
    })
    expect(await cutOver('2026-03-01T21:59:00Z')).toMatchObject({ cut: false })
    expect(await cutOver('2026-03-01T22:00:00Z')).toMatchObject({ cut: true })
    expect(await contents(`${path}/messages`)).toEqual([])
    expect((await set({ timezone: 'local' })).json.timezone).toBe(
      new Intl.DateTimeFormat().resolvedOptions().timeZone,
    )
  })

  test('[DC1] what a person chose outlives a start; what the configuration says counts, and is changed there alone', async () => {
    const { ask, store } = await open()
    const received: string[] = []
    const start = (hour: number | null, timezone: string) =>
      storeCutoverRule(store, { 'cutover.hour': hour, 'cutover.timezone': timezone }, (text) =>
        received.push(text),
      )
    const rule = async () => (await ask('/api/cutover')).json
    const set = (body: unknown) => ask('/api/cutover', { method: 'PUT', body })
    await start(4, 'Asia/Tokyo')
    await start(4, 'Asia/Tokyo')
    expect(received).toEqual([
      expect.stringMatching(/begin at 04:00 Asia\/Tokyo; .*holdfast cutover --timezone local/),
    ])
    await set({ timezone: 'Europe/Berlin' })
    await start(4, 'Asia/Tokyo')
    expect(await rule()).toEqual({ hour: 4, timezone: 'Europe/Berlin', source: 'chosen' })
    await start(null, 'Asia/Tokyo')
    expect(await rule()).toEqual({ hour: 'off', timezone: 'Asia/Tokyo', source: 'configuration' })
    const refused = await set({ hour: 4 })
    expect([refused.status, refused.json.code]).toEqual([409, 'wrong_state'])
    expect(refused.json.detail).toContain('cutover.hour')
    await start(4, 'local')
    expect(await rule()).toMatchObject({
      hour: 4,
      timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    })
    await start(4, 'Asia/Tokyo')
    expect(await rule()).toMatchObject({ timezone: 'Asia/Tokyo', source: 'usual' })
    expect(received).toHaveLength(1)
  })
})
