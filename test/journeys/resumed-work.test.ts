/**
 * Work that is interrupted and taken up, with the whole product: the coordinator starts the agent,
 * the agent dies, a person resumes.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { createToken } from '../../src/services/access/change-access.ts'
import { ownerWho } from '../services/projects/installation.ts'
import { main } from '../support/built-product.ts'
import { startCoordinator } from '../support/coordinator.ts'
import { makeRepository } from '../support/git-repository.ts'
import { openConsole } from '../support/relay.ts'
import { startHoldfast } from '../support/running-server.ts'
import { isRunning } from '../support/script-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const patienceMs = 50_000

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error('It did not come to be')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test('[WK2] [RS2] an agent that crashed in the middle of its task is interrupted with the true reason, started by a resume, knows what failed, and finishes it', async () => {
  const holdfast = await startHoldfast({ up: true })
  onTestFinished(async () => void (await holdfast.stop()))
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  const demo = await until(async () =>
    (await client.get('/api/projects', {})).items.find(({ name }) => name === 'demo'),
  )
  const params = { projectId: demo.id }
  const body = {
    phase: 1,
    type: 'code',
    title: 'Jump',
    description: 'jump [[slow 1 1000]][[crash]]',
    assignedTo: 'demo-mcp',
  }
  const task = await client.post('/api/projects/{projectId}/tasks', { params, body })
  const taskParams = { ...params, taskId: task.id }
  await client.patch('/api/projects/{projectId}/tasks/{taskId}', {
    params: taskParams,
    body: { status: 'in_progress' },
  })
  const running = { query: { projectId: demo.id, state: 'running' } } as const
  const pid = await until(
    async () => (await client.get('/api/processes', running)).items[0]?.pid ?? undefined,
  )
  await until(async () => (isRunning(pid) ? undefined : true))
  const goneAt = Date.now()

  const stopped = await until(async () =>
    (await client.get('/api/projects/{projectId}/sessions', { params })).items.find(
      ({ state }) => state === 'interrupted',
    ),
  )
  expect(stopped).toMatchObject({
    interruptionReason: 'process_exited',
    contextSummary: 'About to obey [[crash]]',
    currentTaskId: task.id,
  })
  expect(stopped.error).toMatchObject({ code: 'process_exited' })
  expect(Date.parse(stopped.endedAt ?? '') - goneAt).toBeLessThan(15_000)
  const file = join(
    holdfast.data,
    'projects',
    demo.id,
    'sessions',
    stopped.id,
    'state_checkpoint.json',
  )
  await until(async () => {
    const saved = JSON.parse(await readFile(file, 'utf8'))
    return saved.interruption_reason === 'process_exited' || undefined
  })
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    current_state: {
      active_task: { task_id: task.id, progress_percent: 50 },
      active_agent: { agent_id: 'demo-mcp' },
    },
    error: { code: 'process_exited' },
  })

  const place = { ...params, workSessionId: stopped.id }
  const resumed = await client.post('/api/projects/{projectId}/sessions/{workSessionId}/resume', {
    params: place,
  })
  expect(resumed.resumeContext.failedApproaches).toMatchObject([
    { description: 'Obeying [[crash]]', avoid: true },
  ])
  const done = await until(async () => {
    const now = await client.get('/api/projects/{projectId}/tasks/{taskId}', { params: taskParams })
    return now.status === 'completed' ? now : undefined
  })
  expect(done).toMatchObject({
    ['sessionId']: resumed.session.id,
    result: { answer: 'piece 1\necho: jump', heeded: ['approach_f001'] },
  })
  await until(async () => {
    const child = { ...params, workSessionId: resumed.session.id }
    const { state } = await client.get('/api/projects/{projectId}/sessions/{workSessionId}', {
      params: child,
    })
    return state === 'completed' || undefined
  })
})

test('[RS2] an agent that is spoken to and crashed is spawned by a resume into the same worktree, and told what failed', async () => {
  const room = await openConsole({}, { 'permission.policy': 'allow_all' })
  const { server, projectId } = room
  const { folder: path } = makeRepository()
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path } })
  const env = { XDG_STATE_HOME: temporaryFolder() }
  await server.ask('/api/agents/coder', {
    method: 'PATCH',
    body: { command: 'holdfast', args: ['demo-acp'], env },
  })
  const { token } = await server.store.run(createToken, {
    name: 'm',
    kind: 'coordinator',
    by: ownerWho,
  })
  startCoordinator({ url: server.url, token }, { program: [process.execPath, main] })
  await until(async () =>
    (await server.ask('/api/coordinators')).json.items.length > 0 ? true : undefined,
  )
  const client = await room.client()
  const inside = await room.created(client)
  const say = (content: string) =>
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', agentId: 'coder' })
  const { workspace } = await client.next('agent:ready')
  say('[[write plan.txt half done]]')
  await client.next('agent:response')
  const [work] = (await server.ask(`/api/projects/${projectId}/sessions`)).json.items
  const place = `/api/projects/${projectId}/sessions/${work.id}`
  const body = { kind: 'failed', category: 'jump', description: 'Set velocity.y' }
  await server.ask(`${place}/approaches`, { method: 'POST', body })
  say('[[crash]]')
  await client.next('agent:failed')
  const resumed = await server.ask(`${place}/resume`, { method: 'POST' })
  expect([resumed.status, resumed.json.notRestored]).toEqual([201, []])
  const ready = await client.next('agent:ready')
  expect(ready).toMatchObject({ workspace, how: 'loaded' })
  expect(await readFile(join(workspace, 'plan.txt'), 'utf8')).toContain('half done')
  expect((await client.next('agent:prompted')).content[0].text).toContain(
    'approach_f001: Set velocity.y',
  )
  expect((await client.next('agent:response')).content).toContain('approach_f001: Set velocity.y')
})
