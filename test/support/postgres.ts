/**
 * A real PostgreSQL for tests. One server is shared by all workers of a run and started by the
 * first that needs it; each test gets a schema or a database of its own in it. A test that stops
 * and starts PostgreSQL gets a server to itself. When there is no PostgreSQL for this platform the
 * test fails and says so; it is never skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { beforeAll, onTestFinished } from 'vitest'
import type { Address } from './postgres-cluster.ts'
import { clearLeftovers, ownerOf, prefix } from './postgres-leftovers.ts'
import type { RunnerReply, RunnerRequest } from './postgres-runner.ts'

const readyMs = 60_000
const pollMs = 25
/** More is dropped sooner than it is deleted. */
const maxBytesEmptied = 4 * 1024 * 1024
const runnerFile = fileURLToPath(new URL('./postgres-runner.ts', import.meta.url))
/**
 * The run says where (scripts/test.ts). Root's own TMPDIR may be closed to the user that PostgreSQL
 * then runs as.
 */
const parent = process.env['TEST_POSTGRES_FOLDER'] ?? (process.getuid?.() === 0 ? '/tmp' : tmpdir())

const urlOf = ({ port, password }: Address, database: string): string =>
  `postgres://holdfast:${password}@127.0.0.1:${port}/${database}`

let shared: Promise<Address> | undefined
let made = 0
let administrator: pg.Pool | undefined
const emptiedSchemas: string[] = []

/** Short names that no other worker of the run makes. */
const newName = (): string => `t${process.pid}_${++made}`

/**
 * For the top of a test file: the server is started before the first test's time begins to count.
 */
export const usePostgres = (): void => beforeAll(async () => void (await sharedServer()), readyMs)

/**
 * An empty schema in the shared server, as the URL a server would be given. Gone when the test
 * ends.
 */
export async function newPostgresUrl(): Promise<string> {
  const address = await sharedServer()
  const { name, url } = await newSchema(address)
  onTestFinished(async () => void (await administer(address, `drop schema ${name} cascade`)))
  return url
}

/**
 * A schema for a store that the test opens at once: one that has held another test's before,
 * emptied, when there is one, for the tables of a store cost more than most tests. Not for a test
 * that changes the tables themselves, or that cuts connections: what was under way on them may come
 * in late.
 */
export async function newPostgresStoreUrl(): Promise<string> {
  const address = await sharedServer()
  const emptied = emptiedSchemas.pop()
  const { name, url } = emptied ? schemaAt(address, emptied) : await newSchema(address)
  onTestFinished(async () => {
    if (await emptyStore(address, name)) emptiedSchemas.push(name)
    else await administer(address, `drop schema ${name} cascade`)
  })
  return url
}

/**
 * Leaves another store with nothing in it. False when it is not worth it: no store was opened, or
 * much is in it.
 */
async function emptyStore(address: Address, schema: string): Promise<boolean> {
  const [found] = await administer(
    address,
    `select sum(pg_relation_size(oid) + case reltoastrelid when 0 then 0 else pg_relation_size(reltoastrelid) end)::float8 as bytes,
      string_agg(oid::regclass::text, ',') filter (where pg_relation_size(oid) > 0) as tables,
      coalesce(bool_or(relname = 'meta'), false) as "isStore"
    from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'r'`,
  )
  const { bytes, tables, isStore } = found as { bytes: number; tables: string; isStore: boolean }
  if (!isStore || bytes > maxBytesEmptied) return false
  const rows = tables.split(',').filter((table) => table !== `${schema}.meta`)
  await administer(
    address,
    `do $$ begin
    -- No order among the tables has to be kept.
    set local session_replication_role = replica;
    ${rows.map((table) => `delete from ${table}`).join('; ')};
    delete from ${schema}.meta where key not in ('schema_version', 'created_at', 'store_id', 'incarnation');
    update ${schema}.meta set value = gen_random_uuid()::text where key in ('store_id', 'incarnation');
    end $$`,
  )
  return true
}

/** The same, kept until the run ends: for what outlives a test. */
export async function keptPostgresUrl(): Promise<string> {
  return (await newSchema(await sharedServer())).url
}

