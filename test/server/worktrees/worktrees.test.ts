/** Worktrees over HTTP: real trees on a machine that is asked over its link (WT2-WT6). */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { handleDue } from '../../../src/jobs/due-work.ts'
import { dueWorktrees } from '../../../src/jobs/due-worktrees.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { CoordinatorRequests } from '../../../src/server/processes/coordinator-requests.ts'
import { Worktrees } from '../../../src/server/worktrees/worktrees.ts'
import { createToken } from '../../../src/services/access/change-access.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { pass } from '../../support/relay.ts'
import { openWorktreeRoom } from '../../support/worktree-machine.ts'

test('[WT2] a worktree is in the register from the moment it is made: branch, ahead and behind, files, diff, patch', async () => {
  const { work, api, project } = await openWorktreeRoom()
  const { id, tree, branch } = await work('auth')
  tree.write('new.txt', 'hello\n')
  tree.write('picture.png', '\u0000\u0001')
  tree.write('README.md', '# project\n\nchanged\n')
  project.git('commit', '--quiet', '--allow-empty', '-m', 'Meanwhile')
  const { json } = await api(`/${id}`)
  expect(json).toMatchObject({
    worktree: {
      id,
      role: 'auth',
      agentId: 'coder',
      kind: 'worktree',
      branch,
      baseBranch: 'main',
      note: null,
      removedAt: null,
    },
    state: {
      branch,
      ahead: 0,
      behind: 1,
      fileCount: 3,
      uncommitted: 3,
      command: `git switch main && git merge ${branch}`,
    },
  })
  const diff = await api(`/${id}/diff`)
  expect(diff.json).toMatchObject({
    cut: false,
    leftOut: 0,
    text: expect.stringContaining('+changed'),
  })
  expect(diff.json.text).toContain('Binary files /dev/null and b/picture.png differ')
  const one = await api(`/${id}/diff?path=new.txt`)
  expect(one.json.text).toContain('+hello')
  expect(one.json.text).not.toContain('README')
  expect((await api(`/${id}/diff?path=${encodeURIComponent(':(top)*')}`)).json.text).toBe('')
  const patch = await api(`/${id}/patch`)
  expect([patch.status, patch.headers['content-type']]).toEqual([200, 'text/x-patch'])
  expect(patch.headers['content-disposition']).toMatch(
    /^attachment; filename="holdfast-[0-9a-f]{8}-auth.patch"$/,
  )
  writeFileSync(join(project.folder, 'work.patch'), patch.text)
  project.git('apply', '--check', 'work.patch')
  const listed = await api('?look=true')
  expect(listed.json.items).toMatchObject([
    { id, look: { uncommitted: 3, canGo: 'would_lose', disk: { complete: true } }, trouble: null },
  ])
  expect(listed.json.items[0].look.disk.bytes).toBeGreaterThan(0)
})

test('[WT6] commit and merge get the work out, once for a key; a conflict leaves both sides untouched and says what to type', async () => {
  const { work, api, project } = await openWorktreeRoom()
  const { id, tree, branch } = await work('auth')
  tree.write('README.md', '# project\n\nours\n')
  const asked = {
    method: 'POST',
    body: { message: 'Our work' },
    headers: { 'idempotency-key': 'once' },
  }
  const first = await api(`/${id}/commit`, asked)
  expect(first.json).toMatchObject({ commit: tree.git('rev-parse', 'HEAD'), files: 1 })
  expect(tree.git('log', '-1', '--format=%s %an <%ae>')).toBe(
    'Our work Holdfast <agents@holdfast.invalid>',
  )
  tree.write('more.txt', 'x')
  expect((await api(`/${id}/commit`, asked)).json).toEqual(first.json)
  expect(tree.git('status', '--porcelain')).toBe('?? more.txt')
  const dirty = await api(`/${id}/merge`, { method: 'POST', body: {} })
  expect([dirty.status, dirty.json.code, dirty.json.reason]).toEqual([
    409,
    'wrong_state',
    'uncommitted',
  ])
  await api(`/${id}/commit`, { method: 'POST', body: {} })
  project.write('README.md', '# project\n\ntheirs\n')
  project.git('commit', '--quiet', '-am', 'Theirs')
  const before = [
    project.git('rev-parse', 'main'),
    tree.git('rev-parse', 'HEAD'),
    project.git('status', '--porcelain'),
  ]
  for (const how of ['merge', 'rebase']) {
    const { status, json } = await api(`/${id}/merge`, { method: 'POST', body: { how } })
    expect([status, json.code, json.files]).toEqual([409, 'merge_conflict', ['README.md']])
    expect(json.command).toContain(branch)
  }
  expect([
    project.git('rev-parse', 'main'),
    tree.git('rev-parse', 'HEAD'),
    project.git('status', '--porcelain'),
  ]).toEqual(before)
  project.git('branch', 'elsewhere', 'main~1')
  const merged = await api(`/${id}/merge`, { method: 'POST', body: { branch: 'elsewhere' } })
  expect(merged.json).toMatchObject({
    outcome: 'done',
    branch: 'elsewhere',
    commit: project.git('rev-parse', 'elsewhere'),
  })
  expect(
    (await api(`/${id}/merge`, { method: 'POST', body: { branch: 'elsewhere' } })).json.outcome,
  ).toBe('nothing_new')
  for (const bad of ['--upload-pack=x', 'main^{/x}', 'a..b', '', 'a b', '@', 'x.lock'])
    expect((await api(`/${id}/merge`, { method: 'POST', body: { branch: bad } })).status).toBe(400)
})

