/**
 * The file of a conversation: as picoclaw writes it, whole at every moment, nobody else's, and not
 * written anew for every word.
 */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { conversationFile } from '../../src/mirror/conversation-file.ts'
import { Mirror, type MirrorTarget } from '../../src/mirror/mirror.ts'
import { saveConversation } from '../../src/mirror/mirrored-files.ts'
import {
  ConversationFile,
  readConversationFile,
} from '../../src/protocol/conversations/conversation-file.ts'
import { addPerson } from '../../src/services/access/change-access.ts'
import {
  getOrCreateConversation,
  resetConversation,
  setConversationSummary,
  setFlags,
  setHistory,
} from '../../src/services/conversations/change-conversation.ts'
import { importConversation } from '../../src/services/conversations/import-conversation.ts'
import { getWholeHistory } from '../../src/services/conversations/queries.ts'
import { deleteConversation } from '../../src/services/flows/conversations/delete-conversation.ts'
import { addMessage } from '../../src/services/flows/messages/add-message.ts'
import { openChatStore } from '../services/conversations/chat-room.ts'
import { by } from '../services/projects/installation.ts'

const quiet = pino({ level: 'silent' })
const key = 'telegram:123456'

async function open() {
  const { store, clock, folder } = await openChatStore()
  let writes = 0
  const counted: MirrorTarget = {
    ...conversationFile,
    write: (place) => {
      writes++
      return conversationFile.write(place)
    },
  }
  const newMirror = () => new Mirror({ store, clock, logger: quiet, folder, targets: [counted] })
  const inFolder = (name: string) => join(folder, 'conversations', name)
  const read = async (name: string) =>
    ConversationFile.parse(JSON.parse(await readFile(inFolder(name), 'utf8')))
  const names = async () =>
    (await readdir(join(folder, 'conversations'))).filter((name) => name !== '.mirror').sort()
  const begin = (of: string) => store.run(getOrCreateConversation, { key: of })
  const say = (content: string, to = key) =>
    store.run(addMessage, { key: to, role: 'user', content, by })
  const restart = async () => {
    const mirror = newMirror()
    mirror.start()
    await mirror.flush()
    await mirror.stop()
  }
  const writesSoFar = () => writes
  return {
    store,
    clock,
    folder,
    mirror: newMirror(),
    inFolder,
    read,
    names,
    begin,
    say,
    restart,
    writesSoFar,
  }
}

