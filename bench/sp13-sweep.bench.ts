/**
 * SP13: one tick of the sweeper with 100 live agent sessions and 100,000 that have ended, none of them due: what it costs every two
 * seconds for ever. The yardstick asks the same questions of the same indexes, bare. There are no pids to check here: an exit is
 * reported by whoever watches the process, not looked for.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AgentSessionSweeper } from '../src/compose/duties/agent-session-sweeper.ts'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { LastSeen } from '../src/server/agents/last-seen.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { flat } from './harness/verdict.ts'

const writerUrl = new URL('../src/compose/writer.ts', import.meta.url)
const sweepsPerRound = 300
const live = 100
const dueAtOnce = 100

interface Sweeping {
  readonly sweep: () => Promise<void>
  readonly bare: () => void
  readonly close: () => Promise<void>
}

async function openSessions(folder: string, ended: number): Promise<Sweeping> {
  const file = join(folder, `${ended}.db`)
  const store = await openSqliteStore({ file, clock: systemClock, writerUrl })
  const db = new DatabaseSync(file)
  addAgentSessions(db, 'ended', ended)
  addAgentSessions(db, 'active', live)
  const logger = createLogger({ level: 'error', format: 'json' })
  const sweeper = new AgentSessionSweeper({ store, clock: systemClock, logger, lastSeen: new LastSeen() })
  return {
    sweep: () => sweeper.round(),
    bare: bareSweep(db),
    close: async () => {
      db.close()
      await store.close()
    },
  }
}

function addAgentSessions(db: DatabaseSync, state: 'active' | 'ended', count: number): void {
  const insert = db.prepare(`insert into agent_sessions
    (id, agent_id, project_id, purpose, state, token_hash, created_at, last_activity_at, expires_at, ended_at, end_reason)
    values (?, ?, 'project', 'chat', ?, ?, ?, ?, ?, ?, ?)`)
  const now = new Date().toISOString()
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  db.exec('begin')
  for (let nth = 0; nth < count; nth++) {
    const id = `${state}-${nth}`
    const over = state === 'ended'
    insert.run(id, `agent-${nth % live}`, state, id, now, now, over ? now : inAnHour, over ? now : null, over ? 'logout' : null)
  }
  db.exec('commit')
}

function bareSweep(db: DatabaseSync): () => void {
  const ask = (what: string) =>
    `select * from (select id, agent_id, project_id from agent_sessions where ${what} limit ${dueAtOnce})`
  const due = db.prepare(
    [
      ask("state <> 'ended' and expires_at <= ? order by expires_at"),
      ask("state = 'terminating' and terminating_at <= ? order by terminating_at"),
      ask("state <> 'ended' and suspected_at is not null and suspected_at <= ? order by suspected_at"),
    ].join(' union all '),
  )
  const leftOpen = db.prepare(`select * from open_conversations where exists (select id from agent_sessions
    where id = open_conversations.agent_session_id and state = 'ended') limit ${dueAtOnce}`)
  return () => {
    const now = new Date().toISOString()
    due.all(now, now, now)
    leftOpen.all()
  }
}

/** Microseconds for each. */
const sweeps = (name: string, sweep: () => unknown): Contender => ({
  name,
  round: async () => {
    const from = performance.now()
    for (let nth = 0; nth < sweepsPerRound; nth++) await sweep()
    return ((performance.now() - from) * 1000) / sweepsPerRound
  },
})

export const sweep: readonly Comparison[] = [
  {
    title: '[SP13] a sweep with 100,000 ended and 100 live sessions',
    unit: 'µs',
    goal: { kind: 'cost', limit: 1.5 },
    prepare: async () => {
      const folder = benchFolder()
      const ours = await openSessions(folder.path, 100_000)
      return {
        ours: sweeps('the sweeper', ours.sweep),
        yardstick: sweeps('the same questions, bare', ours.bare),
        close: async () => {
          await ours.close()
          folder.remove()
        },
      }
    },
  },
  {
    title: '[SP13] a sweep with 100,000 ended sessions, beside one with 10,000',
    unit: 'µs',
    goal: flat,
    prepare: async () => {
      const folder = benchFolder()
      const [many, few] = [await openSessions(folder.path, 100_000), await openSessions(folder.path, 10_000)]
      return {
        ours: sweeps('100,000 ended', many.sweep),
        yardstick: sweeps('10,000 ended', few.sweep),
        close: async () => {
          await Promise.all([many.close(), few.close()])
          folder.remove()
        },
      }
    },
  },
]
