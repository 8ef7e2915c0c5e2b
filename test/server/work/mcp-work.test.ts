/** Tasks and process exits over MCP with the official client. */
import { expect, test } from 'vitest'
import { connectMcp, giveTask, openWorkplace } from '../../support/mcp.ts'

test('[NA11] an agent with a task is given it, reports on it, and is sent away when it is done', async () => {
  const workplace = await openWorkplace()
  const { agent, server, projectId } = workplace
  const taskId = await giveTask(workplace)
  const ann = await agent()
  expect(await ann.call('authenticate', { agent_id: 'ann', project_id: projectId })).toMatchObject({
    status: 'ok',
    purpose: 'task',
  })
  const next = await ann.call('get_next_action', { wait_seconds: 50 })
  expect(next).toMatchObject({
    action: 'work_on_task',
    state: 'task_ready',
    task: { id: taskId, title: 'Write the parser' },
  })
  expect((await ann.call('get_my_task')).task).toEqual(next.task)
  expect(Object.keys(next.task)).toContain('progress_percent')
  expect(
    (await ann.call('update_task', { task_id: taskId, progress_percent: 40 })).task,
  ).toMatchObject({ progress_percent: 40 })
  expect(await ann.failure('update_task', { task_id: taskId, progress_percent: 140 })).toBe(
    'invalid_progress',
  )
  expect(
    await ann.failure('update_task', { task_id: 'task_p1_code_999', progress_percent: 1 }),
  ).toBe('not_found')
  await ann.call('update_task', { task_id: taskId, status: 'completed', result: { lines: 120 } })
  expect((await server.ask(`/api/projects/${projectId}/tasks/${taskId}`)).json).toMatchObject({
    status: 'completed',
    progressPercent: 100,
    result: { lines: 120 },
  })
  expect((await ann.call('get_my_task')).task).toBeNull()
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'exit',
    state: 'task_done',
    reason: 'work_done',
  })
})

test('[SE3] an agent changes no task of another', async () => {
  const workplace = await openWorkplace()
  const taskId = await giveTask(workplace)
  await workplace.write('hello', { toAgentId: 'bob' })
  const bob = await workplace.signedIn('bob')
  expect(await bob.failure('update_task', { task_id: taskId, status: 'completed' })).toBe(
    'not_found',
  )
  expect((await bob.call('get_my_task')).task).toBeNull()
})

test('[AS4] an agent at a chat and at a task at once must say in which session it calls', async () => {
  const workplace = await openWorkplace()
  const { agent, write, projectId } = workplace
  await giveTask(workplace)
  await write('hello')
  const ann = await agent()
  const signIn = { agent_id: 'ann', project_id: projectId }
  const [task, chat] = [
    await ann.call('authenticate', signIn),
    await ann.call('authenticate', signIn),
  ]
  expect([task.purpose, chat.purpose]).toEqual(['task', 'chat'])
  expect(await ann.call('authenticate', signIn)).toMatchObject({ status: 'no_work' })
  expect(await ann.call('get_next_action')).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('A session_token is needed'),
  })
  const { session_token } = chat
  expect(await ann.call('get_next_action', { session_token })).toMatchObject({
    action: 'get_pending_messages',
  })
  expect(await ann.call('get_next_action', { session_token: task.session_token })).toMatchObject({
    action: 'work_on_task',
  })
})

test('[PX1] a coordinator asks what to start and reports exits; the server decides', async () => {
  const workplace = await openWorkplace()
  const { server, post, projectId, write, agent } = workplace
  const { token } = await post('/api/tokens', { name: 'machine', kind: 'coordinator' })
  const coordinator = await connectMcp(server.url, token)
  const pair = { agent_id: 'ann', project_id: projectId }
  expect(await coordinator.call('get_agent_action', pair)).toMatchObject({
    action: 'none',
    reason: expect.any(String),
  })
  await write('hello')
  expect(await coordinator.call('get_agent_action', pair)).toMatchObject({ action: 'start' })
  const ann = await agent()
  const { session_id } = await ann.call('authenticate', { ...pair, launch_id: 'launch-1' })
  expect(await coordinator.call('get_agent_action', pair)).toMatchObject({ action: 'none' })
  const exit = {
    ...pair,
    remaining_processes: 0,
    launch_id: 'launch-1',
    exit_code: 1,
    report_id: 'r1',
  }
  expect(
    await coordinator.call('report_process_exit', {
      ...exit,
      launch_id: 'launch-2',
      report_id: 'r0',
    }),
  ).toEqual({
    decision: 'nothing',
    ended: [],
  })
  expect(await coordinator.call('report_process_exit', exit)).toEqual({
    decision: 'ended',
    ended: [session_id],
  })
  expect(await coordinator.call('report_process_exit', exit)).toEqual({
    decision: 'duplicate',
    ended: [],
  })
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'exit',
    reason: 'process_exited',
  })
  expect(await coordinator.failure('get_agent_action', { ...pair, agent_id: 'nobody' })).toBe(
    'agent_not_found',
  )
})

test('[PX1] invalidate_session still works: it is a report with no process left', async () => {
  const workplace = await openWorkplace()
  const { server, projectId, write } = workplace
  await write('hello')
  const ann = await workplace.signedIn()
  const owner = await connectMcp(server.url, server.ownerToken)
  const { decision, ended } = await owner.call('invalidate_session', {
    agent_id: 'ann',
    project_id: projectId,
  })
  expect([decision, ended.length]).toEqual(['ended', 1])
  expect(await ann.call('get_next_action')).toMatchObject({ action: 'exit', reason: 'orphaned' })
})

test('[SE3] an agent and a viewer cannot report exits', async () => {
  const { agent, server, post, projectId } = await openWorkplace()
  const { token } = await post('/api/people', { name: 'Vera', role: 'viewer' })
  const pair = { agent_id: 'bob', project_id: projectId }
  for (const other of [await agent(), await connectMcp(server.url, token)]) {
    expect(await other.failure('report_process_exit', { ...pair, remaining_processes: 0 })).toBe(
      'missing_scope',
    )
    expect(await other.failure('invalidate_session', pair)).toBe('missing_scope')
    expect(await other.failure('get_agent_action', pair)).toBe('missing_scope')
  }
})