test('[CV6] the file has the layout of picoclaw to the letter, and follows changes', async () => {
  const { store, clock, mirror, begin, say, inFolder, names } = await open()
  const { conversation } = await begin(key)
  await say('list "files"\n承認 🙂')
  const toolCalls = [{ id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{}' } }]
  await store.run(addMessage, { key, role: 'assistant', content: '', toolCalls, by })
  await store.run(addMessage, {
    key,
    role: 'tool',
    content: 'a.txt',
    toolCallId: 'call_1',
    media: ['m://1'],
    by,
  })
  await store.run(setConversationSummary, { key, summary: 'They want files' })
  clock.advance(60_000)
  await store.run(setFlags, {
    key,
    flags: { localOnly: true, originMessageId: 'm1', theirs: { deep: [1] } },
  })
  await mirror.flush()
  const file = {
    key,
    messages: [
      { role: 'user', content: 'list "files"\n承認 🙂' },
      { role: 'assistant', content: '', tool_calls: toolCalls },
      { role: 'tool', content: 'a.txt', tool_call_id: 'call_1', media: ['m://1'] },
    ],
    summary: 'They want files',
    flags: { local_only: true, origin_message_id: 'm1', theirs: { deep: [1] } },
    created: conversation.created,
    updated: new Date(clock.now()).toISOString(),
  }
  expect(await readFile(inFolder('telegram_123456.json'), 'utf8')).toBe(
    `${JSON.stringify(file, null, 2)}\n`,
  )
  await store.run(resetConversation, { key })
  await mirror.flush()
  const reset = { ...file, messages: [], summary: '', updated: new Date(clock.now()).toISOString() }
  expect(await readFile(inFolder('telegram_123456.json'), 'utf8')).toBe(
    `${JSON.stringify(reset, null, 2)}\n`,
  )
  expect((await stat(inFolder('telegram_123456.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(inFolder('.'))).mode & 0o777).toBe(0o700)
  await store.run(deleteConversation, { key, by })
  await mirror.flush()
  expect(await names()).toEqual([])
  expect(await readdir(inFolder('.mirror'))).toEqual([])
})

test('[CV14] each person has a name in the file; the owner and stand-ins have none', async () => {
  const { store, mirror, begin, read } = await open()
  await begin(key)
  const taro = await store.run(addPerson, { name: 'Taro', role: 'member', by })
  const said = [
    { role: 'user', content: 'from the owner', by },
    { role: 'user', content: 'from Taro', by: taro.id },
    { role: 'assistant', content: 'put in by Taro', by: taro.id },
    { role: 'user', content: 'from a channel', by: '4711' },
  ] as const
  for (const message of said) await store.run(addMessage, { key, ...message })
  await mirror.flush()
  const file = await read('telegram_123456.json')
  expect(file.messages).toEqual([
    { role: 'user', content: 'from the owner' },
    { name: 'Taro', role: 'user', content: 'from Taro' },
    { role: 'assistant', content: 'put in by Taro' },
    { name: '4711', role: 'user', content: 'from a channel' },
  ])
  // The file says nothing new to the store that wrote it.
  const piece = readConversationFile(file)
  expect(await store.run(importConversation, { ...piece, by })).toMatchObject({
    added: 0,
    alreadyThere: 4,
  })
  const other = await openChatStore()
  const again = await other.store.run(importConversation, { ...piece, by })
  expect(again.added).toBe(4)
  const kept = await other.store.query(getWholeHistory, { key })
  expect(kept.map(({ senderName }) => senderName)).toEqual([
    'user',
    'user Taro',
    'assistant',
    'user 4711',
  ])
})

test('[CV6] keys that a file system takes for one never share a file', async () => {
  const { store, mirror, begin, say, read, names } = await open()
  const alike = ['a:b_c', 'a:b:c', 'A:B_C', 'a_b:c']
  for (const each of alike) {
    await begin(each)
    await say(`in ${each}`, each)
  }
  await mirror.flush()
  const whose = async () =>
    Object.fromEntries(
      await Promise.all(
        (await names()).map(async (name) => [(await read(name)).key, name] as const),
      ),
    )
  const first = await whose()
  expect(Object.keys(first).sort()).toEqual([...alike].sort())
  expect(first['a:b_c']).toBe('a_b_c.json')
  expect(new Set(Object.values(first).map((name) => name.toLowerCase())).size).toBe(4)
  for (const name of Object.values(first)) expect((await read(name)).messages).toHaveLength(1)

  // The one with the plain name goes, another has it from now on; both happen before the files are
  // written.
  await store.run(deleteConversation, { key: 'a:b_c', by })
  await store.run(deleteConversation, { key: 'a:b:c', by })
  await begin('a:b:c')
  await mirror.flush()
  const second = await whose()
  expect(second).toEqual({
    'a:b:c': 'a_b_c.json',
    'A:B_C': first['A:B_C'],
    'a_b:c': first['a_b:c'],
  })
  expect((await read('a_b_c.json')).messages).toEqual([])
})

test('[CV6] a long file is written in pieces with longer rests; save does not wait', async () => {
  const { store, clock, folder, mirror, begin, say, read, writesSoFar } = await open()
  await begin(key)
  const messages = Array.from({ length: 1200 }, (_, n) => ({
    role: 'user' as const,
    content: `${n} ${'x'.repeat(2000)}`,
  }))
  await store.run(setHistory, { key, messages, by })
  await mirror.flush()
  expect(
    (await read('telegram_123456.json')).messages.map(({ content }) =>
      Number(content.split(' ')[0]),
    ),
  ).toEqual(messages.map((_, n) => n))
  const before = writesSoFar()
  // Two and a half MB rest for two seconds and a half.
  for (let n = 0; n < 20; n++) {
    await say(`more ${n}`)
    clock.advance(100)
  }
  expect(writesSoFar()).toBe(before)
  expect(mirror.behind).toBe(1)
  const path = await saveConversation(mirror, store, folder, key)
  expect(writesSoFar()).toBe(before + 1)
  expect(path).toBe(join(folder, 'conversations', 'telegram_123456.json'))
  expect((await read('telegram_123456.json')).messages).toHaveLength(1220)
  await say('last')
  clock.advance(1000)
  expect(writesSoFar()).toBe(before + 1)
  clock.advance(60_000)
  await mirror.flush()
  expect((await read('telegram_123456.json')).messages.at(-1)).toEqual({
    role: 'user',
    content: 'last',
  })
})

test('[CV6] a mirror writes at its start what was committed without it, no more', async () => {
  const { store, mirror, begin, say, read, restart, inFolder, names, writesSoFar } = await open()
  await begin(key)
  await begin('web:p.a')
  await begin('gone:1')
  await say('one')
  await mirror.stop()
  const written = writesSoFar()
  await restart()
  expect(writesSoFar()).toBe(written)
  await say('two')
  await store.run(deleteConversation, { key: 'gone:1', by })
  await restart()
  expect((await read('telegram_123456.json')).messages).toHaveLength(2)
  expect(await names()).toEqual(['telegram_123456.json', 'web_p.a.json'])
  await rm(inFolder('telegram_123456.json'))
  await restart()
  expect((await read('telegram_123456.json')).messages).toHaveLength(2)
  await rm(inFolder('.mirror'), { recursive: true })
  await writeFile(inFolder('telegram_123456.json'), '{"key": "tele')
  await restart()
  expect((await read('telegram_123456.json')).messages).toHaveLength(2)
})

test('[CV1] many that are saved at once, while they rest, are all written', async () => {
  const { store, folder, mirror, begin, say, read } = await open()
  const keys = Array.from({ length: 12 }, (_, n) => `slack:${n}`)
  for (const each of keys) await begin(each)
  await mirror.flush()
  for (const each of keys) await say('now', each)
  await Promise.all(keys.map((each) => saveConversation(mirror, store, folder, each)))
  for (const [n] of keys.entries()) expect((await read(`slack_${n}.json`)).messages).toHaveLength(1)
})

test('[CV1] save says when it cannot: nothing is lost, and the next one finds it', async () => {
  const { store, folder, mirror, begin, say, read } = await open()
  await begin(key)
  await say('one')
  await writeFile(join(folder, 'conversations'), 'in the way')
  await expect(saveConversation(mirror, store, folder, key)).rejects.toMatchObject({
    code: 'file_not_written',
  })
  await rm(join(folder, 'conversations'))
  await saveConversation(mirror, store, folder, key)
  expect((await read('telegram_123456.json')).messages).toEqual([{ role: 'user', content: 'one' }])
})
