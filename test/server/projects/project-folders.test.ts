/** SE11: which folders a project may have, and what readers are told of them. */
import { mkdirSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { playMachine } from '../../support/relay.ts'
import {
  type Answer,
  openTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const create = (server: TestServer, path: string, name = 'p'): Promise<Answer> =>
  server.ask('/api/projects', { method: 'POST', body: { name, path } })

/** Everything refused leaves no project behind. */
async function expectRefused(
  server: TestServer,
  path: string,
  code: string,
  words: RegExp,
): Promise<void> {
  const before = (await server.ask('/api/projects')).json.items.length
  const answer = await create(server, path)
  expect([path, answer.json.code, answer.json.detail]).toEqual([
    path,
    code,
    expect.stringMatching(words),
  ])
  expect((await server.ask('/api/projects')).json.items).toHaveLength(before)
}

async function open(options: TestServerOptions = {}) {
  const server = await openTestServer(options)
  const place = realpathSync(temporaryFolder())
  const made = (name: string): string => {
    mkdirSync(join(place, name), { recursive: true })
    return join(place, name)
  }
  const link = (name: string, target: string): string => {
    symlinkSync(target, join(place, name))
    return join(place, name)
  }
  return { server, place, made, link, data: realpathSync(server.folder) }
}

test('[SE11] nobody has a project in the data folder, above it, or through a link into it; the owner neither', async () => {
  const { server, link, data } = await open()
  mkdirSync(join(data, 'projects', 'x'), { recursive: true })
  for (const path of [
    data,
    `${data}/`,
    join(data, 'projects', 'x'),
    link('into', data),
    join(link('deep', data), 'projects'),
  ])
    await expectRefused(server, path, 'folder_refused', /is inside the data folder/)
  await expectRefused(
    server,
    join(data, 'not', 'there', 'yet'),
    'folder_refused',
    /is inside the data folder/,
  )
  for (const path of [join(data, '..'), link('above', join(data, '..'))].map((each) =>
    realpathSync(each),
  ))
    await expectRefused(
      server,
      path,
      'folder_refused',
      /where agents could reach it: start .*--data/,
    )
})

test('[SE11] nobody has a project in the folders of the system, by whatever way', async () => {
  const { server, link } = await open()
  for (const path of [
    '/',
    '/etc',
    '/etc/ssl',
    '/proc',
    '/proc/self',
    '/sys/kernel',
    '/dev',
    '/dev/shm',
    link('sys', '/etc'),
    '//etc',
  ])
    await expectRefused(server, path, 'folder_refused', /belongs to the system|lies in/)
})

test('[SE11] the demo’s own folder is the one exception', async () => {
  const { server, data } = await open()
  mkdirSync(join(data, 'demo', 'below'), { recursive: true })
  expect((await create(server, join(data, 'demo'))).json).toMatchObject({
    path: join(data, 'demo'),
  })
  await expectRefused(
    server,
    join(data, 'demo', 'below'),
    'folder_refused',
    /is inside the data folder/,
  )
  rmSync(join(data, 'demo'), { recursive: true })
  symlinkSync(data, join(data, 'demo'))
  await expectRefused(server, join(data, 'demo'), 'folder_refused', /is inside the data folder/)
})

test('[SE11] projects.roots narrows it to folders that are named, links followed', async () => {
  const roots = [realpathSync(temporaryFolder())]
  const { server, made, link } = await open({ roots })
  const inside = join(roots[0] ?? '', 'shop')
  mkdirSync(inside)
  expect((await create(server, inside)).status).toBe(201)
  await expectRefused(
    server,
    made('other'),
    'folder_refused',
    /outside the folders allowed for projects/,
  )
  symlinkSync(made('other'), join(roots[0] ?? '', 'out'))
  await expectRefused(
    server,
    join(roots[0] ?? '', 'out'),
    'folder_refused',
    /outside the folders allowed/,
  )
  expect((await create(server, link('in', inside))).json).toMatchObject({ code: 'folder_taken' })
})

test('[SE11] folders are listed to choose from, from home or a root on, with which are git repositories; where none may be chosen nothing is shown', async () => {
  const roots = [realpathSync(temporaryFolder())]
  const [root = ''] = roots
  mkdirSync(join(root, 'shop', '.git'), { recursive: true })
  mkdirSync(join(root, 'plain', 'below'), { recursive: true })
  const { server, made } = await open({ roots })
  const list = async (path?: string) =>
    (await server.ask(`/api/folders${path ? `?path=${encodeURIComponent(path)}` : ''}`)).json
  const items = [
    { name: 'plain', path: join(root, 'plain'), hasGit: false },
    { name: 'shop', path: join(root, 'shop'), hasGit: true },
  ]
  expect(await list()).toEqual({ path: root, parent: null, hasGit: false, items, more: false })
  expect(await list(join(root, 'shop'))).toMatchObject({ parent: root, hasGit: true, items: [] })
  expect(await list(made('outside'))).toMatchObject({ code: 'folder_refused' })
  expect(await list(join(root, 'no-such'))).toMatchObject({ code: 'folder_missing' })
  const { server: free, data } = await open()
  const refused = (path: string) => free.ask(`/api/folders?path=${encodeURIComponent(path)}`)
  for (const path of ['/etc', data])
    expect((await refused(path)).json).toMatchObject({ code: 'folder_refused' })
  expect((await refused('/')).json.items).toContainEqual({
    name: 'etc',
    path: '/etc',
    hasGit: false,
  })
})

test('[UI6] git repositories are found below the roots, the latest change first', async () => {
  const roots = [realpathSync(temporaryFolder())]
  const [root = ''] = roots
  const repository = (...path: string[]) => {
    const folder = join(root, ...path)
    mkdirSync(join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main')
    return folder
  }
  const old = repository('src', 'old')
  utimesSync(join(old, '.git', 'HEAD'), 1_000_000, 1_000_000)
  const shop = repository('shop')
  // Neither what lies in another one nor what programs keep for themselves.
  for (const path of [
    ['shop', 'below'],
    ['node_modules', 'dep'],
    ['.cache', 'x'],
  ])
    repository(...path)
  const worktree = join(root, 'worktree')
  mkdirSync(worktree)
  writeFileSync(join(worktree, '.git'), 'gitdir: elsewhere')
  symlinkSync(shop, join(root, 'link'))
  const { server } = await open({ roots })
  expect((await server.ask('/api/repositories')).json).toEqual({
    items: [
      { name: 'shop', path: shop, changedAt: expect.stringMatching(/^20/) },
      { name: 'old', path: old, changedAt: '1970-01-12T13:46:40.000Z' },
    ],
    more: false,
  })
})

test('[SE18] one folder has one project, whatever it is called, also when many ask at once', async () => {
  const { server, made, link, place } = await open()
  const shop = made('shop')
  const first = await create(server, `${shop}/`, 'Shop')
  expect(first.json).toMatchObject({ path: shop })
  const taken = {
    code: 'folder_taken',
    status: 409,
    projectId: first.json.id,
    detail: expect.stringContaining('Shop'),
  }
  for (const path of [shop, `${shop}//`, join(place, '.', 'shop'), link('shop-link', shop)])
    expect((await create(server, path)).json).toMatchObject(taken)
  const { json: second } = await create(server, made('second'), 'Second')
  const move = (body: object): Promise<Answer> =>
    server.ask(`/api/projects/${second.id}`, { method: 'PATCH', body })
  expect((await move({ path: join(place, 'shop-link') })).json).toMatchObject(taken)
  expect((await move({ path: `${second.path}/` })).json).toMatchObject({ path: second.path })
  const race = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => create(server, made('race'), name)),
  )
  expect(race.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
})

test('[SE11] the same request again is answered as before, although its folder is taken by then', async () => {
  const { server, made } = await open()
  const ask = {
    method: 'POST',
    body: { name: 'p', path: made('once') },
    headers: { 'idempotency-key': 'k-1' },
  }
  const first = await server.ask('/api/projects', ask)
  rmSync(made('once'), { recursive: true })
  expect((await server.ask('/api/projects', ask)).json).toEqual(first.json)
})

test('[SE18] a folder that is missing is refused at first and shown as missing later', async () => {
  const { server, made, place } = await open()
  await expectRefused(
    server,
    join(place, 'nowhere'),
    'folder_missing',
    /The folder .*nowhere does not exist on this machine: create it/,
  )
  await expectRefused(server, `/${'x'.repeat(3000)}`, 'folder_missing', /does not exist/)
  writeFileSync(join(place, 'file'), '')
  await expectRefused(server, join(place, 'file'), 'folder_missing', /is not a folder/)
  const { json: project } = await create(server, made('here'))
  const shown = async (): Promise<unknown[]> => [
    (await server.ask(`/api/projects/${project.id}`)).json.folder,
    (await server.ask('/api/projects')).json.items[0].folder,
  ]
  expect(await shown()).toEqual(['found', 'found'])
  rmSync(join(place, 'here'), { recursive: true })
  expect(await shown()).toEqual(['missing', 'missing'])
  const body = { name: 'renamed', path: project.path }
  const renamed = await server.ask(`/api/projects/${project.id}`, { method: 'PATCH', body })
  expect(renamed.json).toMatchObject({ name: 'renamed', path: project.path })
})

test('[SE18] a folder that is missing here may be on another machine that runs agents, and is taken as it is', async () => {
  const server = await openTestServer()
  const joins = async (machine: string): Promise<void> => {
    const body = { name: machine, kind: 'coordinator' }
    const { id, token } = (await server.ask('/api/tokens', { method: 'POST', body })).json
    await playMachine(server, id, token, 'first', machine)
  }
  expect((await create(server, '/srv/far/away')).json).toMatchObject({ code: 'folder_missing' })
  await joins(hostname())
  expect((await create(server, '/srv/far/away')).json).toMatchObject({ code: 'folder_missing' })
  await joins('far-away')
  const { json: project } = await create(server, '/srv/far/away/')
  expect((await server.ask(`/api/projects/${project.id}`)).json).toMatchObject({
    path: '/srv/far/away',
    folder: 'elsewhere',
  })
  expect((await create(server, '/srv/far/away')).json).toMatchObject({ code: 'folder_taken' })
})
