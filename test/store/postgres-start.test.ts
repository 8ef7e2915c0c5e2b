/**
 * What a PostgreSQL must be to be used, what is said when it is not, and what is settled for each
 * connection.
 */

import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { epochMs } from '../../src/domain/instant.ts'
import { projectStream } from '../../src/domain/stream-name.ts'
import { PostgresConnection } from '../../src/store/postgres/connection.ts'
import { connectionOptions } from '../../src/store/postgres/connection-options.ts'
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts'
import { PostgresPool } from '../../src/store/postgres/pool.ts'
import { defineQuery } from '../../src/store/store.ts'
import {
  newPostgresDatabase,
  newPostgresStoreUrl,
  newPostgresUrl,
  startOwnPostgres,
  usePostgres,
} from '../support/postgres.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { failureOf } from '../support/start-failure.ts'
import { countUp, createRow } from './use-cases.ts'

usePostgres()

const change = (
  url: string,
  to: Partial<Record<'password' | 'pathname' | 'port' | 'username', string>>,
): string => Object.assign(new URL(url), to).href

async function sql(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

describe('a PostgreSQL that would lose what it acknowledged is refused, with what to do', () => {
  test('[RE2] fsync or full_page_writes off, also when it was on at the start', async () => {
    const { url } = await startOwnPostgres()
    const store = await openPostgres({ url, patienceMs: 1000 })
    for (const setting of ['fsync', 'full_page_writes']) {
      await sql(url, `alter system set ${setting} = off`, 'select pg_reload_conf()')
      await expect
        .poll(async () => (await sql(url, `show ${setting}`))[0])
        .toEqual({ [setting]: 'off' })
      const failure = await failureOf(openPostgresStore({ url }))
      expect(failure.message).toContain(`${setting} off`)
      expect(failure.next).toContain(`${setting} = on`)
      // A connection made before is not asked again; every new one is.
      await sql(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
      )
      await expect(store.run(countUp, { id: 'a' })).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining(`${setting} off`),
      })
      await sql(url, `alter system reset ${setting}`, 'select pg_reload_conf()')
      await expect
        .poll(() =>
          store.run(countUp, { id: setting }).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true)
    }
  }, 60_000)

  test('[RE2] a synchronous_commit of off is set to on; anything stronger stays', async () => {
    const url = await newPostgresDatabase()
    const [{ name } = {}] = await sql(url, 'select current_database() as name')
    const settings = async (): Promise<unknown> => {
      const store = await openPostgres({ url, poolSize: 1 })
      return store.read(async (reader) => {
        const [row] = await reader.query((db) =>
          db.selectNoFrom((eb) =>
            eb.fn<string>('current_setting', [eb.val('synchronous_commit')]).as('value'),
          ),
        )
        return row?.value
      })
    }
    await sql(url, `alter database ${name} set synchronous_commit = off`)
    expect(await settings()).toBe('on')
    await sql(url, `alter database ${name} set synchronous_commit = remote_apply`)
    expect(await settings()).toBe('remote_apply')
  })

  test('[CF3] a database that cannot hold all text', async () => {
    const url = await newPostgresDatabase(`encoding 'LATIN1' locale 'C' template template0`)
    const failure = await failureOf(openPostgresStore({ url }))
    expect(failure.message).toContain('LATIN1')
    expect(failure.next).toContain('UTF8')
  })
})

describe('a DATABASE_URL that does not lead to a database', () => {
  test('[CF3] a wrong password, database or URL is said at once without the password', async () => {
    const url = await newPostgresUrl()
    const failures = [
      await failureOf(openPostgresStore({ url: change(url, { password: 'hunter2' }) })),
      await failureOf(openPostgresStore({ url: change(url, { pathname: '/nowhere' }) })),
      await failureOf(openPostgresStore({ url: 'postgres://me:hunter2@[bad/db' })),
      await failureOf(openPostgresStore({ url: 'mysql://me:hunter2@localhost/db' })),
      await failureOf(openPostgresStore({ url: 'postgres://me:hunter2@localhost' })),
    ]
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/does not let us in/),
      expect.stringMatching(/no such database.*nowhere/),
      expect.stringMatching(/cannot be read/),
      expect.stringMatching(/cannot be read/),
      expect.stringMatching(/names no database/),
    ])
    const { password } = new URL(url)
    for (const failure of failures) {
      const everything = `${failure.stack} ${failure.next} ${JSON.stringify(failure, Object.getOwnPropertyNames(failure))}`
      expect(everything).not.toContain('hunter2')
      expect(everything).not.toContain(password)
    }
  })

  test('[CF3] a schema that is not there', async () => {
    const url = new URL(await newPostgresUrl())
    url.searchParams.set('options', '-c search_path=missing')
    expect((await failureOf(openPostgresStore({ url: url.href }))).next).toContain('create schema')
  })

  test('[CF3] one that is away is waited for, with words, and not for ever', async () => {
    const url = change(await newPostgresUrl(), { port: '1' })
    const said: string[] = []
    const failure = await failureOf(
      openPostgresStore({ url, waitMs: 500, onWaiting: (message) => said.push(message) }),
    )
    expect(said).toEqual([
      expect.stringMatching(/^Waiting for PostgreSQL at 127\.0\.0\.1:1\/postgres: .*ECONNREFUSED/),
    ])
    expect(failure.message).toContain('did not come within 0.5 s')
  })

  test('[CF3] one that comes late is used when it comes', async () => {
    const server = await startOwnPostgres()
    await server.stop('SIGINT')
    const waiting = Promise.withResolvers<void>()
    const opening = openPostgres({ url: server.url, onWaiting: () => waiting.resolve() })
    await waiting.promise
    await server.start()
    expect(await (await opening).run(countUp, { id: 'a' })).toEqual({ count: 1, seq: 1 })
  }, 60_000)

  test('[RE10] a database of a newer version is refused and left as it is', async () => {
    const url = await newPostgresUrl()
    await (await openPostgresStore({ url })).close()
    await sql(url, `update meta set value = '999' where key = 'schema_version'`)
    await expect(openPostgresStore({ url })).rejects.toThrow('schema version 999')
    expect(await sql(url, `select value from meta where key = 'schema_version'`)).toEqual([
      { value: '999' },
    ])
  })
})

