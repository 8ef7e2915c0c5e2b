/**
 * Work that is taken up from its files at a path on the machine of the server (CK7), over HTTP and
 * MCP.
 */
import { cp, mkdir, rename, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createToken } from '../../../src/services/access/change-access.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { connectMcp } from '../../support/mcp.ts'
import { openTestServer, type TestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function interrupted({ ask }: TestServer) {
  const post = async (to: string, body: unknown = {}) =>
    (await ask(to, { method: 'POST', body })).json
  const { id: projectId } = await post('/api/projects', { name: 'game' })
  const { id } = await post(`/api/projects/${projectId}/sessions`)
  await post(`/api/projects/${projectId}/tasks`, {
    ['sessionId']: id,
    phase: 1,
    type: 'code',
    title: 'Land',
  })
  await ask(`/api/projects/${projectId}/sessions/${id}/artifacts/notes.md`, {
    method: 'PUT',
    body: 'learned',
  })
  await post(`/api/projects/${projectId}/sessions/${id}/end`, { reason: 'power_cut' })
  const { path } = await post(`/api/projects/${projectId}/sessions/${id}/checkpoint`)
  return { projectId, id, path: path as string }
}

const resumeFile = (server: TestServer, path: string, token?: string) =>
  server.ask('/api/sessions/resume-file', {
    method: 'POST',
    body: { path },
    ...(token && { token }),
  })

test('[CK7] a path is enough over HTTP: 201 with a child from the files alone, then 200 with the same; of the store itself too', async () => {
  const before = await openTestServer()
  const { projectId, id, path } = await interrupted(before)
  const server = await openTestServer()
  await mkdir(join(server.folder, 'projects'), { recursive: true })
  await cp(join(before.folder, 'projects', projectId), join(server.folder, 'projects', projectId), {
    recursive: true,
  })
  const here = path.replace(before.folder, server.folder)
  const resumed = await resumeFile(server, here)
  expect(resumed.status).toBe(201)
  expect(resumed.json).toMatchObject({
    session: { projectId, parentSessionId: id },
    remainingTasks: [{ title: 'Land' }],
  })
  const again = await resumeFile(server, dirname(here))
  expect([again.status, again.json.session.id]).toEqual([200, resumed.json.session.id])
  const { json: whole } = await server.ask(`/api/projects/${projectId}/sessions/${id}`)
  expect(whole).toMatchObject({ state: 'interrupted', artifacts: [{ name: 'notes.md', size: 7 }] })
  const known = await resumeFile(before, path)
  expect([known.status, known.json.session.parentSessionId]).toEqual([201, id])
})

test('[CK7] only below the projects or in the folder of a project, links followed; only with manage; refused in words', async () => {
  const before = await openTestServer()
  const { projectId, path } = await interrupted(before)
  const server = await openTestServer()
  const { ask, folder, store } = server
  await mkdir(join(folder, 'projects'), { recursive: true })
  const refused = async (given: string) => {
    const { status, json } = await resumeFile(server, given)
    return [status, json.detail]
  }
  expect(await refused(path)).toEqual([
    400,
    expect.stringContaining('must be in the projects folder'),
  ])
  await symlink(join(before.folder, 'projects', projectId), join(folder, 'projects', 'linked'))
  const linked = path.replace(
    join(before.folder, 'projects', projectId),
    join(folder, 'projects', 'linked'),
  )
  expect(await refused(linked)).toEqual([
    400,
    expect.stringContaining('must be in the projects folder'),
  ])
  expect(await refused(join(folder, 'projects', 'nowhere.json'))).toEqual([
    400,
    expect.stringContaining('does not exist'),
  ])
  expect((await refused('state_checkpoint.json'))[0]).toBe(400)
  expect((await ask('/api/projects')).json.items).toEqual([])

  const own = temporaryFolder()
  await ask('/api/projects', { method: 'POST', body: { name: 'own', path: own } })
  await mkdir(join(own, 'saved'))
  await cp(dirname(path), join(own, 'saved', 's'), { recursive: true })
  // Neither its artifacts nor what lies above come from elsewhere.
  await rename(join(own, 'saved', 's', 'artifacts'), join(own, 'elsewhere'))
  await symlink(before.folder, join(own, 'saved', 's', 'artifacts'))
  const { token } = await store.run(createToken, {
    name: 's',
    kind: 'script',
    scopes: ['read', 'write'],
    by: ownerWho,
  })
  expect((await resumeFile(server, join(own, 'saved', 's'), token)).status).toBe(403)
  expect((await ask('/api/projects')).json.items).toHaveLength(1)
  const resumed = await resumeFile(server, join(own, 'saved', 's'))
  expect(resumed.status).toBe(201)
  const { parentSessionId } = resumed.json.session
  expect(
    (await ask(`/api/projects/${projectId}/sessions/${parentSessionId}`)).json.artifacts,
  ).toEqual([])
})

test('[CK7] work is resumed from its file over MCP too, with a credential that may manage', async () => {
  const server = await openTestServer()
  const { projectId, id, path } = await interrupted(server)
  const owner = await connectMcp(server.url, server.ownerToken)
  const resumed = await owner.call('resume_from_file', { path })
  expect(resumed).toMatchObject({
    project_id: projectId,
    parent_session_id: id,
    begun: true,
    not_restored: [],
  })
  expect(await owner.call('resume_from_file', { path })).toMatchObject({
    ['session_id']: resumed.session_id,
    begun: false,
  })
  expect(await owner.failure('resume_from_file', { path: '/etc/hostname' })).toBe('invalid_request')
  const { token } = await server.store.run(createToken, {
    name: 's',
    kind: 'script',
    scopes: ['read', 'write'],
    by: ownerWho,
  })
  expect(await (await connectMcp(server.url, token)).failure('resume_from_file', { path })).toBe(
    'missing_scope',
  )
})
