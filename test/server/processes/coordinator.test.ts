/**
 * A coordinator on the wire: a real WebSocket client that greets, takes, tells, and is refused when
 * its time is over.
 */
import { expect, test } from 'vitest'
import { type LinkFact, linkVersion } from '../../../src/protocol/processes/link.ts'
import { sandboxLimits } from '../../../src/protocol/processes/sandbox-limits.ts'
import { createToken } from '../../../src/services/access/change-access.ts'
import { type Said, started } from '../../services/processes/launch-pad.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { connectMcp, openWorkplace, type Workplace } from '../../support/mcp.ts'

async function open() {
  const place = await openWorkplace()
  const { server } = place
  await server.ask('/api/agents/ann', {
    method: 'PATCH',
    body: { command: 'holdfast', args: ['demo-mcp'], maxProcesses: 2 },
  })
  const { token, id } = await server.store.run(createToken, {
    name: 'machine',
    kind: 'coordinator',
    by: ownerWho,
  })
  return { ...place, token, coordinatorId: id }
}

const helloAs = (instance: string, epoch: number | null = null) => ({
  type: 'coordinator:hello',
  instance,
  linkVersion,
  version: '1.0.0',
  machine: 'laptop',
  bootId: 'boot',
  pid: 4711,
  epoch,
  requestId: `hello of ${instance}`,
})

async function join(
  { server, token }: { server: Workplace['server']; token: string },
  instance = 'first',
) {
  const socket = await openSocket({ port: server.port, token })
  socket.send(helloAs(instance))
  const welcome = await socket.next('coordinator:welcome')
  const snapshot = await socket.next('snapshot')
  let n = welcome.lastFact
  const say = (message: object) => socket.send({ epoch: welcome.epoch, requestId: 'r', ...message })
  return {
    socket,
    welcome,
    snapshot,
    /** What the server answered: the acknowledgement, or the refusal. */
    tell: (...said: Said[]) => {
      const facts = said.map((each) => ({ ...each, n: ++n }) as LinkFact)
      say({ type: 'coordinator:facts', facts })
      return socket.inbox.next(({ requestId }) => requestId === 'r')
    },
    take: (launchId: string) => {
      say({ type: 'coordinator:take', launchId })
      return socket.inbox.next(({ requestId }) => requestId === 'r')
    },
  }
}

