/**
 * Conversation files that are there before the store is (CV8), in a program that embeds
 * conversations; the server does the same.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createConversations } from '../../src/library.ts'
import { picoclawSession, writePicoclaw } from '../support/picoclaw.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function open(data: string) {
  const conversations = await createConversations({ data })
  onTestFinished(() => conversations.close())
  const keys = async () => (await conversations.list()).items.map(({ key }) => key).sort()
  return { conversations, keys }
}

function warnings(): string[] {
  const received: string[] = []
  const listen = (warning: Error) => void received.push(warning.message)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return received
}

const inFolder = (data: string, name = '') => join(data, 'conversations', name)
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

test('[CV8] an empty store takes files in at start; a broken one stays and is told', async () => {
  const data = temporaryFolder()
  const received = warnings()
  writePicoclaw(inFolder(data), 'telegram_1.json', picoclawSession('telegram:1'))
  // Named after another: what is inside counts, and neither is written over before both are read.
  writePicoclaw(inFolder(data), 'slack_1.json', picoclawSession('slack:2'))
  writePicoclaw(inFolder(data), 'slack_2.json', picoclawSession('slack:1'))
  writePicoclaw(inFolder(data), 'telegram_9.json', '{"key": "telegram:9", "mess')
  const { conversations, keys } = await open(data)
  expect(await keys()).toEqual(['slack:1', 'slack:2', 'telegram:1'])
  await expect.poll(() => received).toEqual(['telegram_9.json was skipped: It is not JSON'])
  expect(await conversations.getHistory('slack:2')).toMatchObject([
    { content: 'こんにちは <slack:2>' },
    {},
    {},
    {},
  ])
  expect(await conversations.getUpdatedTime('slack:2')).toBe('2026-02-28T09:30:00.500Z')
  expect(readFileSync(inFolder(data, 'telegram_9.json'), 'utf8')).toBe(
    '{"key": "telegram:9", "mess',
  )

  // Even when its name is needed.
  await conversations.addMessage('telegram:9', 'user', 'new')
  await conversations.close()
  expect(readFileSync(inFolder(data, 'telegram_9.json.aside'), 'utf8')).toBe(
    '{"key": "telegram:9", "mess',
  )
  expect(read(inFolder(data, 'telegram_9.json')).messages).toEqual([
    { role: 'user', content: 'new' },
  ])
  for (const key of ['slack:1', 'slack:2', 'telegram:1'])
    expect(read(inFolder(data, `${key.replace(':', '_')}.json`))).toMatchObject({
      key,
      summary: 'They say hello',
    })
})

test('[CV12] fields and roles of other programs are kept and written again', async () => {
  const data = temporaryFolder()
  const messages = [
    { role: 'developer', content: 'Be brief', name: 'rules' },
    { role: 'user', content: 'hello', reasoning: { deep: [1, null] }, id: 7 },
    { role: 'assistant', content: 'hi' },
  ]
  const theirs = { token_usage: { total: 12 }, model: 'gpt' }
  writePicoclaw(inFolder(data), 'telegram_1.json', {
    ...picoclawSession('telegram:1', { messages }),
    ...theirs,
  })
  const { conversations } = await open(data)
  expect(await conversations.getHistory('telegram:1')).toMatchObject([
    { role: 'system', content: 'Be brief', extra: { role: 'developer', name: 'rules' } },
    { role: 'user', content: 'hello', extra: { reasoning: { deep: [1, null] }, id: 7 } },
    { role: 'assistant', content: 'hi', extra: null },
  ])
  await conversations.setHistory('telegram:1', await conversations.getHistory('telegram:1'))
  const file = (await conversations.save('telegram:1')) ?? ''
  expect(read(file)).toMatchObject({ key: 'telegram:1', messages, ...theirs })
})

test('[DC10] a folder closed over the boundary has its day closed like a server’s', async () => {
  const data = temporaryFolder()
  const { conversations: before } = await open(data)
  await before.addMessage('telegram:1', 'user', 'yesterday')
  await before.setSummary('telegram:1', 'About yesterday')
  const day = (await before.getDays('telegram:1')).items[0]?.day ?? ''
  await before.close()
  const database = new DatabaseSync(join(data, 'holdfast.db'))
  database.exec("update conversations set chapter_due_at = '2026-01-01T00:00:00.000Z'")
  database.close()
  const { conversations } = await open(data)
  const note = join(
    data,
    'workspace',
    'memory',
    day.replaceAll('-', '').slice(0, 6),
    `${day.replaceAll('-', '')}.md`,
  )
  await expect.poll(() => existsSync(note), { timeout: 30_000 }).toBe(true)
  expect(readFileSync(note, 'utf8')).toBe(await conversations.getNote(day))
  expect(await conversations.getNote(day)).toMatch(/About yesterday[\s\S]*> yesterday/)
  expect([
    await conversations.getHistory('telegram:1'),
    await conversations.getSummary('telegram:1'),
  ]).toEqual([[], ''])
  expect((await conversations.getDay('telegram:1', day)).map(({ content }) => content)).toEqual([
    'yesterday',
  ])
  expect((await conversations.getDays('telegram:1')).items).toMatchObject([
    { day, state: 'closed', summary: 'About yesterday' },
  ])
  expect([
    await conversations.getDay('telegram:1', '2020-01-01'),
    await conversations.getNote('2020-01-01'),
  ]).toEqual([[], null])
})

test('[DC10] hour and zone are given and refused in the same words as a server’s', async () => {
  const data = temporaryFolder()
  const conversations = await createConversations({
    data,
    cutover: { hour: 'off', timezone: 'local' },
  })
  onTestFinished(() => conversations.close())
  await conversations.addMessage('telegram:1', 'user', 'x')
  expect(await conversations.cutOver('telegram:1')).toMatchObject({ cut: false })
  await expect(conversations.addMessage('console:1.a', 'user', 'x')).rejects.toMatchObject({
    code: 'invalid_key',
  })
  expect(await conversations.cutOver('telegram:9')).toEqual({ cut: false, day: null })
  await conversations.close()
  const database = new DatabaseSync(join(data, 'holdfast.db'))
  expect(database.prepare('select chapter_due_at as due from conversations').all()).toEqual([
    { due: null },
  ])
  database.close()
  for (const cutover of [{ hour: 24 }, { timezone: 'Mars/Olympus' }])
    await expect(createConversations({ data, cutover })).rejects.toMatchObject({
      code: 'invalid_request',
    })
})
