import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { type Project, Project as ProjectSchema } from '../../../src/protocol/projects/project.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { changeProject, createProject } from '../../../src/services/projects/change-project.ts'
import { getProject, listProjects } from '../../../src/services/projects/queries.ts'
import { by, eventsOf, open, refused, typesOf } from './installation.ts'

describe('projects', () => {
  test('[ID1] a new project gets an id of its day and the settings that apply', async () => {
    const { store } = await open()
    const project = await store.run(createProject, {
      name: 'Lighthouse',
      path: '/srv/lighthouse',
      by,
    })
    expect(project.id).toMatch(/^proj_20260301_[a-z0-9]{6}$/)
    expect(project).toMatchObject({
      name: 'Lighthouse',
      path: '/srv/lighthouse',
      agentIds: [],
      createdAt: '2026-03-01T09:00:00.000Z',
    })
    expect(project.settings['chat.soft_timeout_minutes']).toBe(10)
    expect(ProjectSchema.parse(project)).toEqual(project)
    expect(await store.query(getProject, { projectId: project.id })).toEqual(project)
  })

  test('[HT6] creating, changing and deleting are in home with their bodies and in the project with a reference', async () => {
    const { store } = await open()
    const created = await store.run(createProject, { name: 'a', by })
    const projectId = created.id
    const changed = await store.run(changeProject, { projectId, name: 'b', by })
    await store.run(deleteProject, { projectId, by })
    expect(await eventsOf(store, 'home')).toEqual([
      { type: 'project-created', data: { project: created, by } },
      { type: 'project-changed', data: { project: changed, by } },
      { type: 'project-deleted', data: { projectId, by } },
    ])
    expect(await eventsOf(store, projectStream(projectId))).toEqual([
      { type: 'project-created', data: { refStream: 'home', refSeq: 1 } },
      { type: 'project-changed', data: { refStream: 'home', refSeq: 2 } },
      { type: 'project-deleted', data: { refStream: 'home', refSeq: 3 } },
    ])
  })

  test('[ID1] projects created at the same moment all get ids of their own', async () => {
    const { store } = await open()
    const made = await Promise.all(
      Array.from({ length: 200 }, (_, n) => store.run(createProject, { name: `p${n}`, by })),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(200)
  })

  test('[NA10] a change of settings keeps what it does not name, and null takes one back', async () => {
    const { store, clock } = await open()
    const { id: projectId } = await store.run(createProject, {
      name: 'a',
      settings: { 'restart.max': 7 },
      by,
    })
    clock.advance(1000)
    const changed = await store.run(changeProject, {
      projectId,
      settings: { 'chat.soft_timeout_minutes': 0.1 },
      by,
    })
    expect(changed.settings).toMatchObject({ 'restart.max': 7, 'chat.soft_timeout_minutes': 0.1 })
    expect(changed.updatedAt).toBe('2026-03-01T09:00:01.000Z')
    const back = await store.run(changeProject, {
      projectId,
      settings: { 'restart.max': null },
      by,
    })
    expect(back.settings).toMatchObject({ 'restart.max': 3, 'chat.soft_timeout_minutes': 0.1 })
    expect(await store.query(getProject, { projectId })).toEqual(back)
  })

  test('[NA10] a bad setting is refused with its range and changes nothing, not even the name sent with it', async () => {
    const { store } = await open()
    const project = await store.run(createProject, { name: 'a', by })
    const change = {
      projectId: project.id,
      name: 'b',
      settings: { 'chat.wait_interval_seconds': 56 },
      by,
    }
    expect(await refused(store, () => store.run(changeProject, change))).toEqual({
      code: 'invalid_setting',
      fields: { key: 'chat.wait_interval_seconds', min: 1, max: 55 },
    })
    expect(await store.query(getProject, { projectId: project.id })).toEqual(project)
    expect(
      await refused(store, () =>
        store.run(createProject, { name: 'c', settings: { 'restart.max': 1.5 }, by }),
      ),
    ).toMatchObject({
      code: 'invalid_setting',
    })
  })

  test('[HT2] a change that changes nothing answers the project and leaves no event', async () => {
    const { store, clock } = await open()
    const project = await store.run(createProject, {
      name: 'a',
      path: '/a',
      settings: { 'restart.max': 7 },
      by,
    })
    clock.advance(1000)
    const projectId = project.id
    expect(await store.run(changeProject, { projectId, by })).toEqual(project)
    expect(
      await store.run(changeProject, {
        projectId,
        name: 'a',
        path: '/a',
        settings: { 'restart.max': 7 },
        by,
      }),
    ).toEqual(project)
    expect(await typesOf(store, 'home')).toEqual(['project-created'])
  })

  test('[HT2] the path can be taken away, and stays when it is not named', async () => {
    const { store } = await open()
    const { id: projectId } = await store.run(createProject, { name: 'a', path: '/a', by })
    expect(await store.run(changeProject, { projectId, name: 'b', by })).toMatchObject({
      path: '/a',
    })
    expect(await store.run(changeProject, { projectId, path: null, by })).toMatchObject({
      name: 'b',
      path: null,
    })
  })

  test('[HT2] an unknown project is not found, and asking leaves no stream behind', async () => {
    const { store } = await open()
    const projectId = 'proj_20260301_nobody'
    for (const attempt of [
      () => store.query(getProject, { projectId }),
      () => store.run(changeProject, { projectId, name: 'x', by }),
      () => store.run(deleteProject, { projectId, by }),
    ]) {
      expect(await refused(store, attempt)).toEqual({ code: 'not_found', fields: { projectId } })
    }
    expect(await store.streamsAfter('', 10)).toEqual([])
  })

  test('[ID1] a deleted project is gone and its id is not given out again', async () => {
    const { store } = await open()
    const { id: projectId } = await store.run(createProject, { name: 'a', by })
    await store.run(deleteProject, { projectId, by })
    expect(await refused(store, () => store.query(getProject, { projectId }))).toMatchObject({
      code: 'not_found',
    })
    expect(await store.query(listProjects, { limit: 50 })).toEqual({ items: [], nextCursor: null })
    expect(await store.positions([projectStream(projectId)])).toEqual([{ head: 2, floor: 0 }])
  })
})

describe('pages of projects', () => {
  test('[HT1] pages are newest first and hold each project once, also when some are added and removed meanwhile', async () => {
    const { store, clock } = await open()
    const made: Project[] = []
    for (let n = 0; n < 25; n++) {
      // Several in the same millisecond: the id then decides.
      if (n % 4 === 0) clock.advance(1)
      made.push(await store.run(createProject, { name: `p${n}`, by }))
    }
    const expected = made
      .toSorted((a, b) => (`${b.createdAt} ${b.id}` < `${a.createdAt} ${a.id}` ? -1 : 1))
      .map(({ name }) => name)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.query(listProjects, { limit: 7, ...(cursor && { cursor }) })
      seen.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor ?? undefined
      clock.advance(1)
      await store.run(createProject, { name: 'newer than the page', by })
      const passed = made.find(({ name }) => name === seen[0])
      if (seen.length === 7 && passed) await store.run(deleteProject, { projectId: passed.id, by })
    } while (cursor)
    expect(seen).toEqual(expected)
  })

  test('[HT1] a page that takes the last one has no next cursor', async () => {
    const { store } = await open()
    for (const name of ['a', 'b']) await store.run(createProject, { name, by })
    expect((await store.query(listProjects, { limit: 2 })).nextCursor).toBeNull()
    expect((await store.query(listProjects, { limit: 1 })).nextCursor).toEqual(expect.any(String))
  })

  test('[HT1] a cursor that no list has answered is refused', async () => {
    const { store } = await open()
    const foreign = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url')
    const bad = [
      '',
      'x',
      '%%%',
      foreign(null),
      foreign({}),
      foreign(['2026-03-01T09:00:00.000Z']),
      foreign(['yesterday', 'a']),
    ]
    for (const cursor of [
      ...bad,
      foreign(['2026-03-01T09:00:00.000Z', 7]),
      foreign(['2026-03-01T09:00:00.000Z', 'a'.repeat(301)]),
    ]) {
      expect(
        await refused(store, () => store.query(listProjects, { limit: 5, cursor })),
        cursor,
      ).toMatchObject({
        code: 'invalid_request',
      })
    }
  })
})