test('[CO1] a coordinator registers, gets its orders by the log and what is begun on the connection, and tells what happened', async () => {
  const place = await open()
  const { server, projectId, coordinatorId, passkeys } = place
  const machine = await join(place)
  expect(machine.welcome).toEqual({
    type: 'coordinator:welcome',
    requestId: 'hello of first',
    coordinatorId,
    epoch: 1,
    lastFact: 0,
    maxConcurrent: 64,
    aloneMinutes: 30,
    takeoverMinutes: null,
    sandboxLimits: sandboxLimits(),
  })
  expect(machine.snapshot.state).toEqual({
    [`coordinator:${coordinatorId}`]: {
      launches: [],
      turns: [],
      permissions: [],
      configures: [],
      questions: [],
    },
  })
  const { json: chat } = await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, {
    method: 'POST',
  })
  expect(chat).toMatchObject({
    agentSession: null,
    launch: { state: 'waiting', agentId: 'ann', projectId, coordinatorId },
  })
  const { launchId } = chat.launch
  machine.socket.send({ type: 'coordinator:holds', launchIds: [] })
  const { launch: particulars } = await machine.socket.next('coordinator:offer')
  expect(particulars).toMatchObject({
    type: 'coordinator:launch',
    launchId,
    command: 'holdfast',
    args: ['demo-mcp'],
    folder: null,
  })
  expect(
    await machine.tell(started(launchId, 99), {
      type: 'process-output',
      launchId,
      text: 'hello\n',
    }),
  ).toMatchObject({
    type: 'coordinator:taken',
    through: 2,
  })
  const read = await server.ask(`/api/processes/${launchId}`)
  expect(read.json).toMatchObject({ state: 'running', pid: 99, output: 'hello\n' })
  const { text: metrics } = await server.ask('/metrics')
  for (const line of [
    'processes{state="running"} 1',
    'processes{state="held"} 0',
    'coordinators{state="connected"} 1',
  ])
    expect(metrics).toContain(`holdfast_${line}\n`)
  // The process: nothing but its token, and it is found out who it is.
  const agent = await connectMcp(server.url, particulars.launchToken)
  const signedIn = await agent.call('authenticate', { project_id: projectId })
  expect(signedIn).toMatchObject({ status: 'ok', purpose: 'chat' })
  // Also when it gives its passkey: otherwise nobody could tell whose session ends with which
  // process.
  const byPasskey = { project_id: projectId, agent_id: 'ann', passkey: passkeys['ann'] }
  expect(await agent.call('authenticate', byPasskey)).toMatchObject({
    status: 'ok',
    session_id: signedIn.session_id,
  })
  expect(await agent.call('get_next_action')).toMatchObject({ action: 'wait_for_messages' })
  const again = await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, {
    method: 'POST',
  })
  expect(again.json).toMatchObject({ agentSession: { launchId, state: 'active' }, launch: null })
  const { json: stopping } = await server.ask(`/api/processes/${launchId}/stop`, { method: 'POST' })
  expect(stopping).toMatchObject({ state: 'running', stopReason: 'stopped_by_person' })
  expect((await machine.socket.next('event')).event).toMatchObject({
    type: 'stop-ordered',
    data: { launchId, reason: 'stopped_by_person' },
  })
  const exit = {
    type: 'process-exited',
    launchId,
    exitCode: null,
    signal: 'SIGTERM',
    found: null,
    stopped: true,
  } as const
  expect(await machine.tell(exit)).toMatchObject({ through: 3 })
  const { json: list } = await server.ask('/api/processes?state=ended')
  expect(list.items).toMatchObject([{ launchId, reason: 'stopped_by_person', signal: 'SIGTERM' }])
  await expect(connectMcp(server.url, particulars.launchToken)).rejects.toThrow()
  expect(server.log()).not.toContain(particulars.launchToken)
})

test('[CO6] after a reconnect the snapshot holds what has not ended, and the numbering goes on', async () => {
  const place = await open()
  const { server, projectId, coordinatorId } = place
  const first = await join(place)
  const { launch } = (
    await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, { method: 'POST' })
  ).json
  await first.take(launch.launchId)
  await first.tell(started(launch.launchId))
  first.socket.webSocket.terminate()
  await first.socket.closed
  const again = await join(place)
  expect(again.welcome).toMatchObject({ epoch: 1, lastFact: 1 })
  expect(again.snapshot.state[`coordinator:${coordinatorId}`].launches).toEqual([
    {
      launchId: launch.launchId,
      agentId: 'ann',
      projectId,
      maxProcesses: 2,
      state: 'running',
      stopReason: null,
    },
  ])
})

test('[CO8] taken over it is fenced, whatever it says, and greets as a newcomer', async () => {
  const place = await open()
  const { server, projectId, coordinatorId } = place
  const machine = await join(place)
  const { launch } = (
    await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, { method: 'POST' })
  ).json
  await machine.take(launch.launchId)
  await machine.tell(started(launch.launchId))
  const taken = await server.ask(`/api/coordinators/${coordinatorId}/takeover`, { method: 'POST' })
  expect(taken.json).toMatchObject({
    id: coordinatorId,
    machine: 'laptop',
    state: 'stopped',
    epoch: 2,
    processes: 0,
  })
  expect(await machine.tell()).toMatchObject({ type: 'error', code: 'fenced', epoch: 2 })
  expect(await machine.take(launch.launchId)).toMatchObject({ type: 'error', code: 'fenced' })
  machine.socket.send(helloAs('first', 1))
  expect(await machine.socket.next('error')).toMatchObject({ code: 'fenced', epoch: 2 })
  expect((await server.ask(`/api/processes/${launch.launchId}`)).json).toMatchObject({
    reason: 'coordinator_lost',
  })
  machine.socket.send(helloAs('second'))
  expect(await machine.socket.next('coordinator:welcome')).toMatchObject({ epoch: 3, lastFact: 1 })
  const { json } = await server.ask('/api/coordinators')
  expect(json.items).toMatchObject([
    { id: coordinatorId, state: 'connected', epoch: 3, pid: 4711, version: '1.0.0' },
  ])
})

