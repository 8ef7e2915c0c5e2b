import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultDataFolder, prepareDataFolder } from '../../src/platform/data-folder.ts'
import { StartFailure } from '../../src/platform/start-failure.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const mode = (path: string): number => statSync(path).mode & 0o777
const noWarning = (message: string): never => {
  throw new Error(message)
}

test('[CF2] in a clone it is .holdfast in the root, also in a worktree, where .git is a file', () => {
  const packageFolder = temporaryFolder()
  writeFileSync(join(packageFolder, '.git'), 'gitdir: elsewhere')
  expect(defaultDataFolder({ packageFolder, env: {}, platform: 'linux', home: '/people/me' })).toBe(
    join(packageFolder, '.holdfast'),
  )
})

test('[CF2] otherwise it is where the platform keeps data', () => {
  const packageFolder = temporaryFolder()
  const folder = (platform: NodeJS.Platform, env: Record<string, string> = {}): string =>
    defaultDataFolder({ packageFolder, env, platform, home: '/people/me' })
  expect(folder('linux')).toBe('/people/me/.local/share/holdfast')
  expect(folder('linux', { XDG_DATA_HOME: '/data' })).toBe('/data/holdfast')
  expect(folder('darwin')).toBe('/people/me/Library/Application Support/holdfast')
  expect(folder('win32', { LOCALAPPDATA: '/local' })).toBe('/local/holdfast')
})

test('[CF2] it is made for its owner only', async () => {
  const data = join(temporaryFolder(), 'a', 'b')
  await prepareDataFolder(data, noWarning)
  expect([mode(data), mode(join(data, 'run'))]).toEqual([0o700, 0o700])
})

test('[CF2] one that is open to others is closed, and that is told', async () => {
  const data = temporaryFolder()
  chmodSync(data, 0o755)
  const warnings: string[] = []
  await prepareDataFolder(data, (message) => warnings.push(message))
  expect(mode(data)).toBe(0o700)
  expect(warnings).toEqual([expect.stringContaining('mode 0755')])
  await prepareDataFolder(data, noWarning)
})

test('[CF2] a read-only folder is refused with what to do, and stays as it is', async () => {
  const data = temporaryFolder()
  chmodSync(data, 0o555)
  const failure = await prepareDataFolder(data, noWarning).catch((error) => error)
  expect(failure).toBeInstanceOf(StartFailure)
  expect(failure).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('read-only'),
    next: expect.stringContaining('chmod u+w'),
  })
  expect(mode(data)).toBe(0o555)
  expect(readdirSync(data)).toEqual([])
})

test('[CF2] a file in its place, or in its path, is refused with what to do', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'file')
  writeFileSync(file, 'mine')
  for (const data of [file, join(file, 'inside')]) {
    const failure = await prepareDataFolder(data, noWarning).catch((error) => error)
    expect(failure).toBeInstanceOf(StartFailure)
    expect(failure).toMatchObject({ message: expect.stringContaining('not a folder'), next: expect.stringContaining('--data') })
  }
  expect(readdirSync(folder)).toEqual(['file'])
})

test('[CF2] a place where nothing can be made is refused with what to do', async () => {
  const failure = await prepareDataFolder('/proc/holdfast-test', noWarning).catch((error) => error)
  expect(failure).toBeInstanceOf(StartFailure)
  expect(failure.next).toContain('--data DIR')
  expect(existsSync('/proc/holdfast-test')).toBe(false)
})

test('[CF2] a link to a folder is as good as the folder', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'real'), { mode: 0o700 })
  const { symlinkSync } = await import('node:fs')
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  await prepareDataFolder(join(folder, 'link'), noWarning)
  expect(existsSync(join(folder, 'real', 'run'))).toBe(true)
})
