/**
 * Launches that are begun together with their order (CO4), on the wire: to whom they are offered,
 * when not, and what becomes of one that is lost.
 */
import { expect, test } from 'vitest'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { connectMcp } from '../../support/mcp.ts'
import { type Console, type Machine, openConsole } from '../../support/relay.ts'

/** The order in front of it is passed over. */
const offerOn = ({ socket }: Machine) =>
  socket.inbox.next(({ type }) => type === 'coordinator:offer')

/** A machine that has said that it knows its orders, and somebody who spawns. */
async function open(settings: Parameters<typeof openConsole> = []) {
  const room = await openConsole(...settings)
  const machine = await room.machine()
  await machine.tell()
  const client = await room.client()
  const inside = await room.created(client)
  const spawn = (role: string) => client.send({ type: 'agent:spawn', ...inside, role })
  return { room, machine, client, inside, spawn }
}

const processOf = async ({ server }: Console, launchId: string) =>
  (await server.ask(`/api/processes/${launchId}`)).json

test('[CO11] a machine with room is told how to start it behind the order; the token is good, and is written down nowhere', async () => {
  const { room, machine, spawn } = await open()
  const before = room.server.store.figures().commits
  spawn('auth')
  const { order } = await machine.order('launch-ordered')
  const { launch, ...offer } = await offerOn(machine)
  const { launchId, launchToken } = launch
  expect(order).toEqual({ ...offer.order, offered: true })
  expect(launch).toMatchObject({
    type: 'coordinator:launch',
    launchId,
    agentId: 'coder',
    command: 'holdfast',
    acp: {},
  })
  expect(await processOf(room, launchId)).toMatchObject({ state: 'starting' })
  // Ordered and begun in one.
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
  const { launch } = await offerOn(machine)
  expect(launch).toMatchObject({ launchId: json.launch.launchId, agentId: 'critic' })
  expect(await processOf(room, launch.launchId)).toMatchObject({ state: 'starting' })
})

test('[CO2] where an agent has all it may have, or another waits, it is not begun; it is taken when its turn has come', async () => {
  const { room, machine, spawn } = await open()
  await room.server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses: 1 } })
  spawn('first')
  const { launch: first } = await offerOn(machine)
  spawn('second')
  const second = (await machine.order('launch-ordered')).order.launchId
  expect(await processOf(room, second)).toMatchObject({ state: 'waiting' })
  await room.server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses: null } })
  spawn('third')
  const third = (await machine.order('launch-ordered')).order.launchId
  expect(await processOf(room, third)).toMatchObject({ state: 'waiting' })
  await machine.tell(exited(first.launchId))
  expect(await machine.ask({ type: 'coordinator:take', launchId: second })).toMatchObject({
    launchId: second,
  })
})

test('[CO2] a machine that takes no more is offered none', async () => {
  const { room, machine, spawn } = await open([{ maxConcurrent: 1 }])
  spawn('first')
  await offerOn(machine)
  spawn('second')
  const second = (await machine.order('launch-ordered')).order.launchId
  expect(await processOf(room, second)).toMatchObject({ state: 'waiting' })
})

test('[CO6] begun, and lost with the connection: it is taken again with another token, and the first is dead', async () => {
  const { room, machine, spawn } = await open()
  spawn('auth')
  const { launch } = await offerOn(machine)
  machine.socket.webSocket.terminate()
  await machine.socket.closed
  const again = await room.machine()
  const orders = again.snapshot.state[`coordinator:${machine.id}`].launches
  expect(orders).toMatchObject([{ launchId: launch.launchId, state: 'starting' }])
  const taken = await again.ask({ type: 'coordinator:take', launchId: launch.launchId })
  await connectMcp(room.server.url, taken.launchToken)
  await expect(connectMcp(room.server.url, launch.launchToken)).rejects.toThrow()
})

test('[CO6] a coordinator that has not said yet that it knows its orders, or was replaced, is offered nothing', async () => {
  const room = await openConsole()
  const [first, client] = [await room.machine(), await room.client()]
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'early' })
  const early = await first.order('launch-ordered')
  expect(early.order.offered).toBe(false)
  await first.ask({ type: 'coordinator:take', launchId: early.order.launchId })
  await first.tell(exited(early.order.launchId))
  // Another life of the same coordinator: whatever begins for the first, this one would call gone.
  const second = await room.machine('second')
  client.send({ type: 'agent:spawn', ...inside, role: 'late' })
  const { order } = await second.order('launch-ordered')
  expect(order).toMatchObject({ offered: true })
  expect(await processOf(room, order.launchId)).toMatchObject({ state: 'waiting' })
  expect(await second.ask({ type: 'coordinator:take', launchId: order.launchId })).toMatchObject({
    launchId: order.launchId,
  })
})

test('[AG3] terminated in the moment in which it begins, it has ended only when its machine says so', async () => {
  const { room, machine, client, inside, spawn } = await open()
  spawn('auth')
  client.send({ type: 'agent:terminate', ...inside, role: 'auth' })
  const { launch } = await offerOn(machine)
  await machine.order('stop-ordered')
  expect(await processOf(room, launch.launchId)).toMatchObject({ state: 'starting' })
  await machine.tell(exited(launch.launchId, { stopped: true }))
  expect(await client.next('agent:terminated')).toMatchObject({ role: 'auth' })
})

test('[CO6] a connection that went while its last words were written down is offered nothing', async () => {
  const { room, machine, spawn } = await open()
  for (let n = 1; n <= 12; n++)
    machine.socket.send({
      type: 'coordinator:facts',
      epoch: machine.welcome.epoch,
      facts: [{ n, type: 'goodbye' }],
    })
  machine.socket.webSocket.terminate()
  await machine.socket.closed
  // Behind whatever was being written.
  await room.server.ask('/api/projects', { method: 'POST', body: { name: 'other' } })
  const back = await room.machine()
  spawn('auth')
  expect((await back.order('launch-ordered')).order.offered).toBe(false)
})
