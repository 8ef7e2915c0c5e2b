/**
 * How agents and sessions end: failures at each step, terminating in each state, what the sweeper
 * does when nobody says anything.
 */
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { type Looks, userSessionLooks } from '../../support/due-work.ts'
import type { SocketClient } from '../../support/feed-clients.ts'
import {
  asks,
  type Console,
  openConsole,
  pass,
  question,
  readyAgent,
  turnEnded,
} from '../../support/relay.ts'
import { shakyStore } from '../../support/shaky-store.ts'

const sweeperOf = ({ server }: Console, store = server.store): Looks => {
  const { clock } = server
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  return userSessionLooks({ store, clock, logger })
}

test('[AG2] [RL1] a start that fails says its step, others go on, and it can be tried again', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId: other } = await room.ready('steady')
  for (const step of ['workspace', 'process', 'initialize', 'session'] as const) {
    client.send({ type: 'agent:spawn', ...inside, role: 'shaky', workspace: '../out' })
    await client.next('agent:spawning')
    const { launchId } = await machine.order('launch-begun')
    expect(machine.particulars(launchId)).toMatchObject({
      acp: { workspace: { path: '../out' } },
    })
    const begun = step === 'workspace' || step === 'process' ? [] : [started(launchId)]
    await machine.tell(...begun, { type: 'agent-failed', launchId, step, error: `no ${step}` })
    const failed = await client.next('agent:failed')
    expect(failed).toMatchObject({ role: 'shaky', step, error: `no ${step}`, messageId: null })
    await machine.tell(
      begun.length > 0
        ? exited(launchId, { stopped: true })
        : { type: 'start-failed', launchId, error: 'x' },
    )
    expect((await room.server.ask(`/api/processes/${launchId}`)).json).toMatchObject({
      state: 'ended',
      reason: 'start_failed',
    })
  }
  client.send({ type: 'agent:spawn', ...inside, role: 'shaky' })
  const { launchId } = await machine.order('launch-begun')
  await machine.tell({ type: 'start-failed', launchId, error: 'There is no such program' })
  expect(await client.next('agent:failed')).toMatchObject({
    step: 'process',
    error: 'There is no such program',
  })
  client.send({ type: 'agent:list', ...inside })
  expect((await client.next('agent:list')).agents).toMatchObject([
    { role: 'steady', state: 'ACTIVE' },
    { role: 'shaky', state: 'FAILED', error: 'There is no such program', step: 'process' },
  ])
  client.send({ type: 'agent:spawn', ...inside, role: 'steady', requestId: 'dup' })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'role_taken', requestId: 'dup' })
  expect((await room.server.ask(`/api/processes/${other}`)).json).toMatchObject({
    state: 'running',
  })
})

test('[AG2] without a coordinator it fails at once with words, and the session stays', async () => {
  const room = await openConsole()
  const client = await room.client()
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'auth' })
  expect(await client.next()).toMatchObject({ type: 'agent:spawning' })
  expect(await client.next()).toMatchObject({
    type: 'agent:failed',
    step: 'process',
    error: expect.stringContaining('coordinator'),
  })
})

test('[AG2] a role whose agent is deleted while it waits for its turn to start has failed, with the reason', async () => {
  const room = await openConsole({ maxConcurrent: 1 })
  const { client, machine, inside, launchId } = await room.ready('other')
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', agentId: 'critic' })
  await client.next('agent:spawning')
  await room.server.ask('/api/agents/critic', { method: 'DELETE' })
  await machine.tell(exited(launchId))
  expect(await client.next('agent:failed')).toMatchObject({ role: 'other' })
  expect(await client.next('agent:failed')).toMatchObject({ role: 'auth', step: 'process' })
  client.send({ type: 'agent:get', ...inside, role: 'auth' })
  const { agent } = await client.next('agent:info')
  expect([agent.state, agent.error]).toEqual(['FAILED', expect.stringContaining('critic')])
})

test('[AG2] a start that fails says why: the exit code and the last lines of its process', async () => {
  const room = await openConsole()
  const { machine, client, inside, launchId } = await room.taken()
  await machine.tell(
    started(launchId),
    { type: 'process-output', launchId, text: 'no key in the environment\n' },
    {
      type: 'agent-failed',
      launchId,
      step: 'initialize',
      error: 'It ended',
      exitCode: 3,
      signal: null,
    },
    exited(launchId, { exitCode: 3 }),
  )
  const failed = {
    step: 'initialize',
    error: 'It ended\nno key in the environment',
    exitCode: 3,
    signal: null,
  }
  expect(await client.next('agent:failed')).toMatchObject(failed)
  client.send({ type: 'agent:get', ...inside, role: 'auth' })
  expect((await client.next('agent:info')).agent).toMatchObject({ state: 'FAILED', ...failed })
})

