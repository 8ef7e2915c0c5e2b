/**
 * A PostgreSQL for a part of the fault bench, outside of any test runner; each test gets an empty
 * schema in it. It is kept by a process of its own, which ends it also when the bench is killed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Address } from '../support/postgres-cluster.ts'
import { ownerOf } from '../support/postgres-leftovers.ts'
import type { RunnerReply, RunnerRequest } from '../support/postgres-runner.ts'

export interface BenchPostgres {
  newUrl(): Promise<string>
  execute(url: string, sql: string): Promise<void>
  /**
   * Stops it (SIGINT: orderly, SIGQUIT: as after a crash), and starts it again on the same port
   * after a while.
   */
  restart(signal: 'SIGINT' | 'SIGQUIT', awayMs: number): Promise<void>
  stop(): Promise<void>
}

const readyMs = 60_000
const pollMs = 25
const runnerFile = fileURLToPath(new URL('../support/postgres-runner.ts', import.meta.url))
/** Root's own TMPDIR may be closed to the user that PostgreSQL then runs as. */
const parent = process.getuid?.() === 0 ? '/tmp' : tmpdir()

export async function startPostgres(): Promise<BenchPostgres> {
  const folder = await mkdtemp(join(parent, 'holdfast-faults-postgres-'))
  const runner = spawn(process.execPath, [runnerFile, folder, ownerOf(process.pid)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { port, password } = await readyIn(folder)
  const base = `postgres://holdfast:${password}@127.0.0.1:${port}/postgres`
  let made = 0
  const ask = async (request: RunnerRequest): Promise<void> => {
    const replied = once(runner, 'message')
    runner.send(request)
    const [reply] = (await replied) as [RunnerReply]
    if (!reply.ok) throw new Error(reply.why)
  }
  return {
    newUrl: async () => {
      const name = `faults_${++made}`
      await execute(base, `create schema ${name}`)
      return `${base}?options=${encodeURIComponent(`-c search_path=${name}`)}`
    },
    execute,
    restart: async (signal, awayMs) => {
      await ask({ stop: signal })
      await wait(awayMs)
      await ask('start')
    },
    stop: async () => {
      const ended = once(runner, 'exit')
      runner.send('end' satisfies RunnerRequest)
      await ended
    },
  }
}

async function readyIn(folder: string): Promise<Address> {
  for (
    const deadline = performance.now() + readyMs;
    performance.now() < deadline;
    await wait(pollMs)
  ) {
    if (existsSync(join(folder, 'ready')))
      return JSON.parse(await readFile(join(folder, 'ready'), 'utf8')) as Address
    if (existsSync(join(folder, 'failed')))
      throw new Error(await readFile(join(folder, 'failed'), 'utf8'))
  }
  throw new Error(`PostgreSQL was not ready after ${readyMs / 1000} s`)
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
