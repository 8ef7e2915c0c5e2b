/** Conversations in a program of somebody else's, without a server (CV1, LB1), on either engine. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Conversations, ConversationsOptions } from '../../src/library.ts'
import { bundledLibrary } from '../support/bundled-library.ts'
import { newPostgresStoreUrl, usePostgres } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

usePostgres()

const { createConversations, Refusal } = await bundledLibrary()

const key = 'telegram:123456'
const places: [string, () => Promise<ConversationsOptions>][] = [
  ['SQLite', async () => ({ data: join(temporaryFolder(), 'mine') })],
  ['PostgreSQL', async () => ({ databaseUrl: await newPostgresStoreUrl() })],
]

async function open(options: ConversationsOptions): Promise<Conversations> {
  const conversations = await createConversations(options)
  onTestFinished(() => conversations.close())
  return conversations
}

const texts = async (conversations: Conversations) =>
  (await conversations.getHistory(key)).map(({ content }) => content)
const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => 'accepted',
    (error) => error instanceof Refusal && error.code,
  )

describe.each(places)('conversations on %s', (_, place) => {
  test('[CV1] a conversation bears every change, and all is there when opened again', async () => {
    const options = await place()
    const conversations = await createConversations({ ...options, by: 'bot' })
    const { created } = await conversations.getOrCreate(key)
    expect(await conversations.getOrCreate(key)).toMatchObject({
      key,
      created,
      messageCount: 0,
      summary: '',
      flags: {},
    })
    await conversations.addMessage(key, 'user', 'list files')
    const toolCalls = [{ id: 'call_1', function: { name: 'ls', arguments: '{}' } }]
    await conversations.addFullMessage(key, {
      role: 'assistant',
      content: '',
      toolCalls,
      clientId: 'once',
    })
    await conversations.addFullMessage(key, {
      role: 'assistant',
      content: '',
      toolCalls,
      clientId: 'once',
    })
    await conversations.addFullMessage(key, {
      role: 'tool',
      content: 'a.txt',
      toolCallId: 'call_1',
      media: [{ url: 'x' }],
    })
    const history = await conversations.getHistory(key)
    expect(history).toMatchObject([
      { role: 'user', content: 'list files', senderId: 'bot' },
      { role: 'assistant', toolCalls },
      { role: 'tool', toolCallId: 'call_1', media: [{ url: 'x' }] },
    ])
    await conversations.setSummary(key, 'They want files')
    expect(
      await conversations.setFlags(key, {
        localOnly: true,
        pendingOriginReply: false,
        theirs: { a: 1 },
      }),
    ).toEqual({
      localOnly: true,
      theirs: { a: 1 },
    })
    await conversations.truncateHistory(key, 1)
    expect(await texts(conversations)).toEqual(['a.txt'])
    await conversations.setHistory(key, history)
    await conversations.close()

    const again = await open(options)
    expect(await texts(again)).toEqual(['list files', '', 'a.txt'])
    expect(await again.getSummary(key)).toBe('They want files')
    expect(await again.getFlags(key)).toEqual({ localOnly: true, theirs: { a: 1 } })
    await again.reset(key)
    expect(await texts(again)).toEqual([])
    expect(await again.getSummary(key)).toBe('')
    expect(await again.getFlags(key)).toMatchObject({ localOnly: true })
    expect((await again.list()).items).toMatchObject([{ key, created }])
    expect(await again.getUpdatedTime(key)).toMatch(/Z$/)
    await again.delete(key)
    expect((await again.list({ limit: 1 })).items).toEqual([])
  })

  test('[CV1] an unknown key reads as empty; setting begins it, removing does not', async () => {
    const conversations = await open(await place())
    expect(await conversations.getHistory(key)).toEqual([])
    expect(await conversations.getSummary(key)).toBe('')
    expect(await conversations.getFlags(key)).toEqual({})
    expect(await conversations.getUpdatedTime(key)).toBeNull()
    await conversations.truncateHistory(key, 0)
    await conversations.reset(key)
    await conversations.delete(key)
    expect((await conversations.list()).items).toEqual([])
    await conversations.setSummary('slack:C1', 's')
    await conversations.setFlags('slack:C2', { localOnly: true })
    await conversations.setHistory('slack:C3', [{ role: 'user', content: 'one' }])
    await conversations.addMessage('slack:C4', 'user', 'one')
    const made = (await conversations.list()).items.map((each) => each.key)
    expect(made.sort()).toEqual(['slack:C1', 'slack:C2', 'slack:C3', 'slack:C4'])
  })

  test('[CV1] what no conversation can hold is refused with the code of the doors', async () => {
    const conversations = await open(await place())
    const refused: [() => Promise<unknown>, string][] = [
      [() => conversations.addMessage('a:b/c', 'user', 'x'), 'invalid_key'],
      [() => conversations.getHistory('plain'), 'invalid_key'],
      [() => conversations.addMessage(key, 'user', 'a\u0000b'), 'invalid_request'],
      [() => conversations.addMessage(key, 'nobody' as 'user', 'x'), 'invalid_request'],
      [
        () => conversations.addFullMessage(key, { role: 'user', content: 'x', media: [1n] }),
        'invalid_request',
      ],
      [() => conversations.setFlags(key, { localOnly: 'yes' } as never), 'invalid_request'],
      [() => conversations.setSummary(key, 5 as never), 'invalid_request'],
    ]
    for (const [attempt, code] of refused) expect(await codeOf(attempt())).toBe(code)
    expect((await conversations.list()).items).toEqual([])
    await conversations.addMessage(key, 'user', 'x')
    expect(await codeOf(conversations.truncateHistory(key, -1))).toBe('invalid_request')
    expect(await texts(conversations)).toEqual(['x'])
  })

  test('[CV2] what is given is copied before the call returns, so is what returns', async () => {
    const conversations = await open(await place())
    const given = [{ role: 'user' as const, content: 'as given', toolCalls: [{ id: 1 }] }]
    const setting = conversations.setHistory(key, given)
    Object.assign(given[0] ?? {}, { content: 'changed' })
    Object.assign(given[0]?.toolCalls[0] ?? {}, { id: 2 })
    await setting
    const read = await conversations.getHistory(key)
    expect(read).toMatchObject([{ content: 'as given', toolCalls: [{ id: 1 }] }])
    Object.assign(read[0] ?? {}, { content: 'changed' })
    expect(await texts(conversations)).toEqual(['as given'])
  })

  test('[CV9] many write into many at once, and nothing is lost, mixed or reordered', async () => {
    const conversations = await open(await place())
    const keys = Array.from({ length: 20 }, (_, n) => `slack:C${n}`)
    const write = async (writer: number) => {
      for (let n = 0; n < 3; n++)
        await Promise.all(
          keys.map((each) => conversations.addMessage(each, 'user', `${each} ${writer} ${n}`)),
        )
    }
    await Promise.all([0, 1, 2, 3].map(write))
    for (const each of keys) {
      const history = await conversations.getHistory(each)
      const said = history.map(({ content }) => content)
      expect(said).toHaveLength(12)
      for (const writer of [0, 1, 2, 3])
        expect(said.filter((text) => text.startsWith(`${each} ${writer} `))).toEqual(
          [0, 1, 2].map((n) => `${each} ${writer} ${n}`),
        )
    }
  })

  test('[CV6] many that ask for one name at once all begin, each under its own', async () => {
    const conversations = await open(await place())
    const keys = Array.from(
      { length: 16 },
      (_, n) =>
        `a:${[...'bcde'].map((letter, bit) => ((n >> bit) & 1 ? letter.toUpperCase() : letter)).join('')}`,
    )
    await Promise.all(keys.map((each) => conversations.addMessage(each, 'user', each)))
    for (const each of keys)
      expect(await conversations.getHistory(each)).toMatchObject([{ content: each }])
    const paths = await Promise.all(keys.map((each) => conversations.save(each)))
    const kept = paths.filter((path) => path !== null)
    expect(new Set(kept.map((path) => path.toLowerCase())).size).toBe(kept.length)
  })

  test('[CV1] a history of several pages is read whole', async () => {
    const conversations = await open(await place())
    const messages = Array.from({ length: 2500 }, (_, n) => ({
      role: 'user' as const,
      content: String(n),
    }))
    await conversations.setHistory(key, messages)
    expect(await texts(conversations)).toEqual(messages.map(({ content }) => content))
  })
})

test('[CV1] save writes the file and answers its path, or none without a folder', async () => {
  const data = join(temporaryFolder(), 'mine')
  const conversations = await open({ data })
  expect(await conversations.save(key)).toBeNull()
  await conversations.addMessage(key, 'user', 'hello')
  const path = await conversations.save(key)
  expect(path).toBe(join(data, 'conversations', 'telegram_123456.json'))
  expect(JSON.parse(readFileSync(path ?? '', 'utf8'))).toMatchObject({
    key,
    messages: [{ role: 'user', content: 'hello' }],
  })
  expect(await codeOf(conversations.save('a:../../b'))).toBe('invalid_key')
  await conversations.addMessage(key, 'assistant', 'by itself')
  await conversations.close()
  expect(JSON.parse(readFileSync(path ?? '', 'utf8')).messages).toHaveLength(2)
  const shared = await open({ databaseUrl: await newPostgresStoreUrl() })
  await shared.addMessage(key, 'user', 'hello')
  expect(await shared.save(key)).toBeNull()
})

test('[CF2] the folder is its owner’s alone and refuses a second program by name', async () => {
  const data = join(temporaryFolder(), 'mine')
  const conversations = await open({ data })
  await conversations.addMessage(key, 'user', 'x')
  expect(statSync(data).mode & 0o777).toBe(0o700)
  for (const file of ['holdfast.db', 'holdfast.db-wal'])
    expect(statSync(join(data, file)).mode & 0o777, file).toBe(0o600)
  await expect(createConversations({ data })).rejects.toThrow(
    `(pid ${process.pid}) is using the data folder`,
  )
  await conversations.close()
  const again = await open({ data })
  expect(await texts(again)).toEqual(['x'])
})
