/**
 * Launches that the server begins (CO11), on the wire: on whom, when not, and what becomes of one
 * that is lost.
 */
import { expect, test, vi } from 'vitest'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { connectMcp } from '../../support/mcp.ts'
import { type Console, type Machine, openConsole, playMachine } from '../../support/relay.ts'

const begunOn = (machine: Machine) => machine.order('launch-begun')

async function open(settings: Parameters<typeof openConsole> = []) {
  const room = await openConsole(...settings)
  const machine = await room.machine()
  await machine.tell()
  const client = await room.client()
  const inside = await room.created(client)
  const spawn = (role: string) => client.send({ type: 'agent:spawn', ...inside, role })
  const spawned = async (role: string): Promise<string> => {
    spawn(role)
    const { launchId } = await client.next('agent:spawning')
    // Launches that are ordered in one millisecond have no order among them.
    const ordered = Date.now()
    await vi.waitUntil(() => Date.now() > ordered, { interval: 1 })
    return launchId
  }
  return { room, machine, client, inside, spawn, spawned }
}

const processOf = async ({ server }: Console, launchId: string) =>
  (await server.ask(`/api/processes/${launchId}`)).json

test('[CO11] a machine with room is sent how to start it, in the commit of its order; the token is good, and is written down nowhere', async () => {
  const { room, machine, spawn } = await open()
  const before = room.server.store.figures().commits
  spawn('auth')
  const launch = await begunOn(machine)
  const { launchId, launchToken } = launch
  expect(launch).toMatchObject({
    type: 'coordinator:launch',
    launchId,
    agentId: 'coder',
    command: 'holdfast',
    acp: {},
  })
  expect(await processOf(room, launchId)).toMatchObject({ state: 'starting' })
  expect(room.server.store.figures().commits).toBe(before + 1)
  await connectMcp(room.server.url, launchToken)
  await machine.tell(started(launchId))
  expect(await processOf(room, launchId)).toMatchObject({ state: 'running' })
  const streams = [`coordinator:${machine.id}`, 'home', `project:${room.projectId}`] as const
  for (const stream of streams)
    expect(JSON.stringify(await room.server.store.eventsAfter(stream, 0, 100))).not.toContain(
      launchToken,
    )
  expect(room.server.log()).not.toContain(launchToken)
})

test('[CO11] a chat that needs its agent has it begun the same way', async () => {
  const { room, machine } = await open()
  const { server, projectId } = room
  const { json } = await server.ask(`/api/projects/${projectId}/chat/start?agentId=critic`, {
    method: 'POST',
  })
  const launch = await begunOn(machine)
  expect(launch).toMatchObject({ launchId: json.launch.launchId, agentId: 'critic' })
  expect(await processOf(room, launch.launchId)).toMatchObject({ state: 'starting' })
})

test('[CO2] an agent that has all it may have waits until one of its own has ended or it may have more, and holds up no other', async () => {
  const { room, machine, spawned } = await open()
  const { server, projectId } = room
  await server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses: 1 } })
  const [first, second, third] = [await spawned('a'), await spawned('b'), await spawned('c')]
  expect((await begunOn(machine)).launchId).toBe(first)
  await server.ask(`/api/projects/${projectId}/chat/start?agentId=critic`, { method: 'POST' })
  expect((await begunOn(machine)).agentId).toBe('critic')
  for (const waits of [second, third])
    expect(await processOf(room, waits ?? '')).toMatchObject({ state: 'waiting' })
  await machine.tell(exited(first ?? ''))
  expect((await begunOn(machine)).launchId).toBe(second)
  await server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses: null } })
  expect((await begunOn(machine)).launchId).toBe(third)
})

test('[CO2] on a machine that takes no more they wait, and begin in their order', async () => {
  const { room, machine, spawned } = await open([{ maxConcurrent: 1 }])
  const [first, second, third] = [await spawned('a'), await spawned('b'), await spawned('c')]
  for (const next of [first, second, third]) {
    const { launchId } = await begunOn(machine)
    expect(launchId).toBe(next)
    await machine.tell(exited(launchId))
  }
  expect(await processOf(room, third ?? '')).toMatchObject({ state: 'ended' })
})

test('[CO6] what was begun and lost with the connection is sent again with another token, and the first is dead; what the machine has is not', async () => {
  const { room, machine, spawn } = await open()
  spawn('auth')
  const held = await begunOn(machine)
  spawn('db')
  const lost = await begunOn(machine)
  machine.socket.webSocket.terminate()
  await machine.socket.closed
  const { server, token } = room
  const again = await playMachine(server, machine.id, token, 'first', 'laptop', [held.launchId])
  const launch = await begunOn(again)
  expect(launch).toMatchObject({ launchId: lost.launchId })
  await connectMcp(server.url, launch.launchToken)
  await connectMcp(server.url, held.launchToken)
  await expect(connectMcp(server.url, lost.launchToken)).rejects.toThrow()
})

test('[CO6] a connection is sent nothing any more once its coordinator has greeted at another', async () => {
  const { room, machine, spawn } = await open()
  const back = await room.machine()
  spawn('auth')
  const { launchId } = await begunOn(back)
  await machine.tell()
  expect(machine.particulars(launchId)).toBeUndefined()
})

test('[CO12] a coordinator of the build before asks for what was lost', async () => {
  const { room, machine, spawn } = await open()
  spawn('auth')
  const { launchId, launchToken } = await begunOn(machine)
  const taken = await machine.ask({ type: 'coordinator:take', launchId })
  await connectMcp(room.server.url, taken.launchToken)
  await expect(connectMcp(room.server.url, launchToken)).rejects.toThrow()
})

test('[AG3] terminated in the moment in which it begins, it has ended only when its machine says so', async () => {
  const { room, machine, client, inside, spawn } = await open()
  spawn('auth')
  client.send({ type: 'agent:terminate', ...inside, role: 'auth' })
  const launch = await begunOn(machine)
  await machine.order('stop-ordered')
  expect(await processOf(room, launch.launchId)).toMatchObject({ state: 'starting' })
  await machine.tell(exited(launch.launchId, { stopped: true }))
  expect(await client.next('agent:terminated')).toMatchObject({ role: 'auth' })
})
