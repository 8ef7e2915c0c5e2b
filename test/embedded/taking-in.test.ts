/** Conversation files that are there before the store is (CV8), in a program that embeds conversations; the server does the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
  const told: string[] = []
  const listen = (warning: Error) => void told.push(warning.message)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return told
}

const inFolder = (data: string, name = '') => join(data, 'conversations', name)
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

test('[CV8] into an empty store they are taken in at start; a broken one is told, left where it is, and never fatal', async () => {
  const data = temporaryFolder()
  const told = warnings()
  writePicoclaw(inFolder(data), 'telegram_1.json', picoclawSession('telegram:1'))
  // Named after another: what is inside counts, and neither is written over before both are read.
  writePicoclaw(inFolder(data), 'slack_1.json', picoclawSession('slack:2'))
  writePicoclaw(inFolder(data), 'slack_2.json', picoclawSession('slack:1'))
  writePicoclaw(inFolder(data), 'telegram_9.json', '{"key": "telegram:9", "mess')
  const { conversations, keys } = await open(data)
  expect(await keys()).toEqual(['slack:1', 'slack:2', 'telegram:1'])
  await expect.poll(() => told).toEqual(['telegram_9.json was skipped: It is not JSON'])
  expect(await conversations.getHistory('slack:2')).toMatchObject([{ content: 'こんにちは <slack:2>' }, {}, {}, {}])
  expect(await conversations.getUpdatedTime('slack:2')).toBe('2026-02-28T09:30:00.500Z')
  expect(readFileSync(inFolder(data, 'telegram_9.json'), 'utf8')).toBe('{"key": "telegram:9", "mess')

  // Even when its name is needed.
  await conversations.addMessage('telegram:9', 'user', 'new')
  await conversations.close()
  expect(readFileSync(inFolder(data, 'telegram_9.json.aside'), 'utf8')).toBe('{"key": "telegram:9", "mess')
  expect(read(inFolder(data, 'telegram_9.json')).messages).toEqual([{ role: 'user', content: 'new' }])
  for (const key of ['slack:1', 'slack:2', 'telegram:1'])
    expect(read(inFolder(data, `${key.replace(':', '_')}.json`))).toMatchObject({ key, summary: 'They say hello' })
})
