/**
 * An agent that is interrupted, and the one that takes its work up, over MCP with the official
 * client.
 */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openWorkplace } from '../../support/mcp.ts'

test('[RS2] what one agent learned is the first thing the next is told; it goes on with the same task', async () => {
  const workplace = await openWorkplace()
  const { post, server, projectId, signedIn } = workplace
  const project = `/api/projects/${projectId}`
  const draft = { phase: 2, type: 'code', title: 'Jump', assignedTo: 'ann' }
  const { id: taskId } = await post(`${project}/tasks`, draft)
  const { id: nextId } = await post(`${project}/tasks`, { ...draft, title: 'Land' })
  await server.ask(`${project}/tasks/${taskId}`, {
    method: 'PATCH',
    body: { status: 'in_progress' },
  })
  const ann = await signedIn()
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'work_on_task',
    task: { id: taskId },
  })
  expect(await ann.call('get_resume_context')).toEqual({ resume_context: null })
  await ann.call('update_task', { task_id: taskId, progress_percent: 70 })
  const failed = {
    kind: 'failed',
    category: 'jump',
    description: 'velocity.y',
    failure_reason: 'jumps in the air',
  }
  const { approach } = await ann.call('record_approach', failed)
  expect(approach).toMatchObject({
    id: 'approach_f001',
    avoid: true,
    failure_reason: 'jumps in the air',
    recorded_at: expect.any(String),
  })
  expect((await ann.call('record_approach', failed)).approach).toEqual(approach)
  await ann.call('record_approach', {
    kind: 'verified',
    category: 'state',
    description: 'typed',
    evidence: { passed: 5 },
  })
  await ann.call('record_approach', {
    kind: 'untried',
    category: 'jump',
    description: 'a ray',
    next_to_try: true,
  })
  const saved = await ann.call('save_checkpoint', {
    context_summary: 'Jumping has a bug',
    current_phase: 2,
  })
  expect(JSON.parse(await readFile(saved.path, 'utf8'))).toMatchObject({
    context_summary: 'Jumping has a bug',
    timestamp: saved.timestamp,
    current_state: {
      phase: 2,
      active_agent: { agent_id: 'ann' },
      active_task: { task_id: taskId, progress_percent: 70 },
    },
  })

  const { id: workSessionId } = (await server.ask(`${project}/sessions`)).json.items[0]
  await post(`${project}/tasks`, { ...draft, ['sessionId']: workSessionId, title: 'Sing' })
  const done = await post(`${project}/tasks`, {
    ...draft,
    ['sessionId']: workSessionId,
    title: 'Plan',
  })
  for (const body of [{ status: 'in_progress' }, { status: 'completed', result: { steps: 3 } }])
    await server.ask(`${project}/tasks/${done.id}`, { method: 'PATCH', body })
  await server.ask(`${project}/sessions/${workSessionId}/end`, {
    method: 'POST',
    body: { reason: 'connection_error' },
  })
  expect(await ann.call('get_next_action')).toMatchObject({ action: 'exit' })
  const resumed = await server.ask(`${project}/sessions/${workSessionId}/resume`, {
    method: 'POST',
  })
  expect(resumed.status).toBe(201)

  const next = await signedIn()
  const received = await next.call('get_next_action')
  expect(received).toMatchObject({
    action: 'resume_work',
    state: 'task_resuming',
    resume_context: {
      previous_state: 'Jumping has a bug',
      current_phase: 2,
      current_task: { task_id: taskId, name: 'Jump', progress_percent: 70 },
      failed_approaches: [{ id: 'approach_f001', failure_reason: 'jumps in the air', avoid: true }],
      verified_approaches: [{ id: 'approach_001', evidence: { passed: 5 } }],
      next_approaches: [{ id: 'approach_u001', next_to_try: true }],
      remaining_tasks: [{ name: 'Sing', status: 'pending' }],
      completed_tasks: [{ task_id: done.id, name: 'Plan', result: { steps: 3 } }],
      left_out: { failed_approaches: false },
    },
  })
  expect(received.instruction).toContain('resume_context')
  expect((await next.call('get_resume_context')).resume_context).toEqual(received.resume_context)
  expect(await next.call('get_next_action')).toMatchObject({
    action: 'work_on_task',
    task: { id: taskId, progress_percent: 70 },
  })
  expect(nextId).not.toBe(taskId)
})

test('[MC3] an agent that only chats is told that there is no work to keep anything in', async () => {
  const { signedIn, post, projectId } = await openWorkplace()
  await post('/api/chat', { projectId, toAgentId: 'ann', content: 'hello' })
  const ann = await signedIn()
  for (const [tool, words] of [
    ['save_checkpoint', {}],
    ['record_approach', { kind: 'failed', category: 'c', description: 'd' }],
  ] as const)
    expect(await ann.failure(tool, words)).toBe('wrong_state')
  expect(await ann.call('get_resume_context')).toEqual({ resume_context: null })
})
