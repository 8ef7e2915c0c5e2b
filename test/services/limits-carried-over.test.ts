/** AG6: a folder of the build before, with agents at their vendor's limit in a role and in a chat, goes on as it was wished there. */
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Dialect } from '../../src/store/dialect.ts'
import { createMeta } from '../../src/store/meta.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { connectionOptions } from '../../src/store/postgres/connection-options.ts'
import { MigratingConnection } from '../../src/store/postgres/migrating-connection.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'
import { type EngineName, engines } from '../support/either-store.ts'
import { newPostgresUrl, usePostgres } from '../support/postgres.ts'

usePostgres()

interface Database {
  readonly dialect: Dialect
  readonly run: (sql: string) => Promise<Record<string, unknown>[]>
}

async function emptyDatabase(engine: EngineName): Promise<Database> {
  if (engine === 'SQLite') {
    const db = new DatabaseSync(':memory:')
    onTestFinished(() => db.close())
    return { dialect: sqliteDialect, run: async (sql) => db.prepare(sql).all() }
  }
  const connection = await MigratingConnection.open(connectionOptions(await newPostgresUrl()))
  onTestFinished(() => connection.end())
  return { dialect: connection.dialect, run: (sql) => connection.execute({ sql, values: [] }) }
}

const at = '2026-03-01T09:00:00.000Z'
const until = '2026-03-01T12:00:00.000Z'

/** A row of any table of an earlier build: what is not given is empty. */
async function insert({ dialect, run }: Database, table: string, given: Record<string, unknown>): Promise<void> {
  const columns =
    dialect.name === 'sqlite'
      ? await run(`select name, type, "notnull" as needed from pragma_table_info('${table}')`)
      : await run(
          `select column_name as name, data_type as type, case is_nullable when 'NO' then 1 else 0 end as needed
           from information_schema.columns where table_name = '${table}' and table_schema = current_schema()`,
        )
  const row: Record<string, unknown> = {}
  for (const { name, type, needed } of columns) if (Number(needed)) row[String(name)] = /int/i.test(String(type)) ? 0 : ''
  const all = Object.entries({ ...row, ...given })
  const values = all.map(([, value]) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)))
  await run(`insert into ${table} (${all.map(([name]) => name).join(', ')}) values (${values.join(', ')})`)
}

test.each(engines)(
  '[AG6] limits of the build before are carried over to their contexts, with what met them parked: %s',
  async (engine) => {
    const db = await emptyDatabase(engine)
    const migrate = async (wanted: (version: number) => boolean) => {
      for (const { version, statements } of migrations)
        if (wanted(version)) for (const sql of statements(db.dialect)) await db.run(sql)
    }
    await db.run(createMeta(db.dialect))
    await migrate((version) => version <= 22)
    const limit = { limited_until: until, goes_on_by: 'ann', goes_on_left: 3 }
    const inRole = { user_session_id: 'us', project_id: 'p', agent_id: 'coder', launch_id: 'l', offers: '{}', created_at: at }
    await insert(db, 'role_agents', { ...inRole, id: 'ra', role: 'a.b', state: 'ACTIVE', ...limit, limited_turn_id: 't1' })
    await insert(db, 'role_agents', { ...inRole, id: 'gone', role: 'old', state: 'TERMINATED', ...limit, limited_turn_id: 't0' })
    const prompt = {
      user_session_id: 'us',
      project_id: 'p',
      agent_id: 'coder',
      about: 'prompt',
      state: 'failed',
      asked_by: 'ann',
    }
    const content = JSON.stringify([{ type: 'text', text: 'first' }])
    const key = 'console:us.a%2Eb'
    await insert(db, 'turns', {
      ...prompt,
      id: 't1',
      conversation_key: key,
      role: 'a.b',
      role_agent_id: 'ra',
      content,
      created_at: at,
    })
    await insert(db, 'turns', {
      ...prompt,
      id: 't0',
      conversation_key: 'console:us.old',
      role: 'old',
      role_agent_id: 'gone',
      content,
    })
    const chat = { conversation_key: 'telegram:42', project_id: 'p', agent_id: 'coder' }
    const held = JSON.stringify([7, 12].map((seq) => ({ seq, priority_rank: 1, created_at: at, chars: 3 })))
    await insert(db, 'chat_limits', { ...chat, held, limited_until: until, goes_on_left: 0 })
    await insert(db, 'turns', { ...chat, id: 't2', about: 'chat', state: 'failed', content, created_at: at, ended_at: at })
    for (const [seq, said] of [
      [2, 'answered before'],
      [7, 'say "one"'],
      [12, 'and two'],
    ] as const)
      await insert(db, 'messages', { conversation_key: 'telegram:42', seq, id: `m${seq}`, content: said, created_at: at })
    await migrate((version) => version > 22)

    const columns = 'conversation_key, state, limited_until, limited_turn_id, goes_on_by, goes_on_left'
    const contexts = await db.run(`select ${columns} from contexts where limited_until is not null order by conversation_key`)
    expect(contexts.map((row) => ({ ...row, goes_on_left: Number(row['goes_on_left']) }))).toEqual([
      { conversation_key: key, state: 'asleep', limited_turn_id: 't1', ...limit },
      {
        ...{ conversation_key: 'telegram:42', state: 'asleep', limited_until: until, limited_turn_id: 't2' },
        ...{ goes_on_by: null, goes_on_left: 0 },
      },
    ])
    const parked = await db.run(
      "select conversation_key, role_agent_id, retry_of, not_before, content from turns where state = 'queued' order by conversation_key",
    )
    expect(parked.map((row) => ({ ...row, content: JSON.parse(String(row['content'])) }))).toEqual([
      {
        conversation_key: key,
        role_agent_id: 'ra',
        retry_of: 't1',
        not_before: until,
        content: [{ type: 'text', text: 'first' }],
      },
      {
        ...{ conversation_key: 'telegram:42', role_agent_id: null, retry_of: 't2', not_before: until },
        content: [{ type: 'text', text: 'say "one"\n\nand two' }],
      },
    ])
  },
)
