/**
 * An agent in a role whose process was ended: it stays in its role, and comes back with what it
 * knew for what waits.
 */
import { expect, test, vi } from 'vitest'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import {
  type Console,
  type InSession,
  type Machine,
  nothingOffered,
  openConsole,
  readyAgent,
  said,
  turnEnded,
} from '../../support/relay.ts'

const sweep = ({ server }: Console): Promise<void> => {
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  return userSessionLooks({ store: server.store, clock: server.clock, logger }).run()
}

/** The next process, from the order to the moment it can be prompted; what it was to bring back. */
async function woken(
  machine: Machine,
  how: 'new' | 'loaded',
): Promise<{ launchId: string; acp: { loadAcpSessionId: string } }> {
  const { launchId } = await machine.order('launch-begun')
  const { acp } = machine.particulars(launchId)
  await machine.tell(started(launchId), readyAgent(launchId, how))
  return { launchId, acp }
}

const inRole = (inside: InSession, content: string) => ({
  type: 'agent:message',
  ...inside,
  role: 'auth',
  content,
})

test('[AG7] [CX15] an agent that ignores a cancel is ended and started anew in its role, with what it knew, for what waits', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  for (const content of ['slow', 'next', 'last']) client.send(inRole(inside, content))
  const { turnId } = await machine.turn()
  const [next, last] = [await client.next('agent:queued'), await client.next('agent:queued')]
  client.send({ type: 'agent:cancel', ...inside, role: 'auth', requestId: 'c' })
  await machine.order('cancel-ordered')
  await machine.tell(
    said(launchId, turnId, 'so far'),
    turnEnded(launchId, turnId, { outcome: 'cancelled', cancelIgnored: true }),
  )
  expect(await client.next('agent:response')).toMatchObject({
    messageId: turnId,
    stopReason: 'cancelled',
    content: 'so far',
  })
  expect(await client.next()).toMatchObject({ type: 'agent:asleep', role: 'auth' })
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId })
  client.send({ type: 'agent:get', ...inside, role: 'auth' })
  const { agent } = await client.next('agent:info')
  expect(agent).toMatchObject({ state: 'ACTIVE', asleep: true, turn: null })
  expect(agent.queue.map(({ messageId }: { messageId: string }) => messageId)).toEqual([
    next.messageId,
    last.messageId,
  ])
  // While the old one is still there no second one is started beside it.
  await sweep(room)
  await machine.tell(exited(launchId, { stopped: true }))
  await sweep(room)
  await sweep(room)
  const { launchId: second, acp } = await woken(machine, 'loaded')
  expect(second).not.toBe(launchId)
  expect(acp).toMatchObject({ loadAcpSessionId: `acp of ${launchId}`, workspace: { role: 'auth' } })
  expect(await client.next()).toMatchObject({ type: 'agent:ready', role: 'auth', how: 'loaded' })
  const received = await machine.turn()
  expect(received).toMatchObject({
    launchId: second,
    turnId: next.messageId,
    content: [{ type: 'text', text: 'next' }],
  })
  await machine.tell(said(second, next.messageId, 'done'), turnEnded(second, next.messageId))
  expect(await machine.turn()).toMatchObject({ launchId: second, turnId: last.messageId })
  const { items } = (await room.server.ask(`/api/processes?projectId=${room.projectId}`)).json
  expect(items.map(({ state }: { state: string }) => state).toSorted()).toEqual([
    'ended',
    'running',
  ])
})

test('[CX7] a prompt that is refused is told again in a context opened again, then by a process started again, then the agent has failed', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send(inRole(inside, 'remember the plum'))
  await machine.answer('I will')
  for (const content of ['one', 'two']) client.send(inRole(inside, content))
  const first = await machine.turn()
  expect(first.context).toMatchObject({ open: null })
  const two = await client.next('agent:queued')
  const refuse = (launch: string) =>
    turnEnded(launch, first.turnId, {
      outcome: 'failed',
      error: 'Resource not found',
      notRun: 'refused',
    })
  await machine.tell(refuse(launchId))
  const again = await machine.turn()
  const { contextId } = first.context
  expect(again).toMatchObject({
    launchId,
    turnId: first.turnId,
    content: [{ text: 'one' }],
    context: {
      contextId,
      open: { acpSessionId: `acp of ${launchId}`, primer: expect.stringContaining('plum') },
    },
  })
  expect(again.context.open.primer).not.toContain('one')
  const began = {
    acpSessionId: 'brought back',
    how: 'loaded',
    notRestored: null,
    ...nothingOffered,
  } as const
  await machine.tell(
    { type: 'turn-began', launchId, turnId: first.turnId, contextId, ...began },
    refuse(launchId),
  )
  expect(await client.next('agent:asleep')).toMatchObject({ role: 'auth' })
  await machine.tell(exited(launchId, { stopped: true }))
  await sweep(room)
  const { launchId: second, acp } = await woken(machine, 'new')
  // The session may be what is wrong: another one, which is told what was said.
  expect(acp.loadAcpSessionId).toBeNull()
  const third = await machine.turn()
  expect(third).toMatchObject({ launchId: second, turnId: first.turnId })
  expect(third.content).toMatchObject([{ text: expect.stringContaining('plum') }, { text: 'one' }])
  await machine.tell(refuse(second))
  expect(await client.next('agent:response')).toMatchObject({
    messageId: first.turnId,
    error: 'Resource not found',
  })
  expect(await client.next()).toMatchObject({
    type: 'agent:failed',
    step: 'running',
    error: expect.stringMatching(/accepts no prompt.*Resource not found/),
  })
  expect(await client.next()).toMatchObject({
    type: 'agent:withdrawn',
    messageId: two.messageId,
    reason: 'failed',
  })
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId })
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId: second })
})

