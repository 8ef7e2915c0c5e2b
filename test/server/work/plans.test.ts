/**
 * Plans over MCP and REST: an agent goes on with its next task, another is given its own, and what
 * cannot go on says why (WK5, NA11).
 */
import { expect, test } from 'vitest'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { type EngineName, engines } from '../../support/either-store.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { connectMcp, type McpAgent, openWorkplace, type Workplace } from '../../support/mcp.ts'
import { newPostgresStoreUrl, usePostgres } from '../../support/postgres.ts'
import { openPostgres } from '../../support/postgres-store.ts'
import { playMachine, said, turnEnded } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/store.ts'

usePostgres()

/** A work session with tasks that each wait for the one before; `whose` says who is to do each. */
async function plan(workplace: Workplace, whose: readonly (string | null)[]) {
  const { post, server, projectId } = workplace
  const project = `/api/projects/${projectId}`
  const { id: workSessionId } = await post(`${project}/sessions`, {})
  const ids: string[] = []
  for (const assignedTo of whose) {
    const draft = {
      ['sessionId']: workSessionId,
      phase: 1,
      type: 'code',
      title: `Step ${ids.length + 1}`,
      assignedTo,
    }
    ids.push((await post(`${project}/tasks`, { ...draft, dependsOn: ids.slice(-1) })).id)
  }
  const read = async (path: string) => (await server.ask(project + path)).json
  const work = (id = workSessionId) => read(`/sessions/${id}`)
  const change = (taskId: string | undefined, body: object) =>
    server.ask(`${project}/tasks/${taskId}`, { method: 'PATCH', body })
  const statuses = async () =>
    Promise.all(ids.map(async (id) => (await read(`/tasks/${id}`)).status))
  const begin = async () =>
    expect((await change(ids[0], { status: 'in_progress' })).status).toBe(200)
  return { project, workSessionId, ids, work, change, statuses, begin }
}

const signIn = async ({ agent, projectId }: Workplace, agentId: string) => {
  const connected = await agent(agentId)
  const answer = await connected.call('authenticate', { agent_id: agentId, project_id: projectId })
  return { connected, answer }
}

const finish = (agent: McpAgent, taskId: string | undefined, status = 'completed') =>
  agent.call('update_task', { task_id: taskId, status })

test('[NA11] an agent is given one task after the other of its plan, each begun with the answer, and the work session is completed', async () => {
  const workplace = await openWorkplace()
  const { ids, work, statuses, begin } = await plan(workplace, ['ann', 'ann', 'ann'])
  // WK5: a plan of which nothing was begun waits for a person.
  expect((await signIn(workplace, 'ann')).answer.status).toBe('no_work')
  await begin()
  const ann = await workplace.signedIn()
  for (const [at, id] of ids.entries()) {
    expect(await ann.call('get_next_action')).toMatchObject({
      action: 'work_on_task',
      task: { id, status: 'in_progress' },
    })
    expect((await ann.call('get_my_task')).task.id).toBe(id)
    expect((await work()).currentTaskId).toBe(id)
    await finish(ann, id)
    expect((await statuses()).slice(at + 1)).not.toContain('in_progress')
  }
  expect(await ann.call('get_next_action')).toMatchObject({ action: 'exit', reason: 'work_done' })
  expect(await work()).toMatchObject({ state: 'completed', waitsFor: [] })
})

async function openOn(engine: EngineName): Promise<Workplace> {
  if (engine === 'SQLite') return openWorkplace()
  const clock = manualClock()
  const store = await openPostgres({ url: await newPostgresStoreUrl(), clock })
  return openWorkplace({ testStore: { store, clock, folder: await temporaryFolder() } })
}

