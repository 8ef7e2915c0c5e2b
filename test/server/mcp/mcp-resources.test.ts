/** What of a project can be read over MCP (MC4), and by whom (SE3). */

import { expect, test } from 'vitest'
import { envelopeVersion } from '../../../src/doors/mcp/plain-call.ts'
import { listResources, readResource } from '../../../src/doors/mcp/resources.ts'
import { App } from '../../../src/services/app.ts'
import {
  connectMcp,
  type McpAgent,
  openWorkplace,
  type ToolResult,
  type Workplace,
} from '../../support/mcp.ts'

const read = async ({ client }: McpAgent, uri: string): Promise<ToolResult> => {
  const { contents } = await client.readResource({ uri })
  const [content] = contents as { uri: string; mimeType: string; text: string }[]
  expect(content).toMatchObject({ uri, mimeType: 'application/json' })
  return JSON.parse(content?.text ?? '')
}

const failure = (agent: McpAgent, uri: string): Promise<ToolResult> =>
  agent.client.readResource({ uri }).then(
    () => expect.unreachable(`${uri} was read`),
    (error) => error,
  )

async function openTasks(work: Workplace) {
  const { post, projectId } = work
  const task = (title: string, assignedTo: string) =>
    post(`/api/projects/${projectId}/tasks`, {
      phase: 1,
      type: 'code',
      title,
      description: `${title}!`,
      assignedTo,
    })
  return {
    anns: await task('jump', 'ann'),
    bobs: await task('land', 'bob'),
    root: `holdfast://projects/${projectId}`,
  }
}

test('[MC4] the project, its tasks and each of them can be listed and read, in both eras of the protocol', async () => {
  const work = await openWorkplace()
  const { anns, bobs, root } = await openTasks(work)
  for (const options of [{}, { versionNegotiation: { mode: { pin: envelopeVersion } } }]) {
    const owner = await connectMcp(work.server.url, work.server.ownerToken, options)
    expect(owner.client.getServerCapabilities()).toMatchObject({ resources: {} })
    const { resources } = await owner.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([root, `${root}/tasks`, `${root}/approaches`])
    const { resourceTemplates } = await owner.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'holdfast://projects/{project_id}',
      'holdfast://projects/{project_id}/tasks',
      'holdfast://projects/{project_id}/tasks/{task_id}',
      'holdfast://projects/{project_id}/approaches',
    ])
    expect(await read(owner, root)).toMatchObject({
      id: work.projectId,
      name: 'work',
      agent_ids: ['ann', 'bob'],
    })
    const { tasks, more } = await read(owner, `${root}/tasks`)
    expect([tasks.map(({ id }: ToolResult) => id), more]).toEqual([[bobs.id, anns.id], false])
    expect(tasks[1]).toMatchObject({
      title: 'jump',
      assigned_to: 'ann',
      uri: `${root}/tasks/${anns.id}`,
    })
    expect(tasks[1]).not.toHaveProperty('description')
    expect(await read(owner, tasks[1].uri)).toMatchObject({
      id: anns.id,
      description: 'jump!',
      progress_percent: 0,
    })
  }
})

test('[SE3] an agent reads its own projects and its own tasks; the rest is not there', async () => {
  const work = await openWorkplace()
  const { anns, bobs, root } = await openTasks(work)
  const { id: elsewhere } = await work.post('/api/projects', { name: 'elsewhere' })
  const ann = await work.agent()
  expect((await ann.client.listResources()).resources.map(({ uri }) => uri)).toEqual([
    root,
    `${root}/tasks`,
    `${root}/approaches`,
  ])
  expect((await read(ann, `${root}/tasks`)).tasks).toMatchObject([{ id: anns.id }])
  const begun = await work.post(`/api/projects/${work.projectId}/sessions`, {})
  const learned = {
    kind: 'failed',
    category: 'jump',
    description: 'velocity.y',
    failureReason: 'in the air',
  }
  await work.post(`/api/projects/${work.projectId}/sessions/${begun.id}/approaches`, learned)
  expect(await read(ann, `${root}/approaches`)).toMatchObject({
    approaches: [{ id: 'approach_f001', failure_reason: 'in the air', avoid: true }],
    more: false,
  })
  expect(await read(ann, `${root}/tasks/${anns.id}`)).toMatchObject({ title: 'jump' })
  const absent = [
    `${root}/tasks/${bobs.id}`,
    `${root}/tasks/task_p1_code_999`,
    `${root}/tasks/`,
    `${root}/notes`,
    `holdfast://projects/${elsewhere}`,
    `holdfast://projects/${elsewhere}/tasks`,
    'holdfast://projects/',
    'holdfast://projects/%00',
    'holdfast://projects/%E0%A4%A',
    'file:///etc/passwd',
  ]
  for (const uri of absent)
    expect(await failure(ann, uri), uri).toMatchObject({ code: -32602, data: { uri } })
})

test('[CO4] a launch reads the project it was started for, whatever else its agent works on', async () => {
  const { server, projectId, post } = await openWorkplace()
  const { id: other } = await post('/api/projects', { name: 'other' })
  await server.ask(`/api/projects/${other}/agents/ann`, { method: 'PUT', body: {} })
  const launch = { id: 'launch-1', projectId }
  const base = {
    credentialId: 'launch_1',
    kind: 'agent',
    id: 'ann',
    name: 'ann',
    role: null,
    expiresAt: null,
  } as const
  const who = { ...base, scopes: ['agent'] as const, launch }
  const app = new App(server.store)
  const { resources } = await listResources(app, who, undefined)
  const root = `holdfast://projects/${projectId}`
  expect(resources.map(({ uri }) => uri)).toEqual([root, `${root}/tasks`, `${root}/approaches`])
  expect(await readResource(app, who, `holdfast://projects/${projectId}`)).toBeDefined()
  expect(await readResource(app, who, `holdfast://projects/${other}`)).toBeUndefined()
})

test('[SE3] a credential that may not read is told so, in the protocol’s form with our code', async () => {
  const work = await openWorkplace()
  const { token } = await work.post('/api/tokens', { name: 'machine', kind: 'coordinator' })
  const machine = await connectMcp(work.server.url, token)
  const error = await failure(machine, `holdfast://projects/${work.projectId}`)
  expect(error).toMatchObject({
    code: -32602,
    data: { code: 'missing_scope', next: expect.any(String) },
  })
  await expect(machine.client.listResources()).rejects.toMatchObject({
    data: { code: 'missing_scope' },
  })
})

test('[MC4] many projects are listed page by page, each once; a cursor that is not ours is refused', async () => {
  const work = await openWorkplace()
  for (let n = 0; n < 120; n++) {
    const { id } = await work.post('/api/projects', { name: `p${n}` })
    await work.server.ask(`/api/projects/${id}/agents/ann`, { method: 'PUT', body: {} })
  }
  const owner = await connectMcp(work.server.url, work.server.ownerToken)
  for (const { client } of [owner, await work.agent()]) {
    const first = await client.request({ method: 'resources/list' })
    const second = await client.request({
      method: 'resources/list',
      params: { cursor: first.nextCursor ?? '' },
    })
    expect([first, second].map(({ resources }) => resources.length)).toEqual([300, 63])
    expect(new Set([...first.resources, ...second.resources].map(({ uri }) => uri)).size).toBe(363)
    expect(second.nextCursor).toBeUndefined()
    const wrong = client.request({ method: 'resources/list', params: { cursor: 'x' } })
    await expect(wrong).rejects.toMatchObject({ code: -32602, data: { code: 'invalid_request' } })
  }
})
