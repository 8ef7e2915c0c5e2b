/** Modes, models and options over the relay (AG6), and what is attached to a prompt. */
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import { openConsole, readyAgent, turnEnded, update } from '../../support/relay.ts'

const model = {
  id: 'model',
  name: 'Model',
  category: 'model',
  value: 'small',
  values: [
    { id: 'small', name: 'Small' },
    { id: 'large', name: 'Large' },
  ],
}
const brief = { id: 'brief', name: 'Brief', category: null, value: false, values: [] }
const modes = [
  { id: 'ask', name: 'Ask', description: null },
  { id: 'code', name: 'Code', description: null },
]

async function offering() {
  const room = await openConsole()
  const { machine, client, inside, launchId } = await room.taken()
  await machine.tell(started(launchId), {
    ...readyAgent(launchId),
    modes,
    modeId: 'ask',
    options: [model, brief],
  } as never)
  await client.next('agent:ready')
  const set = (change: object, requestId?: string) =>
    client.send({
      type: 'agent:configure',
      ...inside,
      role: 'auth',
      change,
      ...(requestId && { requestId }),
    })
  const info = async () => {
    client.send({ type: 'agent:get', ...inside, role: 'auth' })
    return (await client.next('agent:info')).agent
  }
  return { room, machine, client, inside, launchId, set, info }
}

test('[AG6] a mode and a model are asked of the agent, told when it has set them, and known to who comes later', async () => {
  const { machine, client, launchId, set, info } = await offering()
  set({ modeId: 'code' }, 'm')
  expect(await client.next()).toMatchObject({
    type: 'agent:configuring',
    role: 'auth',
    change: { modeId: 'code' },
    requestId: 'm',
  })
  const order = await machine.order('configure-ordered')
  expect(order).toMatchObject({ launchId, change: { modeId: 'code' } })
  expect((await info()).modeId).toBe('ask')
  // Asked again it is asked once; told twice it counts once.
  set({ modeId: 'code' }, 'm')
  expect(await client.next('agent:configuring')).toMatchObject({ requestId: 'm' })
  const done = { type: 'agent-configured', error: null, ...order } as const
  await machine.tell(done, done)
  expect(await client.next()).toMatchObject({
    type: 'agent:configured',
    change: { modeId: 'code' },
    error: null,
  })
  for (const change of [
    { optionId: 'model', value: 'large' },
    { optionId: 'brief', value: true },
  ]) {
    set(change)
    await client.next('agent:configuring')
    await machine.tell({
      type: 'agent-configured',
      error: null,
      ...(await machine.order('configure-ordered')),
    })
    expect(await client.next()).toMatchObject({ type: 'agent:configured', change })
  }
  await machine.tell(
    update(launchId, null, { kind: 'usage', used: 10, size: 100, cost: '0.01 USD' }),
  )
  await client.next('agent:update')
  expect(await info()).toMatchObject({
    modeId: 'code',
    options: [
      { id: 'model', value: 'large' },
      { id: 'brief', value: true },
    ],
    usage: { used: 10, size: 100, cost: '0.01 USD' },
  })
})

test('[AG6] what the agent does not offer is refused by name; what it refuses is told, and nothing is set', async () => {
  const { machine, client, set, info } = await offering()
  for (const [change, field] of [
    [{ modeId: 'yolo' }, 'modeId'],
    [{ optionId: 'colour', value: 'red' }, 'optionId'],
    [{ optionId: 'model', value: 'huge' }, 'value'],
    [{ optionId: 'model', value: true }, 'value'],
    [{ optionId: 'brief', value: 'yes' }, 'value'],
  ] as const) {
    set(change)
    expect(await client.next()).toMatchObject({ type: 'error', code: 'invalid_request', field })
  }
  set({ modeId: 'code', optionId: 'model', value: 'large' })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'invalid_request' })
  set({ modeId: 'code' })
  await client.next('agent:configuring')
  await machine.tell({
    type: 'agent-configured',
    ...(await machine.order('configure-ordered')),
    error: 'Not in this project',
  })
  expect(await client.next()).toMatchObject({
    type: 'agent:configured',
    error: 'Not in this project',
  })
  expect((await info()).modeId).toBe('ask')
  for (let wishes = 0; wishes < 16; wishes++) set({ modeId: 'code' })
  for (let wishes = 0; wishes < 16; wishes++) await client.next('agent:configuring')
  set({ modeId: 'code' })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'wrong_state' })
})

