/**
 * From a data folder to PostgreSQL with one command: real servers before and after, and a database
 * that is not what it was.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { databaseFile } from '../../src/platform/files/data-folder.ts'
import { compareTables } from '../../src/store/copy-tables.ts'
import { readPostgres } from '../../src/store/postgres/backup.ts'
import { readSqlite } from '../../src/store/sqlite/backup.ts'
import { main } from '../support/built-product.ts'
import { newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { startHoldfast } from '../support/running-server.ts'

usePostgres()

const run = promisify(execFile)
const migrate = (data: string, url: string) =>
  run(process.execPath, [main, 'migrate', '--to', url, '--data', data, '--json'])
/** Only for a server that is not refused. */
const hangsMs = 30_000
const failure = (argv: readonly string[]) =>
  run(process.execPath, [main, ...argv], { timeout: hangsMs }).then(
    () => 'it went through',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
const refusal = (data: string, url: string) =>
  failure(['migrate', '--to', url, '--data', data, '--json'])

test('[SC1] [SC7] a data folder moves to PostgreSQL with one command, compared row by row, and goes on there; the old database is not served', async () => {
  const first = await startHoldfast({ onFile: true })
  onTestFinished(() => first.kill())
  const before = createClient({ url: first.url, token: first.token })
  const { id: projectId } = await before.post('/api/projects', { body: { name: '引っ越し' } })
  await before.post('/api/agents', { body: { id: 'helper', name: 'Helper', protocol: 'mcp' } })
  await before.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'helper' },
    body: {},
  })
  for (const content of ['one', '二', '🦀']) {
    await before.post('/api/chat', { body: { projectId, toAgentId: 'helper', content } })
  }
  const url = await newPostgresUrl()

  expect(await refusal(first.data, url), 'while a server uses the folder').toContain(
    'is using the data folder',
  )
  expect(await first.stop()).toBe(0)
  expect(await refusal(first.data, 'mysql://nowhere/x')).toContain('cannot be read as postgres://')

  const moved = JSON.parse((await migrate(first.data, url)).stdout)
  expect(moved.rows).toBeGreaterThan(10)
  await findsDifferences(first.data, url)
  expect(await refusal(first.data, url), 'a second time').toContain('was moved to PostgreSQL at')

  const second = await startHoldfast({ data: first.data, env: { DATABASE_URL: url } })
  onTestFinished(() => second.kill())
  const after = createClient({ url: second.url, token: first.token })
  const key = `web:${projectId}.helper`
  const { items } = await after.get('/api/conversations/{key}/messages', { params: { key } })
  expect(items.map(({ content }) => content)).toEqual(['one', '二', '🦀'])
  await after.post('/api/chat', { body: { projectId, toAgentId: 'helper', content: 'four' } })
  expect(await second.stop()).toBe(0)
  expect(await failure(['server', '--port', '0', '--data', first.data])).toContain(
    'was moved to PostgreSQL at',
  )
})

/** A row that is not the same on the other side is found and named. */
async function findsDifferences(data: string, url: string): Promise<void> {
  const compare = () =>
    readSqlite(databaseFile(data), (one) => readPostgres(url, (other) => compareTables(one, other)))
  expect((await compare()).difference).toBeNull()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const changed = async (change: string, table: string, back: string) => {
    await client.query(change)
    expect((await compare()).difference).toMatchObject({ table })
    await client.query(back)
  }
  try {
    const add = (word: string) => `update projects set name = name || '${word}'`
    await changed(add('!'), 'projects', "update projects set name = rtrim(name, '!')")
    await client.query(
      'create temporary table kept as select * from events where seq = (select max(seq) from events)',
    )
    const removed = 'delete from events where (stream, seq) in (select stream, seq from kept)'
    await changed(removed, 'events', 'insert into events select * from kept')
    expect((await compare()).difference).toBeNull()
  } finally {
    await client.end()
  }
}