test('[AG3] terminating while it waits, starts, runs or has failed ends in TERMINATED with nothing left', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const client = await room.client()
  const inside = await room.created(client)
  const ask = (role: string) => client.send({ type: 'agent:spawn', ...inside, role })
  const spawn = async (role: string): Promise<string> => {
    ask(role)
    await client.next('agent:spawning')
    return (await machine.order('launch-begun')).launchId
  }
  const terminate = (role: string) => client.send({ type: 'agent:terminate', ...inside, role })
  const limit = (maxProcesses: number | null) =>
    room.server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses } })
  const other = await spawn('other')
  await limit(1)
  ask('waiting')
  await client.next('agent:spawning')
  terminate('waiting')
  expect(await client.next()).toMatchObject({
    type: 'agent:terminated',
    role: 'waiting',
    reason: 'user requested',
  })
  await limit(null)
  terminate('other')
  await machine.tell(exited(other, { stopped: true }))
  expect(await client.next()).toMatchObject({ type: 'agent:terminated', role: 'other' })
  await machine.order('stop-ordered')
  const starting = await spawn('starting')
  terminate('starting')
  terminate('starting')
  await machine.order('stop-ordered')
  // The agent became ready all the same: too late.
  await machine.tell(started(starting), readyAgent(starting))
  client.send({ type: 'agent:spawn', ...inside, role: 'starting' })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'role_taken' })
  await machine.tell(exited(starting, { stopped: true }))
  expect(await client.next()).toMatchObject({ type: 'agent:terminated', role: 'starting' })
  const failed = await spawn('failed')
  await machine.tell({ type: 'start-failed', launchId: failed, error: 'x' })
  await client.next('agent:failed')
  terminate('failed')
  expect(await client.next()).toMatchObject({ type: 'agent:terminated', role: 'failed' })
  client.send({ type: 'agent:list', ...inside })
  expect(await client.next()).toMatchObject({ type: 'agent:list', agents: [] })
})

test('[US4] a session with agents in every state is terminated: all are told at once, every socket hears of it when the last is gone', async () => {
  const room = await openConsole()
  const { server, projectId } = room
  const { client, machine, inside, launchId: active } = await room.ready('active')
  const phone = await room.client()
  phone.send({ type: 'session:resume', ...inside, lastSeq: 3 })
  await phone.next('session:resumed')
  client.send({ type: 'agent:message', ...inside, role: 'active', content: 'x' })
  const { turnId } = await machine.turn()
  await machine.tell(asks(active, turnId, 'q'))
  await client.next('permission:requested')
  for (const role of ['failed', 'starting']) client.send({ type: 'agent:spawn', ...inside, role })
  const launches = [0, 1].map(async () => (await machine.order('launch-begun')).launchId)
  const [failed, starting] = await Promise.all(launches)
  // So that the next has no room.
  await server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses: 3 } })
  client.send({ type: 'agent:spawn', ...inside, role: 'waiting' })
  await server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses: 2 } })
  await machine.tell({ type: 'start-failed', launchId: failed, error: 'x' })
  await client.next('agent:failed')
  client.send({ type: 'session:terminate', ...inside, requestId: 'end' })
  const gone = [await client.next('agent:terminated'), await client.next('agent:terminated')]
  expect(gone.map(({ role }) => role).toSorted()).toEqual(['failed', 'waiting'])
  expect((await server.ask(`/api/user-sessions/${inside.sessionId}`)).json).toMatchObject({
    state: 'TERMINATED',
  })
  client.send({ type: 'agent:message', ...inside, role: 'active', content: 'x' })
  expect(await client.next('error')).toMatchObject({ code: 'user_session_terminated' })
  await machine.tell(exited(active, { stopped: true }))
  expect(await client.next('permission:resolved')).toMatchObject({ outcome: 'withdrawn' })
  expect(await client.next()).toMatchObject({
    type: 'agent:response',
    messageId: turnId,
    stopReason: 'terminated',
  })
  expect(await client.next()).toMatchObject({
    type: 'agent:terminated',
    role: 'active',
    reason: 'session terminated',
  })
  await machine.tell(exited(starting, { stopped: true }))
  const end = {
    type: 'session:terminated',
    reason: 'user requested',
    agentsTerminated: 4,
    requestId: 'end',
  }
  expect(await client.next('session:terminated')).toMatchObject(end)
  expect(await phone.next('session:terminated')).toMatchObject(end)
  expect((await server.ask('/api/processes?state=running')).json.items).toEqual([])
  expect((await server.ask(`/api/projects/${projectId}/sessions`)).json.items).toHaveLength(4)
  const { items } = (await server.ask(`/api/projects/${projectId}/sessions`)).json
  const states = items.map(
    (each: { currentAgentRole: string; state: string }) =>
      `${each.currentAgentRole}: ${each.state}`,
  )
  // WK5: what had nothing in hand is completed, and nobody is asked to resume it.
  const nothingRuns = ['starting: completed', 'waiting: completed']
  expect(states.toSorted()).toEqual(['active: interrupted', 'failed: interrupted', ...nothingRuns])
  // Sockets stay open, and hold other sessions.
  expect((await room.created(client)).sessionId).not.toBe(inside.sessionId)
})

