/**
 * What people write into the files beside the database by hand (AR3): taken in, or refused in words
 * and left alone.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestServer } from '../../support/server.ts'

async function open() {
  const server = await openTestServer()
  const { ask, folder } = server
  const post = async (to: string, body: unknown = {}) =>
    (await ask(to, { method: 'POST', body })).json
  const { id: projectId } = await post('/api/projects', { name: 'p' })
  const workSessions = `/api/projects/${projectId}/sessions`
  const { id } = await post(workSessions, {})
  const at = `${workSessions}/${id}`
  const path = join(folder, 'projects', projectId, 'sessions', id, 'approaches.json')
  const record = (description: string) =>
    post(`${at}/approaches`, { kind: 'untried', category: 'c', description })
  /** Asked for, so that the files are written; a round more for what was taken in by the first. */
  const settle = async () => {
    for (let rounds = 0; rounds < 2; rounds++) await post(`${at}/checkpoint`)
  }
  const read = async () => JSON.parse(await readFile(path, 'utf8'))
  const edit = async (change: (file: ReturnType<typeof JSON.parse>) => unknown) =>
    writeFile(path, JSON.stringify(change(await read())))
  const whole = async () => (await ask(at)).json
  const known = async () =>
    (await whole()).approaches
      .map(({ id: each, description }: Record<string, string>) => [each, description])
      .sort()
  await record('ours')
  await settle()
  return { ...server, post, at, path, record, settle, read, edit, whole, known }
}

test('[AR3] entries that a person adds to approaches.json become approaches, with their id where it is free, and are in the file again', async () => {
  const { settle, read, edit, known, record, whole, log } = await open()
  const failed = {
    id: 'approach_f007',
    category: 'jump',
    description: 'by hand',
    failure_reason: 'fell',
    avoid: true,
    learnings: ['no'],
  }
  const untried = { category: 'jump', description: 'nameless', next_to_try: true }
  await edit((file) => ({ ...file, failed: [failed], untried: [...file.untried, untried] }))
  await settle()
  expect(await known()).toEqual([
    ['approach_f007', 'by hand'],
    ['approach_u001', 'ours'],
    ['approach_u002', 'nameless'],
  ])
  await record('ours again')
  await settle()
  expect((await read()).failed).toMatchObject([
    { id: 'approach_f007', failure_reason: 'fell', avoid: true, learnings: ['no'] },
  ])
  expect((await read()).untried.map(({ id }: { id: string }) => id)).toEqual([
    'approach_u001',
    'approach_u002',
    'approach_u003',
  ])
  expect((await whole()).fileProblem).toBeNull()
  expect(log()).toContain('imported from file')
})

test('[AR1] [AR3] an entry that is moved from untried to failed or verified in the file has been tried, keeps its id and its history, and the file goes on', async () => {
  const { settle, read, edit, record, whole, path, log } = await open()
  await record('second')
  await record('third')
  await settle()
  const move = (id: string, kind: 'failed' | 'verified', words: object) =>
    edit((file) => {
      const { [kind]: there, untried } = file
      const moved = { ...untried.find((each: { id: string }) => each.id === id), ...words }
      return {
        ...file,
        [kind]: [...there, moved],
        untried: untried.filter((each: { id: string }) => each.id !== id),
      }
    })
  const approach = async (id: string) =>
    (await whole()).approaches.find((each: { id: string }) => each.id === id)
  await move('approach_u001', 'failed', {
    next_to_try: true,
    failure_reason: 'fell',
    learnings: ['no'],
    avoid: true,
  })
  await settle()
  expect(await approach('approach_u001')).toMatchObject({
    kind: 'failed',
    description: 'ours',
    failureReason: 'fell',
    learnings: ['no'],
    avoid: true,
    priority: null,
    nextToTry: false,
    history: [{ by: 'owner', before: { kind: 'untried', priority: 'medium' } }],
  })
  expect((await whole()).approaches).toHaveLength(3)
  expect((await whole()).fileProblem).toBeNull()
  expect(log()).toContain('imported from file')
  await record('meanwhile')
  await settle()
  expect((await read()).failed).toMatchObject([
    { id: 'approach_u001', failure_reason: 'fell', date: expect.any(String) },
  ])
  expect((await read()).untried.map(({ id }: { id: string }) => id)).toEqual([
    'approach_u002',
    'approach_u003',
    'approach_u004',
  ])
  // What cannot be moved, and a moved one with words that are none, is told and changes nothing;
  // then the next is taken in.
  const good = await readFile(path, 'utf8')
  for (const [id, words, why] of [
    ['approach_u002', { failure_reason: 7 }, /failed, new entry 1.*failureReason/],
    ['approach_u002', { description: '' }, /failed, new entry 1.*description/],
  ] as const) {
    await move(id, 'failed', words)
    await settle()
    expect((await whole()).fileProblem).toMatch(why)
    expect(await approach(id)).toMatchObject({ kind: 'untried', history: [] })
    await writeFile(path, good)
  }
  await edit(({ failed, ...file }) => ({
    ...file,
    failed: [],
    untried: [...file.untried, ...failed],
  }))
  await settle()
  expect((await whole()).fileProblem).toMatch(
    /approach_u001 in approaches.json was changed or removed/,
  )
  await writeFile(path, good)
  await move('approach_u002', 'verified', { evidence: { passed: 5 } })
  await settle()
  expect(await approach('approach_u002')).toMatchObject({
    kind: 'verified',
    evidence: { passed: 5 },
    reusable: true,
  })
  expect((await whole()).fileProblem).toBeNull()
  await move('approach_u004', 'failed', {})
  await settle()
  expect((await approach('approach_u004')).kind).toBe('failed')
  expect((await read()).untried).toMatchObject([{ id: 'approach_u003' }])
})

