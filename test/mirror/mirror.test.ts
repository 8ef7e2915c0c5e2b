/**
 * The files beside the database: they follow the log, survive any crash, and can always be made
 * anew.
 */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Mirror } from '../../src/mirror/mirror.ts'
import { projectFolder } from '../../src/mirror/project-folder.ts'
import { ProjectFile } from '../../src/protocol/projects/project.ts'
import { deleteProject } from '../../src/services/flows/projects/delete-project.ts'
import { changeProject, createProject } from '../../src/services/projects/change-project.ts'
import { openTestStore } from '../support/store.ts'

const quiet = pino({ level: 'silent' })

async function openMirrored() {
  const opened = await openTestStore()
  const { store, clock, folder } = opened
  const mirror = new Mirror({ store, clock, logger: quiet, folder, targets: [projectFolder] })
  const create = (name: string) =>
    store.run(createProject, { name, path: `/srv/${name}`, by: 'owner' })
  const fileOf = (id: string) => join(folder, 'projects', id, 'project.json')
  const read = async (id: string) =>
    ProjectFile.parse(JSON.parse(await readFile(fileOf(id), 'utf8')))
  return { ...opened, mirror, create, fileOf, read }
}

test('[CK9] project.json has the layout of the specification and follows changes', async () => {
  const { store, mirror, create, read } = await openMirrored()
  const { id, createdAt } = await create('設計')
  await mirror.flush()
  const file = {
    schema_version: '1.0',
    id,
    name: '設計',
    path: '/srv/設計',
    settings: {},
    created_at: createdAt,
  }
  expect(await read(id)).toEqual(file)
  await store.run(changeProject, { projectId: id, settings: { 'restart.max': 5 }, by: 'owner' })
  await mirror.flush()
  expect(await read(id)).toEqual({ ...file, settings: { 'restart.max': 5 } })
})

test('[CK2] changes are in the files within a second, gathered into one write', async () => {
  const { store, clock, mirror, create, read, fileOf } = await openMirrored()
  const { id } = await create('first')
  for (let i = 0; i < 20; i++)
    await store.run(changeProject, { projectId: id, name: `name ${i}`, by: 'owner' })
  await expect(stat(fileOf(id))).rejects.toThrow('ENOENT')
  clock.advance(1000)
  expect(mirror.behind).toBe(0)
  await mirror.flush()
  expect(await read(id)).toMatchObject({ name: 'name 19' })
})

test('[CK3] files are whole, readable by their owner only, and leave no leftovers', async () => {
  const { mirror, create, folder, fileOf } = await openMirrored()
  const { id } = await create('a')
  await mirror.flush()
  expect((await stat(fileOf(id))).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'projects', id))).mode & 0o777).toBe(0o700)
  expect((await readdir(join(folder, 'projects', id))).sort()).toEqual([
    '.mirror.json',
    'project.json',
  ])
})

test('[CK2] the project.json of a deleted project goes, its folder stays', async () => {
  const { store, mirror, create, fileOf } = await openMirrored()
  const { id } = await create('a')
  await mirror.flush()
  await store.run(deleteProject, { projectId: id, by: 'owner' })
  await mirror.flush()
  expect(await readdir(join(fileOf(id), '..'))).toEqual(['.mirror.json'])
})

test('[CK3] a mirror finds at start what happened without it, and writes no more', async () => {
  const { store, clock, folder, mirror, create, fileOf, read } = await openMirrored()
  const done = await create('done')
  await mirror.stop()
  const missed = await create('missed')
  const before = (await stat(fileOf(done.id))).ino
  const next = new Mirror({ store, clock, logger: quiet, folder, targets: [projectFolder] })
  next.start()
  await next.flush()
  expect(await read(missed.id)).toMatchObject({ name: 'missed' })
  expect((await stat(fileOf(done.id))).ino).toBe(before)
})

test('[CK3] a lost or broken cursor only means that the files are written again', async () => {
  const { store, clock, folder, mirror, create, fileOf, read } = await openMirrored()
  const [a, b] = [await create('a'), await create('b')]
  await mirror.stop()
  await writeFile(join(folder, 'projects', a.id, '.mirror.json'), '{"incarn')
  await writeFile(fileOf(a.id), '{"half')
  await rm(join(folder, 'projects', b.id), { recursive: true })
  const next = new Mirror({ store, clock, logger: quiet, folder, targets: [projectFolder] })
  next.start()
  await next.flush()
  expect([await read(a.id), await read(b.id)]).toMatchObject([{ name: 'a' }, { name: 'b' }])
})

test('[CK3] a file that cannot be written is told, tried again, and holds nobody up', async () => {
  const { clock, folder, mirror, create, read } = await openMirrored()
  await mkdir(join(folder, 'projects'), { mode: 0o700 })
  const stuck = await create('stuck')
  // A file where the folder should be: no rights are needed to make this fail, so it fails for root
  // as well.
  await writeFile(join(folder, 'projects', stuck.id), '')
  await expect(mirror.flush()).rejects.toThrow(`Files of project:${stuck.id} cannot be written`)
  const other = await create('other')
  await expect(mirror.flush()).rejects.toThrow(stuck.id)
  expect(await read(other.id)).toMatchObject({ name: 'other' })
  expect(mirror.problem).toContain(stuck.id)
  await rm(join(folder, 'projects', stuck.id))
  clock.advance(30_000)
  await mirror.flush()
  expect(mirror.problem).toBeNull()
  expect(await read(stuck.id)).toMatchObject({ name: 'stuck' })
})

test('[CK3] a file that cannot be written delays no other by more than a second', async () => {
  const { store, clock, folder, mirror, create, read } = await openMirrored()
  const other = await create('other')
  await mkdir(join(folder, 'projects'), { mode: 0o700 })
  const stuck = await create('stuck')
  await writeFile(join(folder, 'projects', stuck.id), '')
  for (let tries = 0; tries < 6; tries++) await mirror.flush().catch(() => undefined)
  await store.run(changeProject, { projectId: other.id, name: 'changed', by: 'owner' })
  clock.advance(1000)
  await expect.poll(async () => (await read(other.id)).name).toBe('changed')
  expect(mirror.problem).toContain(stuck.id)
})

test('[CK2] a clock that was put back keeps no file behind', async () => {
  const { clock, folder, mirror, create, read } = await openMirrored()
  await mkdir(join(folder, 'projects'), { mode: 0o700 })
  const { id } = await create('stuck')
  await writeFile(join(folder, 'projects', id), '')
  for (let tries = 0; tries < 6; tries++) await mirror.flush().catch(() => undefined)
  await rm(join(folder, 'projects', id))
  clock.advance(-3_600_000)
  await create('other')
  clock.advance(1000)
  await expect.poll(() => read(id).catch(() => undefined)).toMatchObject({ name: 'stuck' })
})
