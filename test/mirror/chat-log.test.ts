/**
 * chat.jsonl: one message a line, only ever added to, whole again after a crash at any byte, and
 * rebuilt from the database.
 */
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { chatLog } from '../../src/mirror/line-log.ts'
import { Mirror } from '../../src/mirror/mirror.ts'
import { projectFolder } from '../../src/mirror/project-folder.ts'
import { Message } from '../../src/protocol/conversations/message.ts'
import {
  getOrCreateConversation,
  resetConversation,
  setHistory,
} from '../../src/services/conversations/change-conversation.ts'
import { importConversation } from '../../src/services/conversations/import-conversation.ts'
import { deleteConversation } from '../../src/services/flows/conversations/delete-conversation.ts'
import { startChat } from '../../src/services/flows/conversations/start-chat.ts'
import { addMessage } from '../../src/services/flows/messages/add-message.ts'
import { openChatStore, openRoom } from '../services/conversations/chat-room.ts'
import { by } from '../services/projects/installation.ts'

const quiet = pino({ level: 'silent' })

async function open(agentIds?: string[]) {
  const { store, clock, folder } = await openChatStore()
  const room = await openRoom(store, agentIds)
  const newMirror = () =>
    new Mirror({ store, clock, logger: quiet, folder, targets: [projectFolder, chatLog] })
  const fileOf = (agentId = 'ann') =>
    join(folder, 'projects', room.projectId, 'agents', agentId, 'chat.jsonl')
  const read = async (agentId?: string) =>
    (await readFile(fileOf(agentId), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  const everything = async (agentId?: string) =>
    (await room.list(true, agentId)).toReversed().map(({ begunAt: _, ...message }) => message)
  /** A mirror that comes back after whatever happened while there was none. */
  const restart = async () => {
    const mirror = newMirror()
    mirror.start()
    await mirror.flush()
    await mirror.stop()
  }
  return { store, clock, folder, room, mirror: newMirror(), restart, fileOf, read, everything }
}

test('[CH7] every message is a line in order, and the file is its owner’s alone', async () => {
  const { store, room, mirror, fileOf, read, everything } = await open()
  await store.run(startChat, { projectId: room.projectId, agentId: 'ann', by })
  await room.say('one\ntwo "three" 🙂 承認', { clientId: 'c1', relatedTaskId: 't1' })
  const agentSession = await room.begin()
  await room.handOver(agentSession)
  await room.answer(agentSession, 'four')
  await mirror.flush()
  const lines = await read()
  expect(lines).toEqual(await everything())
  expect(lines.map((line) => Message.parse(line).content)).toEqual([
    'The chat was opened.',
    'one\ntwo "three" 🙂 承認',
    'four',
  ])
  expect((await stat(fileOf())).mode & 0o777).toBe(0o600)
  expect((await stat(dirname(fileOf()))).mode & 0o777).toBe(0o700)
  expect(await readdir(dirname(fileOf()))).toEqual(['chat.jsonl'])
})

test('[CH7] a file is added to: what was written before stays, byte for byte', async () => {
  const { room, clock, mirror, fileOf, read, everything } = await open()
  await room.say('first')
  await mirror.flush()
  const { ino } = await stat(fileOf())
  const before = await readFile(fileOf())
  for (let n = 0; n < 500; n++) await room.say(`m${n}`)
  clock.advance(1000)
  await mirror.flush()
  expect((await stat(fileOf())).ino).toBe(ino)
  expect((await readFile(fileOf())).subarray(0, before.length)).toEqual(before)
  expect((await read()).length).toBe(501)
  expect((await read()).map(({ seq }) => seq)).toEqual(
    [...(await read())].map(({ seq }) => seq).sort((a, b) => a - b),
  )
  expect((await everything()).length).toBe(200)
})

test('[CH7] after a crash at any byte the next start makes it whole again', async () => {
  const { room, mirror, restart, fileOf } = await open()
  for (const content of ['one', 'two 🙂']) await room.say(content)
  await mirror.stop()
  const whole = await readFile(fileOf())
  // Each one where lines, characters and the file end; in the midst of a line one is like the
  // other.
  const ends = [whole.indexOf('\n'), whole.indexOf('🙂'), whole.length]
  for (let bytes = 0; bytes <= whole.length; bytes++) {
    if (bytes % 5 !== 0 && !ends.some((end) => Math.abs(end - bytes) <= 6)) continue
    await truncate(fileOf(), bytes)
    const readable = (await readFile(fileOf(), 'utf8')).split('\n').slice(0, -1)
    expect(() => readable.map((line) => JSON.parse(line))).not.toThrow()
    await restart()
    expect(whole.equals(await readFile(fileOf())), `cut at ${bytes}`).toBe(true)
    await writeFile(fileOf(), whole)
  }
}, 180_000)

test('[CH7] a half-written last line is cut off before the next is added', async () => {
  const { room, clock, mirror, fileOf, read, everything } = await open()
  await room.say('one')
  await mirror.flush()
  await appendFile(fileOf(), '{"id":"msg_half","seq":99,"content":"half a l')
  await room.say('two')
  clock.advance(1000)
  await mirror.flush()
  expect(await read()).toEqual(await everything())
})

test('[CH7] a lost, broken, foreign or too knowing file is written anew', async () => {
  const { room, mirror, restart, fileOf } = await open()
  await room.say('one')
  await room.say('two')
  await mirror.stop()
  const whole = await readFile(fileOf(), 'utf8')
  const [first, second] = whole.split('\n') as [string, string]
  const tooMuch = JSON.stringify({ ...JSON.parse(second), seq: 7, id: 'msg_restored_away' })
  const other = JSON.stringify({ ...JSON.parse(second), id: 'msg_other' })
  for (const found of [
    undefined,
    '',
    '\n',
    'no json\n',
    `${first}\nno json\n`,
    `${whole}${tooMuch}\n`,
    `${first}\n${other}\n`,
    '\u0000'.repeat(300_000),
    `${whole}null\n`,
  ]) {
    if (found === undefined) await rm(dirname(fileOf()), { recursive: true })
    else await writeFile(fileOf(), found)
    await restart()
    expect(await readFile(fileOf(), 'utf8'), found?.slice(0, 40)).toBe(whole)
    expect(await readdir(dirname(fileOf()))).toEqual(['chat.jsonl'])
  }
})

test('[CH7] what is up to date is left alone, what was missed is found at start', async () => {
  const { room, mirror, restart, fileOf, read } = await open(['ann', 'ben'])
  await room.say('to ann')
  await room.say('to ben', { toAgentId: 'ben' })
  await mirror.stop()
  const before = await stat(fileOf('ann'))
  await room.say('more for ben', { toAgentId: 'ben' })
  await restart()
  expect((await stat(fileOf('ann'))).mtimeMs).toBe(before.mtimeMs)
  expect((await read('ben')).map(({ content }) => content)).toEqual(['to ben', 'more for ben'])
})

test('[CH7] a reset history stays in the file; a deleted conversation leaves none', async () => {
  const { store, room, clock, mirror, restart, fileOf, read } = await open()
  const contents = async () => (await read()).map(({ content }) => content)
  await room.say('one')
  await store.run(resetConversation, { key: room.key })
  await store.run(setHistory, { key: room.key, messages: [{ role: 'user', content: 'two' }], by })
  await mirror.flush()
  expect(await contents()).toEqual(['one', 'two'])
  await store.run(deleteConversation, { key: room.key, by })
  clock.advance(1000)
  await mirror.flush()
  await expect(stat(fileOf())).rejects.toThrow('ENOENT')
  await mirror.stop()
  await room.say('old')
  await restart()
  await store.run(deleteConversation, { key: room.key, by })
  await room.say('new')
  await restart()
  expect(await contents()).toEqual(['new'])
})

test('[CH7] a conversation of many pages with lines longer than a block is written', async () => {
  const { store, room, mirror, restart, fileOf } = await open()
  const messages = Array.from({ length: 450 }, (_, n) => ({
    role: 'user' as const,
    content: `${n}`.padEnd(n === 449 ? 200_000 : 10, 'é'),
  }))
  await store.run(getOrCreateConversation, { key: room.key })
  await store.run(setHistory, { key: room.key, messages, by })
  await mirror.stop()
  const whole = await readFile(fileOf())
  expect(whole.toString().trimEnd().split('\n')).toHaveLength(450)
  await truncate(fileOf(), whole.length - 100_000)
  await restart()
  expect(await readFile(fileOf())).toEqual(whole)
})

test('[CH7] only chats with agents have a file, and an invented key leads nowhere', async () => {
  const { store, folder, mirror } = await open()
  for (const key of ['telegram:1', 'web:x', 'web:UP.per', 'web:a.b.c', 'web:a b.c']) {
    await store.run(getOrCreateConversation, { key })
    await store.run(addMessage, { key, role: 'user', content: 'x', by })
  }
  const between = { messages: [{ role: 'user', content: 'x' } as const], summary: '', flags: {} }
  await store.run(importConversation, { ...between, key: 'agent:ann~ben', by, ours: true })
  await mirror.flush()
  const files = await readdir(folder, { recursive: true })
  expect(files.filter((name) => name.endsWith('.jsonl'))).toEqual([])
})

test('[CH7] a file that cannot be written holds nobody up', async () => {
  const { room, mirror, fileOf, read } = await open(['ann', 'ben'])
  await mkdir(fileOf('ann'), { recursive: true })
  await room.say('both', { toAgentId: null })
  await expect(mirror.flush()).rejects.toThrow(
    `Files of conversation:${room.key} cannot be written`,
  )
  expect((await read('ben')).map(({ content }) => content)).toEqual(['both'])
  await rm(fileOf('ann'), { recursive: true })
  await mirror.flush()
  expect((await read('ann')).map(({ content }) => content)).toEqual(['both'])
})

test('[CH7] an unreadable file keeps no other one from being found at start', async () => {
  const { room, mirror, restart, fileOf, read } = await open(['ann', 'ben'])
  await mirror.stop()
  await room.say('both', { toAgentId: null })
  await mkdir(fileOf('ann'), { recursive: true })
  await restart().catch(() => undefined)
  expect((await read('ben')).map(({ content }) => content)).toEqual(['both'])
})
