/**
 * SP8: the newest 50 of 100,000 messages of a chat, as an endpoint asks for them, beside one bare
 * keyset query for the same rows.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { webKey } from '../src/domain/conversations/key.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import { createAgent } from '../src/services/agents/change-agent.ts'
import {
  getOrCreateConversation,
  setHistory,
} from '../src/services/conversations/change-conversation.ts'
import { listMessages } from '../src/services/conversations/queries.ts'
import { assignAgent, createProject } from '../src/services/projects/change-project.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts'
import { type Grown, growing } from './harness/growing.ts'

const writerUrl = new URL('../src/compose/writer.ts', import.meta.url)
const by = 'bench'
const agentId = 'ann'
const pageSize = 50
const writtenAtOnce = 10_000

async function openChat(folder: string, length: number): Promise<Grown> {
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
  // The limit as a number: a bound one is planned anew at each call, and the yardstick would be
  // slower than it must.
  const newest = db.prepare(
    `select * from messages where conversation_key = ? and seq < ? order by seq desc limit ${pageSize}`,
  )
  return {
    ours: () => store.query(listMessages, { projectId, agentId, hidden: true, limit: pageSize }),
    bare: () => newest.all(key, Number.MAX_SAFE_INTEGER),
    close: async () => {
      db.close()
      await store.close()
    },
  }
}

export const history = growing({
  timesPerRound: 300,
  open: openChat,
  besideBare: {
    title: '[SP8] the newest 50 of 100,000 messages',
    size: 100_000,
    limit: 2,
    ours: 'store.query',
    yardstick: 'bare keyset query',
  },
  besideLess: {
    title: '[SP8] the newest 50 of 100,000, beside those of 10,000',
    more: 100_000,
    less: 10_000,
    of: 'messages',
  },
})