test('[AG6] a coordinator that was away finds what was asked of its agents meanwhile', async () => {
  const { room, machine, client, set, launchId } = await offering()
  machine.socket.webSocket.close()
  set({ modeId: 'code' })
  await client.next('agent:configuring')
  const again = await room.machine()
  const { configures } = again.snapshot.state[`coordinator:${again.id}`]
  expect(configures).toMatchObject([{ launchId, change: { modeId: 'code' } }])
  await again.tell({ type: 'agent-configured', ...configures[0], error: null })
  expect(await client.next('agent:configured')).toMatchObject({ error: null })
})

test('[AG6] a picture for an agent that takes none is refused in words; a file goes with the prompt', async () => {
  const { machine, client, inside, launchId } = await offering()
  const image = { type: 'image', mimeType: 'image/png', base64: 'AAAA' }
  client.send({
    type: 'agent:message',
    ...inside,
    role: 'auth',
    content: [{ type: 'text', text: 'look' }, image],
  })
  expect(await client.next()).toMatchObject({
    type: 'error',
    code: 'wrong_state',
    detail: 'coder does not accept images',
  })
  const file = { type: 'file', name: 'a.txt', mimeType: 'text/plain', text: 'content' }
  client.send({
    type: 'agent:message',
    ...inside,
    role: 'auth',
    content: [{ type: 'text', text: 'read' }, file],
  })
  const { turnId, content } = await machine.turn()
  expect(content).toEqual([{ type: 'text', text: 'read' }, file])
  await machine.tell(turnEnded(launchId, turnId))
})

const restarts = [
  ['woken', 'ignores a cancel and is woken'],
  ['spawned', 'crashed and is spawned with `load`'],
] as const

test.each(restarts)(
  '[AG6] (%s) an agent that %s is set again as a person had set it, or it is said why not',
  async (how) => {
    const { room, machine, client, inside, launchId, set, info } = await offering()
    for (const change of [
      { modeId: 'code' },
      { optionId: 'model', value: 'large' },
      { optionId: 'brief', value: true },
    ]) {
      set(change)
      await client.next('agent:configuring')
      await machine.tell({
        type: 'agent-configured',
        error: null,
        ...(await machine.order('configure-ordered')),
      })
      await client.next('agent:configured')
    }
    if (how === 'woken') {
      for (const content of ['slow', 'next'])
        client.send({ type: 'agent:message', ...inside, role: 'auth', content })
      const { turnId } = await machine.turn()
      await client.next('agent:queued')
      await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled', cancelIgnored: true }))
      await client.next('agent:asleep')
      await machine.tell(exited(launchId, { stopped: true }))
      const logger = createLogger({
        level: 'error',
        format: 'json',
        destination: { write: () => {} },
      })
      await userSessionLooks({
        store: room.server.store,
        clock: room.server.clock,
        logger,
      }).run()
    } else {
      await machine.tell(exited(launchId, { exitCode: 1 }))
      await client.next('agent:failed')
      client.send({ type: 'agent:spawn', ...inside, role: 'auth', load: true })
    }
    const { launchId: second } = await machine.order('launch-begun')
    // The agent begins as it always does, brief as it was before, and without the larger model.
    const small = { ...model, values: model.values.slice(0, 1) }
    const options = [small, { ...brief, value: true }]
    await machine.tell(started(second), {
      ...readyAgent(second),
      modes,
      modeId: 'ask',
      options,
    } as never)
    await client.next('agent:ready')
    expect(await client.next('agent:configured')).toMatchObject({
      change: { optionId: 'model', value: 'large' },
      error: expect.stringContaining('model cannot be large'),
    })
    expect(await client.next()).toMatchObject({
      type: 'agent:configuring',
      role: 'auth',
      change: { modeId: 'code' },
    })
    const order = await machine.order('configure-ordered')
    expect(order).toMatchObject({ launchId: second, change: { modeId: 'code' } })
    await machine.tell({ type: 'agent-configured', error: null, ...order })
    expect(await client.next('agent:configured')).toMatchObject({
      change: { modeId: 'code' },
      error: null,
    })
    expect(await info()).toMatchObject({
      modeId: 'code',
      options: [{ value: 'small' }, { value: true }],
    })
  },
)