test.each(engines)(
  '[AS3] [WK5] a task of another agent is work for that agent; meanwhile the work session says whom it waits for (%s)',
  async (engine) => {
    const workplace = await openOn(engine)
    const { ids, work, begin } = await plan(workplace, ['ann', 'bob', 'ann'])
    const [first, second, third] = ids
    const machine = await connectMcp(workplace.server.url, workplace.server.ownerToken)
    const wanted = async (agentId: string) =>
      (
        await machine.call('get_agent_action', {
          agent_id: agentId,
          project_id: workplace.projectId,
        })
      ).action
    await begin()
    expect(await wanted('bob')).toBe('none')
    const ann = await workplace.signedIn()
    await ann.call('get_next_action')
    const { approval_id: approvalId } = await ann.call('request_approval', {
      checkpoint_type: 'plan',
    })
    expect((await work()).waitsFor).toEqual([{ what: 'approval', approvalId }])
    await workplace.post(`/api/projects/${workplace.projectId}/approvals/${approvalId}/decision`, {
      status: 'approved',
    })
    expect(await ann.call('get_next_action')).toMatchObject({
      task: { id: first },
      decisions: [{ approval_id: approvalId }],
    })
    await finish(ann, first)
    expect([await wanted('bob'), await wanted('ann')]).toEqual(['start', 'none'])
    expect(await ann.call('get_next_action')).toMatchObject({ action: 'exit', reason: 'work_done' })
    expect(await work()).toMatchObject({
      state: 'running',
      waitsFor: [{ what: 'agent', agentId: 'bob', taskId: second }],
    })
    const bob = await workplace.signedIn('bob')
    expect(await bob.call('get_next_action')).toMatchObject({
      action: 'work_on_task',
      task: { id: second },
    })
    expect((await work()).waitsFor).toEqual([])
    await finish(bob, second)
    expect(await bob.call('get_next_action')).toMatchObject({ action: 'exit', reason: 'work_done' })
    const again = await workplace.signedIn()
    expect(await again.call('get_next_action')).toMatchObject({
      action: 'work_on_task',
      task: { id: third },
    })
    await finish(again, third)
    await again.call('get_next_action')
    expect((await work()).state).toBe('completed')
  },
)

test('[WK7] what is left and waits for a failed task interrupts the plan; a person begins that task again and it runs to its end', async () => {
  const workplace = await openWorkplace()
  const { project, workSessionId, ids, work, change, begin } = await plan(workplace, [
    'ann',
    'ann',
    'ann',
  ])
  await begin()
  const ann = await workplace.signedIn()
  await ann.call('get_next_action')
  await finish(ann, ids[0], 'failed')
  expect(await ann.call('get_next_action')).toMatchObject({ action: 'exit', reason: 'work_done' })
  expect(await work()).toMatchObject({
    state: 'interrupted',
    interruptionReason: 'task_failed',
    error: { code: 'task_failed' },
  })
  // TK2: an agent does not take its own failure back.
  const resumed = await workplace.post(`${project}/sessions/${workSessionId}/resume`, {})
  expect(resumed).toMatchObject({
    ['session']: { state: 'running' },
    missing: [{ what: 'task', detail: expect.stringContaining(ids[0] ?? '') }],
  })
  expect((await signIn(workplace, 'ann')).answer.status).toBe('no_work')
  expect((await change(ids[0], { status: 'in_progress' })).json).toMatchObject({
    status: 'in_progress',
    ['sessionId']: resumed.session.id,
    progressPercent: 0,
  })
  const back = await workplace.signedIn()
  await back.call('get_next_action')
  for (const id of ids) {
    expect(await back.call('get_next_action')).toMatchObject({
      action: 'work_on_task',
      task: { id },
    })
    expect(await back.failure('update_task', { task_id: id, status: 'pending' })).toBe(
      'wrong_state',
    )
    await finish(back, id)
  }
  await back.call('get_next_action')
  expect((await work(resumed.session.id)).state).toBe('completed')
})

test('[TK2] an agent cannot begin a task again that failed; a person can, and where nothing else was left it is new work', async () => {
  const workplace = await openWorkplace()
  const { ids, work, change, begin } = await plan(workplace, ['ann'])
  await begin()
  const ann = await workplace.signedIn()
  await ann.call('get_next_action')
  await finish(ann, ids[0], 'failed')
  expect(await ann.failure('update_task', { task_id: ids[0], status: 'in_progress' })).toBe(
    'wrong_state',
  )
  await ann.call('get_next_action')
  // None is open, and none was completed.
  expect(await work()).toMatchObject({ state: 'interrupted', interruptionReason: 'task_failed' })
  expect((await change(ids[0], { status: 'in_progress' })).json).toMatchObject({
    status: 'in_progress',
    ['sessionId']: null,
  })
  expect(await (await workplace.signedIn()).call('get_next_action')).toMatchObject({
    task: { id: ids[0] },
  })
})

