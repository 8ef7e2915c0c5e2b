import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFileAtomic } from '../../../src/platform/files/atomic-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[CK3] a file is replaced whole, for its owner only, and leaves nothing beside', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'state.json')
  writeFileSync(path, 'old')
  chmodSync(path, 0o644)
  await writeFileAtomic(path, 'new')
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['state.json'])
})

test('[CK3] a write that fails leaves the file as it was and no temporary one', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'taken')
  // A rename onto a folder that holds something fails after everything was written.
  mkdirSync(join(path, 'inside'), { recursive: true })
  await expect(writeFileAtomic(path, 'new')).rejects.toThrow()
  expect(readdirSync(folder)).toEqual(['taken'])
  expect(readdirSync(path)).toEqual(['inside'])
})

test('[CK3] many writers at once leave one whole file', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'state')
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000))
  await Promise.all(texts.map((text) => writeFileAtomic(path, text)))
  expect(texts).toContain(readFileSync(path, 'utf8'))
  expect(readdirSync(folder)).toEqual(['state'])
})

test('[CK3] the data is on the disk before the name is, and the name before the answer', () => {
  const folder = temporaryFolder()
  // In a process of its own, whose calls to the disk say what they are before they are made.
  const script = `
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const probe = await fs.open(process.execPath)
    const handle = Object.getPrototypeOf(probe)
    await probe.close()
    const { rename } = fs
    const { sync } = handle
    fs.rename = async (from, to) => { await rename(from, to); console.log('rename') }
    handle.sync = async function () {
      const isFolder = (await this.stat()).isDirectory()
      await sync.call(this)
      console.log(isFolder ? 'sync folder' : 'sync file')
    }
    syncBuiltinESMExports()
    const { writeFileAtomic } = await import(${JSON.stringify(new URL('../../../src/platform/files/atomic-file.ts', import.meta.url).href)})
    await writeFileAtomic(${JSON.stringify(join(folder, 'file'))}, 'text')
    console.log('done')`
  const calls = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect(calls.trim().split('\n')).toEqual(['sync file', 'rename', 'sync folder', 'done'])
})
