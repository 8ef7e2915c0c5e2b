import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  isAlive,
  readRunFile,
  removeRunFile,
  writeRunFile,
} from '../../../src/platform/files/run-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = {
  pid: process.pid,
  url: 'http://127.0.0.1:4747',
  startedAt: '2026-03-01T09:00:00.000Z',
  version: '0.1.0',
}

test('[CF2] who runs on a data folder is written there, for its owner only', async () => {
  const data = temporaryFolder()
  await writeRunFile(data, server)
  expect(await readRunFile(data)).toMatchObject(server)
  expect(statSync(join(data, 'run', 'server.json')).mode & 0o777).toBe(0o600)
})

test('[CF2] a file that makes no sense names nobody, least of all a process group', async () => {
  const data = temporaryFolder()
  await writeRunFile(data, server)
  for (const text of [
    '',
    'null',
    '[]',
    '{"pid":1}',
    JSON.stringify({ ...server, pid: 0 }),
    JSON.stringify({ ...server, pid: -1 }),
    JSON.stringify({ ...server, pid: '1' }),
  ]) {
    writeFileSync(join(data, 'run', 'server.json'), text)
    expect(await readRunFile(data)).toBeUndefined()
  }
  expect(await readRunFile(join(data, 'nothing'))).toBeUndefined()
})

test('[CF2] a stopping server takes its own file away and leaves another one alone', async () => {
  const data = temporaryFolder()
  await writeRunFile(data, server)
  await removeRunFile(data, server.pid + 1)
  expect(existsSync(join(data, 'run', 'server.json'))).toBe(true)
  await removeRunFile(data, server.pid)
  expect(existsSync(join(data, 'run', 'server.json'))).toBe(false)
})

test('[CF2] a process that has ended is not alive', async () => {
  expect(isAlive({ pid: process.pid })).toBe(true)
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(isAlive({ pid: child.pid ?? 0 })).toBe(false)
})

test('[CF2] a process that has a dead server’s number is not taken for the server', async () => {
  const data = temporaryFolder()
  await writeRunFile(data, server)
  const found = await readRunFile(data)
  expect(found && isAlive(found)).toBe(true)
  expect(isAlive({ ...server, ...found, birth: 'another' })).toBe(false)
  expect(isAlive({ ...server, ...found, bootId: 'another' })).toBe(false)
})

test('[CF2] a process that has died is not alive because nobody has noticed it', async () => {
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [printed] = await once(parent.stdout, 'data')
  const pid = Number(printed)
  const comesTo = (state: string, who = 0): Promise<unknown> =>
    vi.waitUntil(() => readFileSync(`/proc/${who}/stat`, 'utf8').includes(`) ${state} `), {
      timeout: 30_000,
    })
  expect(isAlive({ pid })).toBe(true)
  parent.kill('SIGSTOP')
  await comesTo('T', parent.pid)
  process.kill(pid, 'SIGKILL')
  await comesTo('Z', pid)
  expect(isAlive({ pid })).toBe(false)
})