test('[WK2] who logs out leaves interrupted work, whatever it waits for; the resume goes on with the next task by itself', async () => {
  const workplace = await openWorkplace()
  const { project, workSessionId, ids, work, begin } = await plan(workplace, ['ann', 'bob', 'ann'])
  await begin()
  const ann = await workplace.signedIn()
  await ann.call('get_next_action')
  await finish(ann, ids[0])
  await ann.call('logout')
  expect(await work()).toMatchObject({ state: 'interrupted', interruptionReason: 'abandoned' })
  const resumed = await workplace.post(`${project}/sessions/${workSessionId}/resume`, {})
  const bob = await workplace.signedIn('bob')
  expect((await bob.call('get_next_action')).action).toBe('resume_work')
  expect(await bob.call('get_next_action')).toMatchObject({
    action: 'work_on_task',
    task: { id: ids[1] },
  })
  await finish(bob, ids[1])
  await bob.call('get_next_action')
  expect(await work(resumed.session.id)).toMatchObject({
    state: 'running',
    waitsFor: [{ what: 'agent', agentId: 'ann', taskId: ids[2] }],
  })
})

test('[WK8] a task that is nobody’s, and one elsewhere, are what the work session waits for; the last one completed by a person ends it', async () => {
  const workplace = await openWorkplace()
  const { ids, work, change, begin } = await plan(workplace, ['ann', null])
  const elsewhere = await plan(workplace, [null])
  await change(ids[1], { dependsOn: [ids[0], elsewhere.ids[0]] })
  await begin()
  const ann = await workplace.signedIn()
  await ann.call('get_next_action')
  await finish(ann, ids[0])
  await ann.call('get_next_action')
  expect(await work()).toMatchObject({
    state: 'running',
    waitsFor: [{ what: 'task', taskId: elsewhere.ids[0] }],
  })
  for (const status of ['in_progress', 'completed']) await change(elsewhere.ids[0], { status })
  expect((await work()).waitsFor).toEqual([{ what: 'task', taskId: ids[1] }])
  for (const status of ['in_progress', 'completed']) await change(ids[1], { status })
  expect(await work()).toMatchObject({ state: 'completed', waitsFor: [] })
  // One made by hand that no agent was at ends by hand only (WK4).
  expect((await elsewhere.work()).state).toBe('running')
})

test('[RS6] [RS7] a resume that can start nothing is 201 and says what is missing', async () => {
  const workplace = await openWorkplace()
  const { post, server, projectId } = workplace
  const project = `/api/projects/${projectId}`
  const resumedWith = async (tasks: readonly object[]) => {
    const { id } = await post(`${project}/sessions`, {})
    for (const task of tasks)
      await post(`${project}/tasks`, {
        ['sessionId']: id,
        phase: 1,
        type: 'code',
        title: 't',
        ...task,
      })
    await post(`${project}/sessions/${id}/end`, { reason: 'stopped' })
    const preview = await server.ask(`${project}/sessions/${id}/resume`)
    const { status, json } = await server.ask(`${project}/sessions/${id}/resume`, {
      method: 'POST',
    })
    // Asked before, the same is missing.
    expect([preview.status, preview.json.missing]).toEqual([200, json.missing])
    expect([status, json.session.state]).toEqual([201, 'running'])
    const again = await server.ask(`${project}/sessions/${id}/resume`, { method: 'POST' })
    expect([again.status, again.json.missing]).toEqual([200, json.missing])
    return json.missing.map(({ what }: { what: string }) => what)
  }
  expect(await resumedWith([])).toEqual(['task'])
  expect(await resumedWith([{}])).toEqual(['agent'])
  // One that pulls and is started by hand.
  expect(await resumedWith([{ assignedTo: 'ann' }])).toEqual(['agent'])
  expect(await resumedWith([{ assignedTo: 'nobody' }])).toEqual(['agent'])
  await server.ask('/api/agents/bob', { method: 'PATCH', body: { command: 'true' } })
  expect(await resumedWith([{ assignedTo: 'bob' }])).toEqual(['machine'])
})