test('[SE3] only a coordinator is one; it reads no other stream, and nobody else reads its orders', async () => {
  const place = await open()
  const { server, passkeys } = place
  for (const token of [server.ownerToken, passkeys['ann']]) {
    const socket = await openSocket({ port: server.port, token })
    socket.send(helloAs('x'))
    expect(await socket.next()).toMatchObject({
      type: 'error',
      code: 'missing_scope',
      scope: 'coordinator',
    })
  }
  const machine = await join(place)
  machine.socket.send({ type: 'subscribe', streams: ['home'] })
  expect(await machine.socket.next('error')).toMatchObject({ code: 'missing_scope', scope: 'read' })
  for (const path of ['/api/processes', '/api/coordinators', '/api/projects'])
    expect((await server.ask(path, { token: place.token })).json).toMatchObject({
      code: 'missing_scope',
    })
  const { token: script } = await server.store.run(createToken, {
    name: 's',
    kind: 'script',
    scopes: ['read', 'write'],
    by: ownerWho,
  })
  const post = (path: string) => server.ask(path, { method: 'POST', token: script })
  expect((await post('/api/processes/x/stop')).json).toMatchObject({
    code: 'missing_scope',
    scope: 'manage',
  })
  expect((await post('/api/coordinators/x/takeover')).json).toMatchObject({
    code: 'missing_scope',
    scope: 'manage',
  })
})

test('[HT2] a fact that makes no sense is refused with the field named, and the connection stays up', async () => {
  const place = await open()
  const socket = await openSocket({ port: place.server.port, token: place.token })
  const wrong: [object, object][] = [
    [
      { ...helloAs('x'), instance: '' },
      { code: 'invalid_request', field: 'instance' },
    ],
    [
      { ...helloAs('x'), linkVersion: 99 },
      { code: 'invalid_request', field: 'linkVersion' },
    ],
    [{ type: 'coordinator:facts', epoch: 1, facts: [] }, { code: 'fenced' }],
    [
      { type: 'coordinator:facts', epoch: 1, facts: [{ n: 0, type: 'goodbye' }] },
      { code: 'invalid_request' },
    ],
    [
      { type: 'coordinator:facts', epoch: 1, facts: [{ n: 1, type: 'nonsense' }] },
      { code: 'invalid_request' },
    ],
    [{ type: 'coordinator:take', epoch: 1, launchId: 'none' }, { code: 'launch_withdrawn' }],
    [
      { type: 'coordinator:helo' },
      { code: 'unknown_type', detail: 'Did you mean coordinator:hello?' },
    ],
  ]
  for (const [message, error] of wrong) {
    socket.send(message)
    expect(await socket.next(), JSON.stringify(message)).toMatchObject({ type: 'error', ...error })
  }
  socket.send(helloAs('x'))
  expect(await socket.next()).toMatchObject({ type: 'coordinator:welcome' })
  const { server } = place
  for (const path of ['/api/processes/none/stop', '/api/coordinators/none/takeover'])
    expect((await server.ask(path, { method: 'POST' })).json).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  expect((await server.ask('/api/processes/none')).json).toMatchObject({ status: 404 })
  const released = await server.ask(`/api/projects/${place.projectId}/agents/ann/release`, {
    method: 'POST',
  })
  expect(released.json).toEqual({ process: null })
})
