/** One server per data folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataFolder } from '../../../src/platform/files/data-lock.ts'
import { temporaryFolder } from '../../support/store.ts'

const moduleUrl = new URL('../../../src/platform/files/data-lock.ts', import.meta.url).href

/** Another process that holds the lock until it is killed. */
async function holder(data: string) {
  const script = `import(${JSON.stringify(moduleUrl)}).then((m) => { globalThis.lock = m.lockDataFolder(process.argv[1]); console.log('held'); setInterval(() => {}, 1000) })`
  const child = spawn(process.execPath, ['--eval', script, data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

async function dataFolder(): Promise<string> {
  const data = await temporaryFolder()
  await mkdir(join(data, 'run'))
  return data
}

test('[CF2] a second server on the same folder is refused with the pid of the first', async () => {
  const data = await dataFolder()
  const first = await holder(data)
  expect(() => lockDataFolder(data)).toThrow(`pid ${first.pid}`)
})

test('[CF2] a server that was killed leaves no lock behind', async () => {
  const data = await dataFolder()
  const first = await holder(data)
  const exited = once(first, 'exit')
  first.kill('SIGKILL')
  await exited
  const lock = lockDataFolder(data)
  expect(() => lockDataFolder(data)).toThrow(`pid ${process.pid}`)
  lock.release()
  lockDataFolder(data).release()
})