describe('what is the same whatever the database is set to', () => {
  test('[SC2] names sort byte by byte, as in SQLite and not as the locale would', async () => {
    const store = await openPostgres({ url: await newPostgresStoreUrl() })
    const ids = ['b', 'A', 'a', 'Z', '_', 'é', 'z', '0', '設']
    for (const id of ids) await store.run(countUp, { id })
    const names = (await store.streamsAfter('', 100)).map(({ name }) => name)
    expect(names).toEqual(ids.map(projectStream).sort())
    expect((await store.streamsAfter('project:Z', 2)).map(({ name }) => name)).toEqual([
      'project:_',
      'project:a',
    ])
  })

  test('[SC2] every column of text in every table compares byte by byte', async () => {
    const url = await newPostgresStoreUrl()
    await openPostgres({ url })
    const others = `select table_name, column_name from information_schema.columns
      where table_schema = current_schema() and data_type = 'text' and collation_name is distinct from 'C'`
    expect(await sql(url, others)).toEqual([])
  })

  test("[SC1] the time of events is the database's, not the node's", async () => {
    const url = await newPostgresStoreUrl()
    const store = await openPostgres({ url })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2001-01-01T00:00:00Z') })
    try {
      const { now } = await store.run(createRow, { id: 'a' })
      const [{ server } = {}] = await sql(
        url,
        'select extract(epoch from clock_timestamp()) * 1000 as server',
      )
      expect(Math.abs(Number(server) - epochMs(now))).toBeLessThan(10_000)
      const asked = await store.query(
        defineQuery('now', {
          scope: 'server',
          on: 'nobody',
          run: async (_reader, _input: null, context) => context.now,
        }),
        null,
      )
      expect(Math.abs(Number(server) - epochMs(asked))).toBeLessThan(10_000)
    } finally {
      vi.useRealTimers()
    }
  })

  test('[RE10] a table that a newer node has changed is read on, prepared anew', async () => {
    const url = await newPostgresUrl()
    const store = await openPostgres({ url, poolSize: 1 })
    await store.run(countUp, { id: 'a' })
    await store.run(countUp, { id: 'a' })
    await sql(url, `alter table projects add column more text not null default 'x'`)
    expect(await store.run(countUp, { id: 'a' })).toEqual({ count: 3, seq: 3 })
  })

  test('[SC2] a transaction that failed leaves nothing behind on its connection', async () => {
    const url = await newPostgresStoreUrl()
    const store = await openPostgres({ url, poolSize: 1 })
    await store.run(createRow, { id: 'a' })
    // The second insert of the same row is refused by its key each time it is run.
    await expect(store.run(createRow, { id: 'a' })).rejects.toMatchObject({ code: 'busy' })
    await expect(
      store.read(async (reader) =>
        reader.query((db) => db.selectFrom('projects').select('nonsense' as 'id')),
      ),
    ).rejects.toThrow('42703')
    expect(await store.run(countUp, { id: 'a' })).toEqual({ count: 1, seq: 2 })
    expect(
      await sql(
        url,
        `select count(*)::int as open from pg_stat_activity where state like 'idle in transaction%' and query like '%hf_%'`,
      ),
    ).toEqual([{ open: 0 }])
  })

  test('[OP1] whoever waits for the one connection is told busy, then served', async () => {
    const url = await newPostgresUrl()
    // As long as it takes to connect; hardly any for who comes while it is kept.
    const options = {
      size: 1,
      patienceMs: 60_000,
      open: () => PostgresConnection.open(connectionOptions(url)),
    }
    const pool = new PostgresPool(options)
    const kept = await pool.acquire()
    options.patienceMs = 1
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'busy' })
    options.patienceMs = 60_000
    const waits = pool.acquire()
    pool.release(kept)
    expect(await (await waits).execute({ sql: 'select 1 as one', values: [] })).toEqual([
      { one: 1 },
    ])
    pool.release(kept)
    await pool.close()
  })
})