test('[RL7] who asks for an end that another has asked for is answered under its own request id', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const phone = await room.client()
  const asksFor = (on: SocketClient, type: string, requestId: string) =>
    on.send({ type, ...inside, role: 'auth', requestId })
  const answerTo = (on: SocketClient, requestId: string) =>
    on.inbox.next((each) => each.requestId === requestId)
  asksFor(client, 'agent:terminate', 'a1')
  await machine.order('stop-ordered')
  asksFor(phone, 'agent:terminate', 'a2')
  asksFor(client, 'session:terminate', 's1')
  asksFor(client, 'agent:get', 'g')
  // The process is still there: nobody is answered before it has gone.
  expect(await answerTo(client, 'g')).toMatchObject({
    type: 'agent:info',
    agent: { terminating: true },
  })
  asksFor(phone, 'session:terminate', 's2')
  asksFor(phone, 'agent:get', 'h')
  await answerTo(phone, 'h')
  await machine.tell(exited(launchId, { stopped: true }))
  const gone = { type: 'agent:terminated', role: 'auth', reason: 'user requested' }
  const ended = { type: 'session:terminated', reason: 'user requested', agentsTerminated: 1 }
  expect([await answerTo(client, 'a1'), await answerTo(client, 's1')]).toMatchObject([gone, ended])
  expect([await answerTo(phone, 'a2'), await answerTo(phone, 's2')]).toMatchObject([gone, ended])
  // And so is who asks when it is over; the first, who asks once more, by the same event.
  asksFor(phone, 'session:terminate', 's3')
  expect(await answerTo(phone, 's3')).toMatchObject(ended)
  asksFor(client, 'session:terminate', 's1')
  expect(await answerTo(client, 's1')).toMatchObject({ ...ended, seq: expect.any(Number) })
})

test('[US4] an agent that does not go within its time is given up on, and the rest goes on', async () => {
  const room = await openConsole()
  const { clock } = room.server
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'session:terminate', ...inside })
  await machine.order('stop-ordered')
  const sweeper = sweeperOf(room)
  clock.advance(4000)
  await sweeper.run()
  clock.advance(1500)
  await sweeper.run()
  expect(await client.next('agent:terminated')).toMatchObject({ role: 'auth' })
  expect(await client.next()).toMatchObject({ type: 'session:terminated', agentsTerminated: 1 })
  // The late exit changes nothing more.
  await machine.tell(exited(launchId, { stopped: true }))
  expect((await room.server.ask(`/api/processes/${launchId}`)).json).toMatchObject({
    state: 'ended',
  })
})

test('[AG2] an agent that says nothing for the time a start may take has failed, and its process is told to go', async () => {
  const room = await openConsole({}, { 'agent.start_timeout_seconds': 10 })
  const machine = await room.machine()
  const client = await room.client()
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'mute' })
  const { launchId } = await machine.order('launch-begun')
  await machine.tell(started(launchId))
  const sweeper = sweeperOf(room)
  for (const ms of [10_000, 4000, 1500]) {
    await pass(room, ms, client, machine.socket)
    await sweeper.run()
  }
  expect(await client.next('agent:failed')).toMatchObject({
    step: 'initialize',
    error: 'It was not ready within 10 seconds',
  })
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId })
})

test('[AP4] no answer in time is expired, which the agent is told as a refusal', async () => {
  const room = await openConsole({}, { 'permission.deadline_minutes': 1 })
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'q', question()))
  await client.next('permission:requested')
  const sweeper = sweeperOf(room)
  await pass(room, 59_000, client, machine.socket)
  await sweeper.run()
  expect((await room.server.ask('/api/approvals')).json.items).toHaveLength(1)
  await pass(room, 2000, client, machine.socket)
  await sweeper.run()
  expect(await client.next('permission:resolved')).toMatchObject({
    outcome: 'expired',
    decidedBy: 'system',
    optionId: 'no',
  })
  expect(await machine.order('permission-settled')).toEqual({
    launchId,
    askId: 'q',
    optionId: 'no',
  })
})