test('[AG12] an idle agent of a console that nobody looks at sleeps after the soft time-out, and the next prompt wakes it', async () => {
  const room = await openConsole(
    {},
    { 'chat.soft_timeout_minutes': 2, 'user_session.detached_hours': 24 },
  )
  const { client, machine, inside, launchId } = await room.ready()
  client.send(inRole(inside, 'remember the plum'))
  await machine.answer('I will')
  await client.next('agent:response')
  const { clock } = room.server
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  const sweeper = userSessionLooks({ store: room.server.store, clock, logger })
  const processes = async () =>
    (await room.server.ask(`/api/processes?projectId=${room.projectId}`)).json.items
  /** The machine is heard of all the while. */
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) {
      clock.advance(1000)
      await sweeper.run()
      if (passed % 10 === 0) await machine.tell()
    }
  }
  await sweeper.run()
  client.webSocket.close()
  await client.closed
  await vi.waitFor(async () =>
    expect((await room.server.ask('/metrics')).text).toContain('holdfast_websockets_open 1\n'),
  )
  await pass(100)
  expect((await processes())[0]).toMatchObject({ stopReason: null })
  await pass(180)
  expect(await machine.order('stop-ordered')).toEqual({ launchId, reason: 'idle' })
  await machine.tell(exited(launchId, { stopped: true }))
  const back = await room.client()
  back.send({ type: 'session:resume', ...inside })
  await back.next('session:snapshot')
  back.send({ type: 'agent:get', ...inside, role: 'auth' })
  expect((await back.next('agent:info')).agent).toMatchObject({ state: 'ACTIVE', asleep: true })
  back.send({
    type: 'agent:configure',
    ...inside,
    role: 'auth',
    change: { modeId: 'careful' },
    requestId: 'c',
  })
  expect(await back.next('error')).toMatchObject({ code: 'wrong_state', requestId: 'c' })
  back.send(inRole(inside, 'which fruit?'))
  await back.next('agent:queued')
  await sweeper.run()
  const { launchId: second, acp } = await woken(machine, 'loaded')
  expect(acp.loadAcpSessionId).toBe(`acp of ${launchId}`)
  expect(await machine.turn()).toMatchObject({
    launchId: second,
    content: [{ type: 'text', text: 'which fruit?' }],
  })
})

test('[CX2] an agent spawned with `load` whose session cannot be brought back is told what was said', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send(inRole(inside, 'remember the plum'))
  await machine.answer('I will')
  await machine.tell(exited(launchId, { exitCode: 1 }))
  await client.next('agent:failed')
  for (const [load, how, received] of [
    [
      true,
      'new',
      [{ text: expect.stringMatching(/^\[Holdfast\].*plum.*I will/s) }, { text: 'which fruit?' }],
    ],
    [true, 'loaded', [{ text: 'which fruit?' }]],
    // A new one was asked for.
    [false, 'new', [{ text: 'which fruit?' }]],
  ] as const) {
    client.send({ type: 'agent:spawn', ...inside, role: 'auth', load })
    const again = await woken(machine, how)
    expect(again.acp.loadAcpSessionId === null).toBe(!load)
    await client.next('agent:ready')
    client.send(inRole(inside, 'which fruit?'))
    const { content, turnId } = await machine.turn()
    expect(content).toMatchObject(received)
    await machine.tell(said(again.launchId, turnId, 'a plum'), turnEnded(again.launchId, turnId))
    await machine.tell(exited(again.launchId, { exitCode: 1 }))
    await client.next('agent:failed')
  }
})
