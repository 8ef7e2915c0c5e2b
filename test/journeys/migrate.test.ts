/** From a data folder to PostgreSQL with one command: real servers before and after, and a database that is not what it was. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
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
const migrate = (data: string, url: string) => run(process.execPath, [main, 'migrate', '--to', url, '--data', data, '--json'])
/** Only for a server that is not refused. */
const hangsMs = 30_000
const failure = (argv: readonly string[]) =>
  run(process.execPath, [main, ...argv], { timeout: hangsMs }).then(
    () => 'it went through',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
const refusal = (data: string, url: string) => failure(['migrate', '--to', url, '--data', data, '--json'])

test('[SC1] a data folder moves to PostgreSQL with one command, compared row by row, and goes on there', async () => {
  const first = await startHoldfast({ onFile: true })
  onTestFinished(() => first.kill())
  const before = createClient({ url: first.url, token: first.token })
  const { id: projectId } = await before.post('/api/projects', { body: { name: '引っ越し' } })
  await before.post('/api/agents', { body: { id: 'helper', name: 'Helper', protocol: 'mcp' } })
  await before.put('/api/projects/{projectId}/agents/{agentId}', { params: { projectId, agentId: 'helper' }, body: {} })
  for (const content of ['one', '二', '🦀']) {
    await before.post('/api/chat', { body: { projectId, toAgentId: 'helper', content } })
  }
  const url = await newPostgresUrl()

  expect(await refusal(first.data, url), 'while a server uses the folder').toContain('is using the data folder')
  expect(await first.stop()).toBe(0)
  expect(await refusal(first.data, 'mysql://nowhere/x')).toContain('cannot be read as postgres://')

  const moved = JSON.parse((await migrate(first.data, url)).stdout)
  expect(moved.rows).toBeGreaterThan(10)
  expect(await refusal(first.data, url), 'a second time').toContain('was moved to PostgreSQL at')

  const second = await startHoldfast({ data: first.data, env: { DATABASE_URL: url } })
  onTestFinished(() => second.kill())
  const after = createClient({ url: second.url, token: first.token })
  const key = `web:${projectId}.helper`
  const { items } = await after.get('/api/conversations/{key}/messages', { params: { key } })
  expect(items.map(({ content }) => content)).toEqual(['one', '二', '🦀'])
  await after.post('/api/chat', { body: { projectId, toAgentId: 'helper', content: 'four' } })
  expect(await second.stop()).toBe(0)
})

test('[SC1] a row that is not the same on the other side is found and named', async () => {
  const first = await startHoldfast({ onFile: true })
  onTestFinished(() => first.kill())
  await createClient({ url: first.url, token: first.token }).post('/api/projects', { body: { name: 'kept' } })
  expect(await first.stop()).toBe(0)
  const url = await newPostgresUrl()
  await migrate(first.data, url)
  const compare = () => readSqlite(databaseFile(first.data), (one) => readPostgres(url, (other) => compareTables(one, other)))
  expect((await compare()).difference).toBeNull()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("update projects set name = 'changed' where name = 'kept'")
    expect((await compare()).difference).toMatchObject({ table: 'projects' })
    await client.query("update projects set name = 'kept' where name = 'changed'")
    await client.query('delete from events where seq = (select max(seq) from events)')
    expect((await compare()).difference).toMatchObject({ table: 'events' })
  } finally {
    await client.end()
  }
})

test('[SC7] after a move the old database is neither served nor backed up by mistake, and there is a way back', async () => {
  const first = await startHoldfast({ onFile: true })
  onTestFinished(() => first.kill())
  expect(await first.stop()).toBe(0)
  const { data, token } = first
  const url = await newPostgresUrl()
  await migrate(data, url)
  const second = await startHoldfast({ data, env: { DATABASE_URL: url } })
  onTestFinished(() => second.kill())
  await createClient({ url: second.url, token }).post('/api/projects', { body: { name: 'since' } })
  expect(await second.stop()).toBe(0)

  const file = join(data, 'back.backup')
  for (const argv of [
    ['server', '--port', '0'],
    ['migrate', '--to', url],
    ['backup', file],
  ])
    expect(await failure([...argv, '--data', data]), argv[0]).toMatch(/was moved to PostgreSQL at .*Set DATABASE_URL/s)
  expect(await failure(['doctor', '--data', data])).toMatch(/✗ Database +The database of .* was moved to PostgreSQL/)

  await run(process.execPath, [main, 'backup', file, '--data', data], { env: { ...process.env, DATABASE_URL: url } })
  await run(process.execPath, [main, 'restore', file, '--data', data, '--yes'])
  const third = await startHoldfast({ data, onFile: true })
  onTestFinished(() => third.kill())
  const { items } = await createClient({ url: third.url, token }).get('/api/projects', {})
  expect(items.map(({ name }) => name)).toContain('since')
  expect(await third.stop()).toBe(0)
})