async function newSchema(address: Address): Promise<{ name: string; url: string }> {
  const name = newName()
  await administer(address, `create schema ${name}`)
  return schemaAt(address, name)
}

function schemaAt(address: Address, name: string): { name: string; url: string } {
  return {
    name,
    url: `${urlOf(address, 'postgres')}?options=${encodeURIComponent(`-c search_path=${name}`)}`,
  }
}

/** An empty database of its own, for what belongs to a whole database. */
export async function newPostgresDatabase(options = ''): Promise<string> {
  const address = await sharedServer()
  const name = newName()
  await administer(address, `create database ${name} ${options}`)
  onTestFinished(async () => void (await administer(address, `drop database ${name} with (force)`)))
  return urlOf(address, name)
}

export interface OwnPostgres {
  readonly url: string
  /** SIGINT: orderly. SIGQUIT: at once, as after a crash. */
  stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  start(): Promise<void>
}

/** A server that only this test uses; `settings` as in postgresql.conf. */
export async function startOwnPostgres(settings: readonly string[] = []): Promise<OwnPostgres> {
  const folder = join(parent, `${prefix}${ownerOf(process.pid)}-${newName()}`)
  await mkdir(folder, { mode: 0o700 })
  await sharedServer()
  const runner = startRunner(folder, process.pid, [sharedFolder(), ...settings])
  const ask = async (request: RunnerRequest): Promise<void> => {
    const replied = once(runner, 'message')
    runner.send(request)
    const [reply] = (await replied) as [RunnerReply]
    if (!reply.ok) throw new Error(reply.why)
  }
  onTestFinished(async () => {
    const ended = once(runner, 'exit')
    runner.send('end' satisfies RunnerRequest)
    await ended
  })
  const address = await readyIn(folder)
  return {
    url: urlOf(address, 'postgres'),
    stop: (signal) => ask({ stop: signal }),
    start: () => ask('start'),
  }
}

function sharedServer(): Promise<Address> {
  shared ??= findOrStart()
  return shared
}

async function findOrStart(): Promise<Address> {
  const folder = sharedFolder()
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readyIn(folder)
  }
  await clearLeftovers(parent)
  startRunner(folder, ownerOfRun()).unref()
  return readyIn(folder)
}

/**
 * The process that is the whole run: it says so itself (scripts/test.ts), or a worker of vitest is
 * its child.
 */
const ownerOfRun = (): number =>
  Number(process.env['TEST_RUN_PID']) ||
  (process.env['VITEST_POOL_ID'] ? process.ppid : process.pid)

const sharedFolder = (): string => join(parent, `${prefix}${ownerOf(ownerOfRun())}-shared`)

function startRunner(folder: string, owner: number, more?: readonly string[]): ChildProcess {
  const own = more !== undefined
  const runner = spawn(process.execPath, [runnerFile, folder, ownerOf(owner), ...(more ?? [])], {
    // In its own process group, so that Ctrl-C reaches it through its owner's end, not before.
    detached: true,
    stdio: own ? ['ignore', 'ignore', 'inherit', 'ipc'] : 'ignore',
  })
  return runner
}

async function readyIn(folder: string): Promise<Address> {
  for (const deadline = Date.now() + readyMs; Date.now() < deadline; await wait(pollMs)) {
    if (existsSync(join(folder, 'ready')))
      return JSON.parse(await readFile(join(folder, 'ready'), 'utf8')) as Address
    if (existsSync(join(folder, 'failed')))
      throw new Error(await readFile(join(folder, 'failed'), 'utf8'))
  }
  throw new Error(`PostgreSQL for the tests was not ready after ${readyMs / 1000} s`)
}

async function administer(address: Address, sql: string): Promise<unknown[]> {
  administrator ??= connectAdministrator(address)
  return (await administrator.query(sql)).rows
}

/** One connection for the process, and never what keeps it alive. */
function connectAdministrator(address: Address): pg.Pool {
  const connectionString = urlOf(address, 'postgres')
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // The server may end before us.
  return pool.on('error', () => {})
}
