/**
 * A start that cannot go on says why and what to do, ends with a code that is not 0, and damages
 * nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, inject, onTestFinished, test } from 'vitest'
import { changedBuild } from '../faults/broken-build.ts'
import { pieceOf } from '../faults/build.ts'
import { main } from '../support/built-product.ts'
import { startHoldfast } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Runs `up` until it ends by itself. */
async function tryToStart(
  args: readonly string[],
  program = main,
): Promise<{ code: number; said: string; ready: boolean }> {
  const child = spawn(process.execPath, [program, 'up', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  let ready = false
  child.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString()
  })
  child.stdout.on('data', () => {
    ready = true
  })
  const [code] = await once(child, 'close')
  return { code, said, ready }
}

const databaseOf = (data: string): string => join(data, 'holdfast.db')

test('[CF2] a second server on the same folder is refused with the pid of the first, which goes on', async () => {
  const first = await startHoldfast()
  const second = await tryToStart(['--port', '0', '--data', first.data])
  expect(second).toMatchObject({ code: 1, ready: false })
  expect(second.said).toContain(`pid ${first.pid}`)
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
  expect(await first.stop()).toBe(0)
})

test('[CF2] a port in use is said in words, with the next step', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const data = temporaryFolder()
  const { code, said } = await tryToStart(['--port', String(port), '--data', data])
  expect(code).toBe(1)
  expect(said).toContain(`Port ${port} on 127.0.0.1 is in use`)
  expect(said).toContain('--port')
  // The failed start has released the folder again.
  const next = await startHoldfast({ data })
  expect(await next.stop()).toBe(0)
})

test('[OP2] a signal while it waits for a PostgreSQL that is away ends it at once, in order', async () => {
  const env = {
    ...process.env,
    DATABASE_URL: 'postgres://me@127.0.0.1:1/none',
    HOLDFAST_TOKEN: 'a-token-of-twenty-characters',
  }
  const args = [main, 'server', '--port', '0', '--data', temporaryFolder()]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', (bytes: Buffer) => {
    if (said === '' && bytes.includes('Waiting for PostgreSQL')) child.kill('SIGTERM')
    said += bytes.toString()
  })
  expect([await once(child, 'close'), said]).toEqual([
    [0, null],
    expect.not.stringContaining('did not stop'),
  ])
})

test('[CF2] a read-only folder is said in words and left alone', async () => {
  const data = temporaryFolder()
  await chmod(data, 0o500)
  const { code, said } = await tryToStart(['--port', '0', '--data', data])
  expect(code).toBe(1)
  expect(said).toContain('is read-only')
  expect(said).toContain('--data')
  expect(await readdir(data)).toEqual([])
})

test('[CF2] a damaged database is said in words and not touched', async () => {
  const data = temporaryFolder()
  await copyFile(inject('emptyStore'), databaseOf(data))
  const bytes = await readFile(databaseOf(data))
  bytes.fill(0x5a, 0, 512)
  await writeFile(databaseOf(data), bytes)
  const { code, said, ready } = await tryToStart(['--port', '0', '--data', data])
  expect({ code, ready }).toEqual({ code: 1, ready: false })
  expect(said).toContain('is damaged')
  expect(said).toContain('backup')
  expect((await readFile(databaseOf(data))).equals(bytes)).toBe(true)
})

test("[CF2] somebody else's database is refused and not touched", async () => {
  const data = temporaryFolder()
  const foreign = new DatabaseSync(databaseOf(data))
  foreign.exec("create table recipes (name text); insert into recipes values ('soup')")
  foreign.close()
  const bytes = await readFile(databaseOf(data))
  const { code, said } = await tryToStart(['--port', '0', '--data', data])
  expect(code).toBe(1)
  expect(said).toContain('not one of Holdfast')
  expect((await readFile(databaseOf(data))).equals(bytes)).toBe(true)
})

test('[RE10] a database of a newer version is refused and not changed', async () => {
  const data = temporaryFolder()
  await copyFile(inject('emptyStore'), databaseOf(data))
  const database = new DatabaseSync(databaseOf(data))
  database.exec("update meta set value = '999' where key = 'schema_version'")
  database.close()
  const { code, said } = await tryToStart(['--port', '0', '--data', data])
  expect(code).toBe(1)
  expect(said).toContain('schema version 999')
})

test('[RE3] a full disk at start is said in words; with room again, everything is there', async () => {
  // SQLite's own limit stands for the end of the disk: the same error at the same place, on any
  // machine and for any user.
  const full = await changedBuild([
    {
      file: 'store/sqlite/connection.ts',
      find: "connection.#set('journal_mode', 'wal')",
      replace:
        "connection.#pragma('max_page_count = 1')\n    connection.#set('journal_mode', 'wal')",
      inThread: true,
    },
  ])
  onTestFinished(full.remove)
  const data = temporaryFolder()
  const { code, said, ready } = await tryToStart(
    ['--port', '0', '--data', data],
    await pieceOf(full.folder, 'main'),
  )
  expect({ code, ready }).toEqual({ code: 1, ready: false })
  expect(said).toContain('no space left')
  const next = await startHoldfast({ data })
  expect(await next.stop()).toBe(0)
})

test('[CF2] what lies in the data folder is its owner’s alone', async () => {
  const server = await startHoldfast({ onFile: true })
  for (const name of [
    'holdfast.db',
    'holdfast.db-wal',
    'secrets/owner-token',
    'run/server.json',
    'run/lock.db',
  ]) {
    expect([name, (await stat(join(server.data, name))).mode & 0o777]).toEqual([name, 0o600])
  }
  expect((await stat(server.data)).mode & 0o777).toBe(0o700)
  await server.stop()
})
