/** Absolute workspaces of roles (US8): which folders may be named, on a real file system. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { namedFolder } from '../../../src/coordinator/worktrees/named-folder.ts'
import { PathRefused } from '../../../src/platform/files/path-inside.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function openPlace(roots: readonly string[] = []) {
  const top = temporaryFolder()
  const [data, projectFolder, projects] = ['data', 'repo', 'projects'].map((name) =>
    join(top, name),
  ) as [string, string, string]
  const root = join(data, 'worktrees', 'p', 'c')
  for (const folder of [root, projectFolder, projects]) mkdirSync(folder, { recursive: true })
  const find = (path: string) =>
    namedFolder({ path, root, projectFolder, roots: roots.map((each) => join(top, each)), data })
  return { top, data, root, projectFolder, projects, find }
}

const refusal = (words: string) =>
  expect.objectContaining({ message: expect.stringContaining(words) })

test('[US8] below the project and the console a folder is taken, and made where it is missing', async () => {
  const { root, projectFolder, find } = openPlace()
  expect(await find(projectFolder)).toEqual({ folder: projectFolder })
  expect(await find(join(projectFolder, 'packages', 'ui'))).toEqual({
    folder: join(projectFolder, 'packages', 'ui'),
  })
  expect(existsSync(join(projectFolder, 'packages', 'ui'))).toBe(true)
  expect(await find(join(root, 'team', 'auth'))).toEqual({ below: join('team', 'auth') })
})

test('[US8] elsewhere only below the roots that were given, never in the data folder, and nothing is made', async () => {
  const place = openPlace()
  await expect(place.find(join(place.projects, 'x'))).rejects.toEqual(refusal('neither below'))
  await expect(place.find(join(place.projectFolder, '..', 'elsewhere'))).rejects.toBeInstanceOf(
    PathRefused,
  )
  await expect(place.find('/etc/holdfast-workspace')).rejects.toBeInstanceOf(PathRefused)
  expect(existsSync(join(place.projects, 'x'))).toBe(false)
  const managed = openPlace(['projects', '.'])
  expect(await managed.find(join(managed.projects, 'x'))).toEqual({
    folder: join(managed.projects, 'x'),
  })
  await expect(managed.find(join(managed.data, 'x'))).rejects.toEqual(refusal('data folder'))
  await expect(managed.find(managed.top)).rejects.toEqual(refusal('data folder'))
  expect(existsSync(join(managed.data, 'x'))).toBe(false)
})

test('[US8] a link that leads out, a file and the folder of git are refused', async () => {
  const { projectFolder, projects, find } = openPlace()
  symlinkSync(projects, join(projectFolder, 'out'))
  writeFileSync(join(projectFolder, 'file'), '')
  await expect(find(join(projectFolder, 'out', 'x'))).rejects.toBeInstanceOf(PathRefused)
  await expect(find(join(projectFolder, 'file'))).rejects.toEqual(refusal('is not a folder'))
  await expect(find(join(projectFolder, '.git', 'hooks'))).rejects.toBeInstanceOf(PathRefused)
  expect(existsSync(join(projects, 'x'))).toBe(false)
})
