/** When conversation files are taken in at start, and when not (CV8). */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { conversationFile } from '../../src/mirror/conversation-file.ts'
import { chatLog } from '../../src/mirror/line-log.ts'
import { Mirror } from '../../src/mirror/mirror.ts'
import { importAtStart } from '../../src/offline/import-conversations.ts'
import { getOrCreateConversation } from '../../src/services/conversations/change-conversation.ts'
import { getWholeHistory, listConversations } from '../../src/services/conversations/queries.ts'
import { deleteConversation } from '../../src/services/flows/conversations/delete-conversation.ts'
import { takePastPiece } from '../../src/services/flows/imports/take-past-piece.ts'
import { addMessage } from '../../src/services/flows/messages/add-message.ts'
import { by } from '../services/projects/installation.ts'
import { picoclawSession, writePicoclaw } from '../support/picoclaw.ts'
import { openTestStore } from '../support/store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** As a server starts: what is there is taken in, then the files follow the store. */
async function start(data: string) {
  const { store, clock } = await openTestStore({ folder: data })
  const received: string[] = []
  await importAtStart(store, data, (file) => void received.push(file))
  const mirror = new Mirror({
    store,
    clock,
    logger: pino({ level: 'silent' }),
    folder: data,
    targets: [chatLog, conversationFile],
  })
  mirror.start()
  await mirror.flush()
  const stop = async () => {
    await mirror.stop()
    await store.close()
  }
  onTestFinished(() => mirror.stop())
  const keys = async () =>
    (await store.query(listConversations, { viewer: null, limit: 200 })).items
      .map(({ key }) => key)
      .sort()
  const texts = async (key: string) =>
    (await store.query(getWholeHistory, { key })).map(({ content }) => content)
  const say = async (key: string, content: string) => {
    await store.run(getOrCreateConversation, { key })
    await store.run(addMessage, { key, role: 'user', content, by })
  }
  return { store, mirror, received, stop, keys, texts, say }
}

const inFolder = (data: string, name = '') => join(data, 'conversations', name)

test('[CV8] a store that ever held anything takes nothing in: deletions stay', async () => {
  const data = temporaryFolder()
  const first = await start(data)
  await first.say('telegram:1', 'x')
  await first.mirror.flush()
  const text = readFileSync(inFolder(data, 'telegram_1.json'), 'utf8')
  await first.store.run(deleteConversation, { key: 'telegram:1', by })
  await first.stop()
  expect(existsSync(inFolder(data, 'telegram_1.json'))).toBe(false)
  writeFileSync(inFolder(data, 'telegram_1.json'), text)
  writePicoclaw(inFolder(data), 'telegram_2.json', picoclawSession('telegram:2'))
  const second = await start(data)
  expect(await second.keys()).toEqual([])
  expect(existsSync(inFolder(data, 'telegram_2.json'))).toBe(true)
})

test('[CV8] taking in that was interrupted goes on at the next start', async () => {
  const data = temporaryFolder()
  writePicoclaw(inFolder(data), 'telegram_1.json', picoclawSession('telegram:1'))
  const first = await start(data)
  await first.stop()
  // As a crash would have left it: one of two is in, the mark stands.
  writePicoclaw(inFolder(data), 'telegram_2.json', picoclawSession('telegram:2'))
  writeFileSync(inFolder(data, '.taking-in'), '')
  const second = await start(data)
  expect(await second.keys()).toEqual(['telegram:1', 'telegram:2'])
  expect(await second.texts('telegram:1')).toHaveLength(4)
  expect(readdirSync(inFolder(data))).not.toContain('.taking-in')
})

test('[CV8] after the database is lost, the files bring back what agents were handed', async () => {
  const data = temporaryFolder()
  const first = await start(data)
  const keys = ['a:b_c', 'a:b:c', 'A:b_c', 'web:p.a']
  for (const key of keys) await first.say(key, `in ${key}`)
  await first.stop()
  for (const name of readdirSync(data).filter((each) => each.startsWith('holdfast.db')))
    rmSync(join(data, name))
  // The file holds more than agents were handed: it is kept.
  const log = join(data, 'projects', 'p', 'agents', 'a', 'chat.jsonl')
  mkdirSync(join(log, '..'), { recursive: true })
  writeFileSync(log, '{"seq":1,"id":"older"}\n')
  writePicoclaw(inFolder(data), 'torn.json', '{')
  const second = await start(data)
  expect(second.received).toEqual(['torn.json'])
  expect(await second.keys()).toEqual([...keys].sort())
  for (const key of keys) expect(await second.texts(key)).toEqual([`in ${key}`])
  await second.stop()
  expect(readdirSync(inFolder(data)).filter((name) => name !== '.mirror')).toHaveLength(
    keys.length + 1,
  )
  expect(readFileSync(`${log}.aside`, 'utf8')).toContain('older')
})

test('[IM7] a session that is one person’s alone is so again when the database is lost', async () => {
  const data = temporaryFolder()
  const first = await start(data)
  const none = { folder: null, branch: null, version: null, forkOf: null, machine: null }
  const about = { title: 'Old', archived: false, updatedAt: '2026-01-02T03:04:05.000Z' } as const
  const turn = {
    id: 't1',
    prompt: 'my secret',
    media: [],
    startedAt: about.updatedAt,
    endedAt: about.updatedAt,
    model: null,
    updates: [{ kind: 'text', text: 'kept' }],
    end: 'answered',
    error: null,
    denied: [],
    takenBack: false,
  } as const
  const { key } = await first.store.run(takePastPiece, {
    source: { agent: 'claude', id: 'old', ...none, ...about },
    turns: [{ ...turn, media: [], updates: [...turn.updates], denied: [] }],
    mark: null,
    named: false,
    by: 'ann',
    route: { projectId: null, agentId: null, canResume: false },
  })
  await first.say('telegram:1', 'for all')
  await first.stop()
  for (const name of readdirSync(data).filter((each) => each.startsWith('holdfast.db')))
    rmSync(join(data, name))
  const second = await start(data)
  const seenBy = async (viewer: string) =>
    (await second.store.query(listConversations, { viewer, limit: 200 })).items
      .map((each) => each.key)
      .sort()
  expect(await second.keys()).toEqual([key, 'telegram:1'].sort())
  expect(await seenBy('ann')).toEqual([key, 'telegram:1'].sort())
  expect(await seenBy('bob')).toEqual(['telegram:1'])
  expect(await second.texts(key ?? '')).toEqual(['my secret', 'kept'])
})