test('[AR3] words that are changed in their place in approaches.json are taken in, with what they were, and the file goes on', async () => {
  const { settle, read, edit, record, whole } = await open()
  await record('second')
  await settle()
  const reword = (id: string, words: object) =>
    edit(({ untried, ...file }) => ({
      ...file,
      untried: untried.map((each: { id: string }) =>
        each.id === id ? { ...each, ...words } : each,
      ),
    }))
  await reword('approach_u001', {
    description: 'mine',
    learnings: ['look twice'],
    priority: 'high',
  })
  await settle()
  const approach = async (id: string) =>
    (await whole()).approaches.find((each: { id: string }) => each.id === id)
  expect(await approach('approach_u001')).toMatchObject({
    kind: 'untried',
    description: 'mine',
    learnings: ['look twice'],
    priority: 'high',
    history: [{ by: 'owner', before: { description: 'ours', learnings: [], priority: 'medium' } }],
  })
  expect((await whole()).fileProblem).toBeNull()
  await record('meanwhile')
  await settle()
  expect((await read()).untried).toMatchObject([
    { id: 'approach_u001', description: 'mine' },
    { id: 'approach_u002', description: 'second' },
    { id: 'approach_u003', description: 'meanwhile' },
  ])
  // Words that are none are told, and change nothing.
  await reword('approach_u002', { description: '' })
  await settle()
  expect((await whole()).fileProblem).toMatch(/description/)
  expect(await approach('approach_u002')).toMatchObject({ description: 'second', history: [] })
})

test('[AR3] what was changed, removed or is no such file is refused in words, and the file is left alone until it is mended', async () => {
  const { path, settle, read, edit, record, whole, known, log } = await open()
  const good = await readFile(path, 'utf8')
  const broken: [string, RegExp][] = [
    ['{"verified": [', /not JSON/],
    [
      JSON.stringify({ ...JSON.parse(good), failed: [{ category: 'c' }] }),
      /failed, new entry 1.*description/,
    ],
    [
      JSON.stringify({
        ...JSON.parse(good),
        schema_version: '9.0',
        untried: [...JSON.parse(good).untried, {}],
      }),
      /9\.0/,
    ],
    [
      JSON.stringify({ ...JSON.parse(good), untried: [] }),
      /approach_u001 in approaches.json was changed or removed/,
    ],
    [
      good.replace(/"category": .*,\n/, ''),
      /approach_u001 in approaches.json was changed or removed/,
    ],
  ]
  for (const [text, why] of broken) {
    await writeFile(path, text)
    await settle()
    expect(await readFile(path, 'utf8')).toBe(text)
    expect((await whole()).fileProblem).toMatch(why)
  }
  expect(log()).toContain('was not imported')
  // What is new beside it is taken in once, however often it is looked at.
  await edit((file) => ({ ...file, verified: [{ category: 'c', description: 'new beside it' }] }))
  await settle()
  await record('meanwhile')
  await settle()
  expect((await known()).map(([, description]: string[]) => description)).toEqual([
    'new beside it',
    'ours',
    'meanwhile',
  ])
  expect((await read()).untried).toMatchObject([{ description: 'ours' }])
  await rm(path)
  await settle()
  expect((await whole()).fileProblem).toBeNull()
  expect((await read()).untried).toHaveLength(2)
  expect((await read()).verified).toMatchObject([{ description: 'new beside it' }])
})

test('[AR3] [CK6] the file of work that has ended is read when it is resumed, and not written', async () => {
  const { post, at, path, edit, settle, whole } = await open()
  await post(`${at}/end`, { reason: 'power' })
  await settle()
  await edit((file) => ({ ...file, failed: [{ category: 'c', description: 'found later' }] }))
  const edited = await readFile(path, 'utf8')
  await post(`${at}/resume`)
  await settle()
  await settle()
  expect(await readFile(path, 'utf8')).toBe(edited)
  const { children, approaches, fileProblem } = await whole()
  expect([approaches.length, fileProblem]).toEqual([2, null])
  const child = await post(
    `/api/projects/${children[0].projectId}/sessions/${children[0].id}/checkpoint`,
  )
  expect(
    JSON.parse(await readFile(join(child.path, '..', 'approaches.json'), 'utf8')).failed,
  ).toMatchObject([{ description: 'found later' }])
})