test('[WT3] removal asks for exactly what would be lost; what changed since is asked for anew; then it leaves the register', async () => {
  const { work, api, project } = await openWorktreeRoom()
  const { id, tree, top, branch } = await work('auth')
  tree.write('only.txt', 'one')
  const refused = await api(`/${id}`, { method: 'DELETE' })
  expect([refused.status, refused.json.code]).toEqual([409, 'would_lose'])
  expect(refused.json.losses).toMatchObject({
    files: [{ path: 'only.txt', change: 'untracked' }],
    commits: [],
    unfinished: [],
  })
  expect((await api(`/${id}/losses`)).json).toEqual(refused.json.losses)
  tree.write('only.txt', 'one and more')
  const anew = await api(`/${id}?confirm=${refused.json.losses.digest}`, { method: 'DELETE' })
  expect([anew.status, anew.json.code]).toEqual([409, 'would_lose'])
  expect(existsSync(join(top, 'only.txt'))).toBe(true)
  const gone = await api(`/${id}?confirm=${anew.json.losses.digest}`, { method: 'DELETE' })
  expect([gone.status, existsSync(top), project.git('branch', '--list', branch)]).toEqual([
    204,
    false,
    '',
  ])
  expect((await api('')).json.items).toEqual([])
  expect((await api('?removed=true')).json.items).toMatchObject([
    { id, removedAt: expect.any(String) },
  ])
  expect((await api(`/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await api(`/${id}/diff`)).json.code).toBe('wrong_state')
  expect((await api(`/${id}`)).json).toMatchObject({ state: null })
})

test('[WT3] by the policy of its project a tree that nobody uses goes when nothing would be lost, and otherwise stays', async () => {
  const room = await openWorktreeRoom()
  const { work, api, server, machine1, client1 } = room
  const { store, clock } = server
  const [clean, dirty] = [await work('clean'), await work('dirty')]
  dirty.tree.write('only.txt', 'x')
  const worktrees = new Worktrees(store, new CoordinatorRequests(store, clock))
  const unused = dueWorktrees(store, worktrees)
  const logger = createLogger({ level: 'silent', format: 'json' })
  const left = async (): Promise<string[]> => {
    await handleDue(unused, { clock, logger })
    return (await api('')).json.items.map(({ role }: { role: string }) => role)
  }
  await pass(room, 9000, machine1.socket, client1)
  expect(await left()).toEqual(['dirty', 'clean'])
  // A little more than 8 seconds.
  const settings = { 'worktree.remove_after_days': 0.0001 }
  await server.ask(`/api/projects/${room.projectId}`, { method: 'PATCH', body: { settings } })
  expect(await left()).toEqual(['dirty'])
  expect([existsSync(clean.top), existsSync(dirty.top)]).toEqual([false, true])
  const events = await store.eventsAfter(projectStream(room.projectId), 0, 1000)
  const removed = events
    .filter(({ type }) => type === 'worktree-removed')
    .map(({ data }) => JSON.parse(data ?? ''))
  expect(removed).toEqual([{ worktreeId: clean.id, by: 'system' }])
})

test('[WT3] an agent that works in it, or is on its way there, keeps it; what git refuses is reported and stays', async () => {
  const { work, api, occupancy, project } = await openWorktreeRoom()
  const { id, top, launchId } = await work('auth')
  await occupancy.enter(launchId, join(top, '..'), async () => top, String)
  const used = await api(`/${id}`, { method: 'DELETE' })
  expect([used.status, used.json.code]).toEqual([409, 'worktree_in_use'])
  occupancy.leave(launchId)
  const arriving = Promise.withResolvers<string>()
  const arrival = occupancy.enter('another', join(top, '..'), () => arriving.promise, String)
  expect((await api(`/${id}`, { method: 'DELETE' })).json.code).toBe('worktree_in_use')
  arriving.resolve('elsewhere')
  await arrival
  project.git('worktree', 'lock', top)
  const locked = await api(`/${id}`, { method: 'DELETE' })
  expect([locked.status, locked.json.code, existsSync(join(top, 'README.md'))]).toEqual([
    409,
    'git_refused',
    true,
  ])
  project.git('worktree', 'unlock', top)
  expect((await api(`/${id}`, { method: 'DELETE' })).status).toBe(204)
})

test('[WT4] a project without a commit has plain directories, and every answer says so in words', async () => {
  const { work, api } = await openWorktreeRoom(makeRepository({ commit: false }))
  const { id, top } = await work('auth')
  expect((await api(`/${id}`)).json).toMatchObject({
    worktree: { kind: 'plain', branch: null, note: expect.stringContaining('no commit yet') },
    state: null,
  })
  const diff = await api(`/${id}/diff`)
  expect([diff.status, diff.json.detail]).toEqual([409, expect.stringContaining('no commit yet')])
  writeFileSync(join(top, 'x'), 'x')
  expect((await api('?look=true')).json.items).toMatchObject([{ look: { canGo: 'refused' } }])
  expect((await api(`/${id}`, { method: 'DELETE' })).json.code).toBe('git_refused')
  expect(existsSync(join(top, 'x'))).toBe(true)
})

test('[WT2] a machine that is away, or does not answer, is said to be; nothing is done twice by asking again', async () => {
  const room = await openWorktreeRoom()
  const { work, api, machine1, client1, fallSilent } = room
  const { id, tree } = await work('auth')
  tree.write('x', 'x')
  fallSilent()
  const headers = { 'idempotency-key': 'commit' }
  const waiting = api(`/${id}/commit`, { method: 'POST', body: {}, headers })
  const { questionId } = await machine1.order('question-asked')
  await pass(room, 120_000, machine1.socket, client1)
  const late = await waiting
  expect([late.status, late.json.code]).toEqual([503, 'no_answer'])
  await machine1.tell({
    type: 'question-answered',
    questionId,
    part: 0,
    text: '{"ok":true,"value":{"commit":"c0ffee","files":1}}',
    last: true,
  })
  expect((await api(`/${id}/commit`, { method: 'POST', body: {}, headers })).json).toEqual({
    commit: 'c0ffee',
    files: 1,
    left: [],
  })
  await machine1.tell({ type: 'goodbye' })
  const away = await api(`/${id}/diff`)
  expect([away.status, away.json.code, away.json.machine]).toEqual([
    503,
    'coordinator_away',
    'laptop',
  ])
  expect((await api('?look=true')).json.items).toMatchObject([
    { id, look: null, trouble: expect.stringContaining('laptop') },
  ])
})

test('[SE3] another’s worktree is not there, reading changes nothing, and only who manages sets what is run', async () => {
  const { work, api, server, projectId } = await openWorktreeRoom()
  const { id } = await work('auth')
  const person = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'Ada', role: 'member' } })
  ).json
  const token = person.token
  expect((await api('', { token })).json.items).toEqual([])
  for (const path of [`/${id}`, `/${id}/diff`, `/${id}/patch`, `/${id}/losses`])
    expect((await api(path, { token })).status).toBe(404)
  expect((await api(`/${id}`, { token, method: 'DELETE' })).status).toBe(404)
  const { token: reader } = await server.store.run(createToken, {
    name: 'r',
    kind: 'script',
    scopes: ['read'],
    by: ownerWho,
  })
  for (const [path, method] of [
    [`/${id}/commit`, 'POST'],
    [`/${id}/merge`, 'POST'],
    [`/${id}`, 'DELETE'],
  ] as const)
    expect(
      (await api(path, { token: reader, method, body: method === 'POST' ? {} : undefined })).status,
    ).toBe(403)
  const setUp = { command: ['npm', 'ci'], copy: ['.env'] }
  const at = `/api/projects/${projectId}/set-up`
  expect((await server.ask(at, { method: 'PUT', body: setUp, token })).status).toBe(403)
  expect((await server.ask(at)).json).toEqual({ command: null, copy: [] })
  expect((await server.ask(at, { method: 'PUT', body: setUp })).json).toEqual(setUp)
  expect((await server.ask(at, { token })).json).toEqual(setUp)
  for (const bad of [
    { command: [], copy: [] },
    { command: [''], copy: [] },
    { command: 'npm ci', copy: [] },
    { command: null },
  ])
    expect((await server.ask(at, { method: 'PUT', body: bad })).status).toBe(400)
})
