/** Work that is interrupted and taken up, with the whole product: the coordinator starts the agent, the agent dies, a person resumes. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startHoldfast } from '../support/running-server.ts'

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

test('[RS2] an agent that crashed in the middle of its task is started by a resume, knows what failed, and finishes it', async () => {
  const holdfast = await startHoldfast({ up: true })
  onTestFinished(async () => void (await holdfast.stop()))
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  const demo = await until(async () => (await client.get('/api/projects', {})).items.find(({ name }) => name === 'demo'))
  const params = { projectId: demo.id }
  const body = { phase: 1, type: 'code', title: 'Jump', description: 'jump [[crash]]', assignedTo: 'demo-mcp' }
  const task = await client.post('/api/projects/{projectId}/tasks', { params, body })
  const taskParams = { ...params, taskId: task.id }
  await client.patch('/api/projects/{projectId}/tasks/{taskId}', { params: taskParams, body: { status: 'in_progress' } })

  const stopped = await until(async () =>
    (await client.get('/api/projects/{projectId}/sessions', { params })).items.find(({ state }) => state === 'interrupted'),
  )
  expect(stopped).toMatchObject({
    interruptionReason: 'process_exited',
    contextSummary: 'About to obey [[crash]]',
    currentTaskId: task.id,
  })
  expect(stopped.error).toMatchObject({ code: 'process_exited' })
  const file = join(holdfast.data, 'projects', demo.id, 'sessions', stopped.id, 'state_checkpoint.json')
  await until(async () => {
    const saved = JSON.parse(await readFile(file, 'utf8'))
    return saved.interruption_reason === 'process_exited' || undefined
  })
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    current_state: { active_task: { task_id: task.id, progress_percent: 50 }, active_agent: { agent_id: 'demo-mcp' } },
    error: { code: 'process_exited' },
  })

  const place = { ...params, workSessionId: stopped.id }
  const resumed = await client.post('/api/projects/{projectId}/sessions/{workSessionId}/resume', { params: place })
  expect(resumed.resumeContext.failedApproaches).toMatchObject([{ description: 'Obeying [[crash]]', avoid: true }])
  const done = await until(async () => {
    const now = await client.get('/api/projects/{projectId}/tasks/{taskId}', { params: taskParams })
    return now.status === 'completed' ? now : undefined
  })
  expect(done).toMatchObject({ ['sessionId']: resumed.session.id, result: { answer: 'echo: jump', heeded: ['approach_f001'] } })
  await until(async () => {
    const child = { ...params, workSessionId: resumed.session.id }
    const { state } = await client.get('/api/projects/{projectId}/sessions/{workSessionId}', { params: child })
    return state === 'completed' || undefined
  })
})
