/** SP8: the newest 50 of 100,000 messages of a chat, as a door asks for them, beside one bare keyset query for the same rows. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { webKey } from '../src/domain/conversation/key.ts'
import { systemClock } from '../src/platform/clock.ts'
import { assignAgent } from '../src/services/assign-agent.ts'
import { createAgent } from '../src/services/create-agent.ts'
import { createProject } from '../src/services/create-project.ts'
import { getOrCreateConversation } from '../src/services/get-or-create-conversation.ts'
import { listMessages } from '../src/services/list-messages.ts'
import { setHistory } from '../src/services/set-history.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { flat } from './harness/verdict.ts'

const writerUrl = new URL('../src/compose/writer.ts', import.meta.url)
const by = 'bench'
const agentId = 'ann'
const readsPerRound = 300
const pageSize = 50
const writtenAtOnce = 10_000

interface Chat {
  readonly read: () => Promise<unknown>
  readonly bare: () => unknown[]
  readonly close: () => Promise<void>
}

async function openChat(folder: string, length: number): Promise<Chat> {
  const file = join(folder, `${length}.db`)
  const store = await openSqliteStore({ file, clock: systemClock, writerUrl })
  const { id: projectId } = await store.run(createProject, { name: 'bench', by })
  await store.run(createAgent, { id: agentId, name: agentId, protocol: 'mcp', by })
  await store.run(assignAgent, { projectId, agentId, by })
  const key = webKey(projectId, agentId)
  await store.run(getOrCreateConversation, { key })
  for (let written = 0; written < length; written += writtenAtOnce) {
    const messages = Array.from({ length: writtenAtOnce }, (_, nth) => ({
      role: 'user' as const,
      content: `message ${written + nth} of a conversation that goes on and on`,
    }))
    await store.run(setHistory, { key, messages, by })
  }
  const db = new DatabaseSync(file, { readOnly: true })
  // The limit as a number: a bound one is planned anew at each call, and the yardstick would be slower than it must.
  const newest = db.prepare(`select * from messages where conversation_key = ? and seq < ? order by seq desc limit ${pageSize}`)
  return {
    read: () => store.query(listMessages, { projectId, agentId, hidden: true, limit: pageSize }),
    bare: () => newest.all(key, Number.MAX_SAFE_INTEGER),
    close: async () => {
      db.close()
      await store.close()
    },
  }
}

/** Microseconds for each. */
const reads = (name: string, read: () => unknown): Contender => ({
  name,
  round: async () => {
    const from = performance.now()
    for (let nth = 0; nth < readsPerRound; nth++) await read()
    return ((performance.now() - from) * 1000) / readsPerRound
  },
})

export const history: readonly Comparison[] = [
  {
    title: '[SP8] the newest 50 of 100,000 messages',
    unit: 'µs',
    goal: { kind: 'cost', limit: 2 },
    prepare: async () => {
      const folder = benchFolder()
      const chat = await openChat(folder.path, 100_000)
      return {
        ours: reads('store.query', chat.read),
        yardstick: reads('bare keyset query', chat.bare),
        close: async () => {
          await chat.close()
          folder.remove()
        },
      }
    },
  },
  {
    title: '[SP8] the newest 50 of 100,000, beside those of 10,000',
    unit: 'µs',
    goal: flat,
    prepare: async () => {
      const folder = benchFolder()
      const chats = [await openChat(folder.path, 100_000), await openChat(folder.path, 10_000)] as const
      return {
        ours: reads('100,000 messages', chats[0].read),
        yardstick: reads('10,000 messages', chats[1].read),
        close: async () => {
          for (const chat of chats) await chat.close()
          folder.remove()
        },
      }
    },
  },
]
