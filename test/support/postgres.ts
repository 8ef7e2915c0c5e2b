/**
 * A real PostgreSQL for tests. One server is shared by all workers of a run and started by the first that needs it; each test
 * gets a schema or a database of its own in it. A test that stops and starts PostgreSQL gets a server to itself.
 * When there is no PostgreSQL for this platform the test fails and says so; it is never skipped.
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
import type { KeeperReply, KeeperRequest } from './postgres-keeper.ts'
import { clearLeftovers, ownerOf, prefix } from './postgres-leftovers.ts'

const readyMs = 60_000
const pollMs = 25
const keeperFile = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url))
/** Root's own TMPDIR may be closed to the user that PostgreSQL then runs as. */
const parent = process.getuid?.() === 0 ? '/tmp' : tmpdir()

const urlOf = ({ port, password }: Address, database: string): string =>
  `postgres://holdfast:${password}@127.0.0.1:${port}/${database}`

let shared: Promise<Address> | undefined
let made = 0

/** Short names that no other worker of the run makes. */
const newName = (): string => `t${process.pid}_${++made}`

/** For the top of a test file: the server is started before the first test's time begins to count. */
export const usePostgres = (): void => beforeAll(async () => void (await sharedServer()), readyMs)

/** An empty schema in the shared server, as the URL a server would be given. Gone when the test ends. */
export async function newPostgresUrl(): Promise<string> {
  const address = await sharedServer()
  const { name, url } = await newSchema(address)
  onTestFinished(() => administer(address, `drop schema ${name} cascade`))
  return url
}

/** The same, kept until the run ends: for what outlives a test. */
export async function keptPostgresUrl(): Promise<string> {
  return (await newSchema(await sharedServer())).url
}

async function newSchema(address: Address): Promise<{ name: string; url: string }> {
  const name = newName()
  await administer(address, `create schema ${name}`)
  return { name, url: `${urlOf(address, 'postgres')}?options=${encodeURIComponent(`-c search_path=${name}`)}` }
}

/** An empty database of its own, for what belongs to a whole database. */
export async function newPostgresDatabase(options = ''): Promise<string> {
  const address = await sharedServer()
  const name = newName()
  await administer(address, `create database ${name} ${options}`)
  onTestFinished(() => administer(address, `drop database ${name} with (force)`))
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
  const keeper = startKeeper(folder, process.pid, settings)
  const ask = async (request: KeeperRequest): Promise<void> => {
    const replied = once(keeper, 'message')
    keeper.send(request)
    const [reply] = (await replied) as [KeeperReply]
    if (!reply.ok) throw new Error(reply.why)
  }
  onTestFinished(async () => {
    const ended = once(keeper, 'exit')
    keeper.send('end' satisfies KeeperRequest)
    await ended
  })
  const address = await readyIn(folder)
  return { url: urlOf(address, 'postgres'), stop: (signal) => ask({ stop: signal }), start: () => ask('start') }
}

function sharedServer(): Promise<Address> {
  shared ??= findOrStart()
  return shared
}

async function findOrStart(): Promise<Address> {
  // The process that is the whole run: it says so itself (scripts/test.ts), or a worker of vitest is its child.
  const owner = Number(process.env['TEST_RUN_PID']) || (process.env['VITEST_POOL_ID'] ? process.ppid : process.pid)
  const folder = join(parent, `${prefix}${ownerOf(owner)}-shared`)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readyIn(folder)
  }
  await clearLeftovers(parent)
  startKeeper(folder, owner).unref()
  return readyIn(folder)
}

function startKeeper(folder: string, owner: number, settings?: readonly string[]): ChildProcess {
  const own = settings !== undefined
  const keeper = spawn(process.execPath, [keeperFile, folder, ownerOf(owner), ...(settings ?? [])], {
    // Its own group, so that Ctrl-C reaches it through its owner's end, not before.
    detached: true,
    stdio: own ? ['ignore', 'ignore', 'inherit', 'ipc'] : 'ignore',
  })
  return keeper
}

async function readyIn(folder: string): Promise<Address> {
  for (const deadline = Date.now() + readyMs; Date.now() < deadline; await wait(pollMs)) {
    if (existsSync(join(folder, 'ready'))) return JSON.parse(await readFile(join(folder, 'ready'), 'utf8')) as Address
    if (existsSync(join(folder, 'failed'))) throw new Error(await readFile(join(folder, 'failed'), 'utf8'))
  }
  throw new Error(`PostgreSQL for the tests was not ready after ${readyMs / 1000} s`)
}

async function administer(address: Address, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(address, 'postgres') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
