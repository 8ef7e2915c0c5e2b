import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultDataFolder, prepareDataFolder } from '../../../src/platform/files/data-folder.ts'
import { StartFailure } from '../../../src/platform/processes/start-failure.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const mode = (path: string): number => statSync(path).mode & 0o777
const noWarning = (message: string): never => {
  throw new Error(message)
}

test('[CF2] the data folder of a clone or a worktree is .holdfast in its root', () => {
  const packageFolder = temporaryFolder()
  writeFileSync(join(packageFolder, '.git'), 'gitdir: elsewhere')
  expect(defaultDataFolder({ packageFolder, env: {}, platform: 'linux', home: '/people/me' })).toBe(
    join(packageFolder, '.holdfast'),
  )
})

test('[CF2] the data folder is where the platform keeps data, when nothing else is said', () => {
  const packageFolder = temporaryFolder()
  const folder = (platform: NodeJS.Platform, env: Record<string, string> = {}): string =>
    defaultDataFolder({ packageFolder, env, platform, home: '/people/me' })
  expect(folder('linux')).toBe('/people/me/.local/share/holdfast')
  expect(folder('linux', { XDG_DATA_HOME: '/data' })).toBe('/data/holdfast')
  expect(folder('darwin')).toBe('/people/me/Library/Application Support/holdfast')
  expect(folder('win32', { LOCALAPPDATA: '/local' })).toBe('/local/holdfast')
})

test('[CF2] the data folder is made for its owner only', async () => {
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
    expect(failure).toMatchObject({
      message: expect.stringContaining('not a folder'),
      next: expect.stringContaining('--data'),
    })
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

test('[CF2] a folder that all users share is refused, since closing takes it away', async () => {
  const shared = temporaryFolder()
  chmodSync(shared, 0o1777)
  const error = await prepareDataFolder(shared, noWarning).catch((refused: unknown) => refused)
  expect(error).toBeInstanceOf(StartFailure)
  expect((error as StartFailure).message).toContain('shared by all users')
  expect(mode(shared)).toBe(0o777)
})

test('[CF2] a folder closed to this user is told from a file that cannot be read', () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o000)
  const source = (name: string): string => join(import.meta.dirname, '../../../src/platform', name)
  // Root may enter everywhere, so the child becomes somebody else.
  const script = `const { mayEnter } = await import(process.argv[1])
    const { readConfigFile } = await import(process.argv[2])
    if (process.getuid() === 0) process.setuid(65534)
    const [folder] = process.argv.slice(3)
    const { problems } = readConfigFile({ named: undefined, data: folder, packageFolder: '/no/clone' })
    console.log(JSON.stringify([mayEnter(folder), mayEnter('/no/such/folder'), mayEnter('/'), problems]))`
  const args = [
    '--input-type=module',
    '-e',
    script,
    source('files/data-folder.ts'),
    source('config/config-file.ts'),
    folder,
  ]
  const said = execFileSync(process.execPath, args, { encoding: 'utf8' })
  chmodSync(folder, 0o700)
  expect(JSON.parse(said)).toEqual([false, true, true, []])
})
