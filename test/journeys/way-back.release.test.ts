/**
 * After a move to PostgreSQL: what every command says of the old database, and the way back to it.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { main } from '../support/built-product.ts'
import { newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { startHoldfast } from '../support/running-server.ts'

usePostgres()

const run = promisify(execFile)
/** Only for a server that is not refused. */
const hangsMs = 30_000
const failure = (argv: readonly string[]) =>
  run(process.execPath, [main, ...argv], { timeout: hangsMs }).then(
    () => 'it went through',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )

test('[SC7] after a move the old database is neither served nor backed up by mistake, and there is a way back', async () => {
  const first = await startHoldfast({ onFile: true })
  onTestFinished(() => first.kill())
  expect(await first.stop()).toBe(0)
  const { data, token } = first
  const url = await newPostgresUrl()
  await run(process.execPath, [main, 'migrate', '--to', url, '--data', data, '--json'])
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
    expect(await failure([...argv, '--data', data]), argv[0]).toMatch(
      /was moved to PostgreSQL at .*Set DATABASE_URL/s,
    )
  expect(await failure(['doctor', '--data', data])).toMatch(
    /✗ Database +The database of .* was moved to PostgreSQL/,
  )

  await run(process.execPath, [main, 'backup', file, '--data', data], {
    env: { ...process.env, DATABASE_URL: url },
  })
  await run(process.execPath, [main, 'restore', file, '--data', data, '--yes'])
  const third = await startHoldfast({ data, onFile: true })
  onTestFinished(() => third.kill())
  const { items } = await createClient({ url: third.url, token }).get('/api/projects', {})
  expect(items.map(({ name }) => name)).toContain('since')
  expect(await third.stop()).toBe(0)
})
