import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  isBelow,
  makeFolderInside,
  namesIn,
  openInside,
  PathRefused,
  realPathInside,
} from '../../../src/platform/files/path-inside.ts'
import { fc, property } from '../../support/property.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const hostile = [
  '',
  ' ',
  '.',
  '..',
  '../x',
  'a/../../x',
  'a/..',
  '/etc/passwd',
  '\\\\server\\share',
  '//server/share',
  'C:\\x',
  'c:x',
  'a\\..\\..\\x',
  'a\u0000b',
  'a\nb',
  'CON',
  'nul.txt',
  'a/COM1/b',
  'aux',
  'x.',
  'x ',
  'a:b',
  'a?b',
  `${'x'.repeat(256)}`,
  'y/'.repeat(600),
  'a/'.repeat(33),
  '\ud800',
]

test.each(hostile)('[SE5] %j is refused by its looks', async (path) => {
  expect(() => namesIn(path)).toThrow(PathRefused)
  await expect(realPathInside(temporaryFolder(), path)).rejects.toThrow(PathRefused)
})

test('[SE5] a plain path leads below its folder and is made with its mode', async () => {
  const root = temporaryFolder()
  expect(await realPathInside(root, 'a/b')).toBe(join(root, 'a', 'b'))
  const made = await makeFolderInside(root, 'auth/データ', 0o750)
  expect(statSync(made).mode & 0o777).toBe(0o750 & ~process.umask())
  expect(await makeFolderInside(root, 'auth/データ', 0o750)).toBe(made)
})

test('[SE5] a link to the inside is followed; one to the outside makes nothing', async () => {
  const [root, outside] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(root, 'real'))
  symlinkSync('real', join(root, 'inner'))
  symlinkSync(outside, join(root, 'outer'))
  symlinkSync('nowhere', join(root, 'broken'))
  symlinkSync('..', join(root, 'real', 'up'))
  expect(await makeFolderInside(root, 'inner/x', 0o700)).toBe(join(root, 'real', 'x'))
  for (const path of ['outer', 'outer/x', 'broken/x', 'real/up', 'real/up/real/up/x'])
    await expect(makeFolderInside(root, path, 0o700), path).rejects.toThrow(PathRefused)
  writeFileSync(join(root, 'file'), '')
  await expect(makeFolderInside(root, 'file/x', 0o700)).rejects.toThrow(PathRefused)
  await expect(mkdir(join(outside, 'x'))).resolves.toBe(undefined)
})

test('[SE5] a folder exchanged for a link meanwhile is found when it is opened', async () => {
  const [root, outside] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(outside, 'secret'), 'x')
  mkdirSync(join(root, 'a'))
  writeFileSync(join(root, 'a', 'secret'), 'ours')
  const found = await realPathInside(root, 'a/secret')
  const handle = await openInside(root, found, 0)
  expect(readFileSync(handle.fd, 'utf8')).toBe('ours')
  await handle.close()
  const moved = await realPathInside(root, 'b/secret')
  symlinkSync(outside, join(root, 'b'))
  await expect(openInside(root, moved, 0)).rejects.toThrow(PathRefused)
})

property.prop([
  fc.string({ maxLength: 40, unit: fc.constantFrom('a', '.', '/', '\\', ' ', '\u0000', ':', 'é') }),
])('[SE5] whatever is written, it is refused or stays below', async (path) => {
  try {
    expect(isBelow('/r', join('/r', ...namesIn(path)))).toBe(true)
  } catch (error) {
    expect(error).toBeInstanceOf(PathRefused)
  }
})
