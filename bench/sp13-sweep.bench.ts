/**
 * SP13: one tick of the sweeper with 100 live agent sessions and 100,000 that have ended, none of
 * them due: what it costs every two seconds for ever. The yardstick asks the same questions of the
 * same indexes, bare. There are no pids to check here: an exit is reported by the program that
 * watches the process, not looked for.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dueAgentSessions } from '../src/jobs/due-agent-sessions.ts'
import { handleDue } from '../src/jobs/due-work.ts'
import { Hearing } from '../src/jobs/hearing.ts'
import { forEachSettled } from '../src/platform/for-each-settled.ts'
import { createLogger } from '../src/platform/log/logger.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import { LastSeen } from '../src/server/agent-sessions/agent-calls.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts'
import { type Grown, growing } from './harness/growing.ts'

const writerUrl = new URL('../src/compose/writer.ts', import.meta.url)
const live = 100
const dueAtOnce = 100

async function openSessions(folder: string, ended: number): Promise<Grown> {
  const file = join(folder, `${ended}.db`)
  const store = await openSqliteStore({ file, clock: systemClock, writerUrl })
  const db = new DatabaseSync(file)
  addAgentSessions(db, 'ended', ended)
  addAgentSessions(db, 'active', live)
  const logger = createLogger({ level: 'error', format: 'json' })
  const tools = { clock: systemClock, logger }
  const hearing = new Hearing({ store, ...tools })
  const works = dueAgentSessions({ store, logger, lastSeen: new LastSeen() })
  return {
    ours: () => forEachSettled(works, (work) => handleDue(work, { ...tools, hearing })),
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
    insert.run(
      id,
      `agent-${nth % live}`,
      state,
      id,
      now,
      now,
      over ? now : inAnHour,
      over ? now : null,
      over ? 'logout' : null,
    )
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
      ask(
        "state <> 'ended' and suspected_at is not null and suspected_at <= ? order by suspected_at",
      ),
    ].join(' union all '),
  )
  const leftOpen =
    db.prepare(`select * from open_conversations where exists (select id from agent_sessions
    where id = open_conversations.agent_session_id and state = 'ended') limit ${dueAtOnce}`)
  return () => {
    const now = new Date().toISOString()
    due.all(now, now, now)
    leftOpen.all()
  }
}

export const sweep = growing({
  // A round of three hundred is over before it is compiled.
  timesPerRound: 3000,
  open: openSessions,
  besideBare: {
    title: '[SP13] a sweep with 100,000 ended and 100 live sessions',
    size: 100_000,
    limit: 1.5,
    ours: 'the sweeper',
    yardstick: 'the same questions, bare',
  },
  besideLess: {
    title: '[SP13] a sweep with 100,000 ended sessions, beside one with 10,000',
    more: 100_000,
    less: 10_000,
    of: 'ended',
  },
})