test('[US3] while the store is away nobody can be connected: when it is back there is time to, before a session is terminated', async () => {
  const room = await openConsole({}, { 'user_session.detached_hours': 0.02 })
  const client = await room.client()
  const inside = await room.created(client)
  const { shaky, state } = shakyStore(room.server.store)
  const sweeper = sweeperOf(room, shaky)
  const minutes = async (count: number): Promise<string> => {
    for (let second = 0; second < count * 60; second += 5) {
      await pass(room, 5000)
      await sweeper.run().catch(() => {})
    }
    return (await room.server.ask(`/api/user-sessions/${inside.sessionId}`)).json.state
  }
  await minutes(1)
  client.webSocket.close()
  await client.closed
  state.isAway = true
  await minutes(4)
  state.isAway = false
  expect(await minutes(0.9)).toBe('ACTIVE')
  expect(await minutes(0.3)).toBe('TERMINATED')
})

test('[US3] a session is terminated when nobody was connected for its time; not while somebody is, nor while a turn runs', async () => {
  const room = await openConsole({}, { 'user_session.detached_hours': 0.05 })
  const { client, machine, inside, launchId } = await room.ready()
  const sweeper = sweeperOf(room)
  const minutes = async (count: number, ...there: SocketClient[]): Promise<string> => {
    for (let second = 0; second < count * 60; second += 5) {
      await pass(room, 5000, machine.socket, ...there)
      await sweeper.run()
    }
    return (await room.server.ask(`/api/user-sessions/${inside.sessionId}`)).json.state
  }
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
  const { turnId } = await machine.turn()
  expect(await minutes(4, client)).toBe('ACTIVE')
  client.webSocket.close()
  await client.closed
  expect(await minutes(4)).toBe('ACTIVE')
  await machine.tell(turnEnded(launchId, turnId))
  // A server that was away has seen nobody: its readers have time to come back first.
  const restarted = sweeperOf(room)
  await restarted.run()
  expect(await minutes(0)).toBe('ACTIVE')
  expect(await minutes(0.1)).toBe('TERMINATED')
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId })
})

test('[CO8] a takeover fails the agents of the coordinator that was lost, and their turns are unknown', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
  const { turnId } = await machine.turn()
  await room.server.ask(`/api/coordinators/${machine.id}/takeover`, { method: 'POST' })
  expect(await client.next('agent:failed')).toMatchObject({
    step: 'running',
    messageId: turnId,
    error: expect.stringContaining('took over'),
  })
  expect((await room.server.ask(`/api/processes/${launchId}`)).json).toMatchObject({
    reason: 'coordinator_lost',
  })
})

test('[AC4] after a reconnect the machine is told which turns run and what was answered, and asks what they are about', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'q1'), asks(launchId, turnId, 'q2'))
  const { approvalId } = await client.next('permission:requested')
  machine.socket.webSocket.terminate()
  await machine.socket.closed
  client.send({ type: 'permission:answer', ...inside, approvalId, optionId: 'always' })
  client.send({ type: 'agent:cancel', ...inside, role: 'auth' })
  await client.next('permission:resolved')
  client.send({ type: 'agent:list', ...inside })
  await client.next('agent:list')
  const again = await room.machine()
  expect(Object.values(again.snapshot.state)).toMatchObject([
    {
      launches: [{ launchId, state: 'running' }],
      turns: [{ launchId, turnId, cancelOrdered: true }],
      permissions: [{ launchId, askId: 'q1', optionId: 'yes' }],
    },
  ])
  expect(await again.ask({ type: 'coordinator:turn', launchId, turnId })).toMatchObject({
    type: 'coordinator:prompt',
    turnId,
    content: [{ type: 'text', text: 'x' }],
  })
  expect(await again.ask({ type: 'coordinator:turn', launchId, turnId: 'none' })).toMatchObject({
    code: 'not_found',
  })
})

test('[US1] the process of a role stopped by a person, a project deleted: the agent, the session end with it', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  await room.server.ask(`/api/processes/${launchId}/stop`, { method: 'POST' })
  await machine.tell(exited(launchId, { signal: 'SIGTERM', stopped: true }))
  expect(await client.next('agent:terminated')).toMatchObject({
    role: 'auth',
    reason: 'stopped by a person',
  })
  await room.server.ask(`/api/projects/${room.projectId}`, { method: 'DELETE' })
  await sweeperOf(room).run()
  expect(await client.next('session:terminated')).toMatchObject({
    reason: 'project deleted',
    agentsTerminated: 0,
    ...inside,
  })
})