test('[WK6] dismissed work leaves the list of what was interrupted and can be resumed; only interrupted work is dismissed', async () => {
  const { post, server, projectId } = await openWorkplace()
  const list = `/api/projects/${projectId}/sessions`
  const { id } = await post(list, {})
  const dismiss = () => server.ask(`${list}/${id}/dismiss`, { method: 'POST' })
  expect(await dismiss()).toMatchObject({
    status: 409,
    json: { code: 'wrong_state', state: 'running' },
  })
  await post(`${list}/${id}/end`, { reason: 'lunch' })
  const listed = async () =>
    (await server.ask('/api/sessions/interrupted')).json.items.map(
      (each: { id: string }) => each.id,
    )
  expect(await listed()).toEqual([id])
  const first = await dismiss()
  expect(first.json).toMatchObject({ id, state: 'interrupted', dismissedAt: expect.any(String) })
  expect((await dismiss()).json).toEqual(first.json)
  expect(await listed()).toEqual([])
  expect((await server.ask(list)).json.items).toMatchObject([
    { id, dismissedAt: first.json.dismissedAt },
  ])
  expect((await post(`${list}/${id}/resume`, {})).session).toMatchObject({
    state: 'running',
    parentSessionId: id,
  })
})

test('[AS5] [WK9] whose process is stopped by a person was closed and its work stopped, also when it signs out on its way', async () => {
  const workplace = await openWorkplace()
  const { server, post, projectId } = workplace
  await server.ask('/api/agents/ann', { method: 'PATCH', body: { command: 'true' } })
  const { token, id } = await post('/api/tokens', { name: 'm', kind: 'coordinator' })
  const machine = await playMachine(server, id, token)
  const { ids, work, begin } = await plan(workplace, ['ann'])
  await begin()
  const { launch } = (
    await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, { method: 'POST' })
  ).json
  const { launchToken } = await machine.order('launch-begun')
  await machine.tell(started(launch.launchId))
  const ann = await connectMcp(server.url, launchToken)
  await ann.call('authenticate', { project_id: projectId })
  expect(await ann.call('get_next_action')).toMatchObject({ task: { id: ids[0] } })
  await server.ask(`/api/processes/${launch.launchId}/stop`, { method: 'POST' })
  await ann.call('logout')
  await machine.tell(exited(launch.launchId, { signal: 'SIGTERM', stopped: true }))
  expect(await work()).toMatchObject({ state: 'interrupted', interruptionReason: 'stopped' })
  const { items } = (await server.ask(`/api/agent-sessions?projectId=${projectId}`)).json
  expect(items).toMatchObject([{ purpose: 'task', endReason: 'closed' }])
})

test('[CH12] [WK5] an agent that is spoken to is told one task after the other of its plan, and a task of another agent starts that one', async () => {
  const { room, server, machine } = await openAcpChat()
  const project = `/api/projects/${room.projectId}`
  const ask = async (path: string, body: object, method = 'POST') =>
    (await server.ask(project + path, { method, body })).json
  const { id: workSessionId } = await ask('/sessions', {})
  const ids: string[] = []
  for (const [assignedTo, title] of [
    ['coder', 'Dig'],
    ['coder', 'Build'],
    ['critic', 'Judge'],
  ]) {
    const draft = {
      ['sessionId']: workSessionId,
      phase: 1,
      type: 'code',
      title,
      assignedTo,
      dependsOn: ids.slice(-1),
    }
    ids.push((await ask('/tasks', draft)).id)
  }
  await ask(`/tasks/${ids[0]}`, { status: 'in_progress' }, 'PATCH')
  const coder = await bringUp(machine)
  for (const title of ['Dig', 'Build']) {
    const { launchId, turnId, content } = await machine.turn()
    expect([launchId, content.at(-1).text]).toEqual([coder, expect.stringContaining(title)])
    await machine.tell(said(launchId, turnId, `${title} is done`), turnEnded(launchId, turnId))
  }
  const critic = await bringUp(machine)
  const { launchId, turnId, content } = await machine.turn()
  expect([launchId, content.at(-1).text]).toEqual([critic, expect.stringContaining('Judge')])
  await machine.tell(said(launchId, turnId, 'good'), turnEnded(launchId, turnId))
  await machine.order('stop-ordered')
  await machine.order('stop-ordered')
  expect((await server.ask(`${project}/sessions/${workSessionId}`)).json).toMatchObject({
    state: 'completed',
    tasks: [{ result: 'good' }, { result: 'Build is done' }, { result: 'Dig is done' }],
  })
})
