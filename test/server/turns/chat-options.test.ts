/** Model, mode, options and attachments of a conversation, in a chat as in a role (AG14). */
import { expect, test } from 'vitest'
import { consoleKey, webKey } from '../../../src/domain/conversations/key.ts'
import { turnsStream } from '../../../src/domain/stream-name.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { eventsOf } from '../../services/projects/installation.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { openConsole, readyAgent, said, turnEnded, update } from '../../support/relay.ts'

const values = [
  { id: 'small', name: 'Small' },
  { id: 'large', name: 'Large' },
]
const model = { id: 'model', name: 'Model', category: 'model', value: 'small', values }
const fast = { id: 'fast', name: 'Fast', category: null, value: false, values: [] }
const modes = [
  { id: 'ask', name: 'Ask', description: null },
  { id: 'plan', name: 'Plan', description: null },
]
const offers = { images: true, modes, modeId: 'ask', options: [model, fast] }
const picture = { type: 'image', mimeType: 'image/png', base64: 'aGVsbG8=' } as const

async function openChatWithOptions() {
  const chat = await openAcpChat()
  const { machine, room, server } = chat
  const key = webKey(room.projectId, 'coder')
  const at = `/api/conversations/${encodeURIComponent(key)}/options`
  return {
    ...chat,
    key,
    bringUp: async () => {
      const { launchId } = await machine.order('launch-begun')
      const { acp } = machine.particulars(launchId)
      await machine.tell(started(launchId), { ...readyAgent(launchId), ...offers } as never)
      return { launchId, contextId: acp.contextId as string }
    },
    options: async () => (await server.ask(at)).json,
    set: (change: object) => server.ask(at, { method: 'POST', body: change }),
    post: (body: object) =>
      server.ask('/api/chat', {
        method: 'POST',
        body: { projectId: room.projectId, toAgentId: 'coder', content: 'look', ...body },
      }),
  }
}

test('[AG14] a chat’s model, mode and switches are set at once where it is open, and again before the first prompt of its next process', async () => {
  const { say, machine, server, key, bringUp, options, set } = await openChatWithOptions()
  await say('hello')
  expect(await options()).toEqual({ images: false, modes: [], modeId: null, options: [] })
  expect((await set({ modeId: 'plan' })).json).toMatchObject({
    code: 'wrong_state',
    notice: { code: 'optionsUnknown' },
  })
  const { launchId, contextId } = await bringUp()
  const first = await machine.turn()
  expect(first.configure).toBeUndefined()
  expect(await options()).toEqual(offers)
  expect((await set({ optionId: 'model', value: 'huge' })).json).toMatchObject({
    code: 'invalid_request',
    field: 'value',
  })
  expect((await set({ optionId: 'fast', value: true })).json.options[1].value).toBe(true)
  const switched = await machine.order('configure-ordered')
  expect(switched).toEqual({
    launchId,
    contextId,
    configureId: expect.any(String),
    change: { optionId: 'fast', value: true },
  })
  await set({ optionId: 'model', value: 'large' })
  const refused = await machine.order('configure-ordered')
  const result = ({ configureId, change }: typeof switched, error: string | null) =>
    machine.tell({ type: 'agent-configured', launchId, contextId, configureId, change, error })
  await result(switched, null)
  await result(refused, 'No such model')
  // What the agent refused is not kept, and told; a result that comes again changes nothing.
  await result(refused, 'No such model')
  expect((await options()).options).toMatchObject([{ value: 'small' }, { value: true }])
  await set({ modeId: 'plan' })
  const planned = await machine.order('configure-ordered')
  await result(planned, null)
  // The agent goes on to another mode by itself: that is the one to come back to.
  await machine.tell({
    ...update(launchId, null, { kind: 'mode', modeId: 'ask' }),
    contextId,
  } as never)
  expect((await options()).modeId).toBe('ask')
  const received = (await eventsOf(server.store, turnsStream(key))).filter(
    ({ type }) => type === 'agent:configured',
  )
  expect(received.map(({ data }) => (data as { error: string | null }).error)).toEqual([
    null,
    'No such model',
    null,
  ])
  await machine.tell(said(launchId, first.turnId, 'yes'), turnEnded(launchId, first.turnId))
  await machine.tell(exited(launchId))
  // Set while nothing runs: it is kept for the next turn.
  expect((await set({ optionId: 'model', value: 'large' })).json.options[0].value).toBe('large')
  await say('again')
  const second = await bringUp()
  const again = await machine.turn()
  expect(again.configure).toEqual([
    { configureId: switched.configureId, change: { optionId: 'fast', value: true } },
    { configureId: planned.configureId, change: { modeId: 'ask' } },
    { configureId: expect.any(String), change: { optionId: 'model', value: 'large' } },
  ])
  // The agent begins with its own defaults, which are not what was chosen.
  expect((await options()).options).toMatchObject([{ value: 'large' }, { value: true }])
  expect(second.launchId).not.toBe(launchId)
  // A reset begins a new context, with the same choices.
  await machine.tell(
    said(second.launchId, again.turnId, 'yes'),
    turnEnded(second.launchId, again.turnId),
  )
  expect(
    (await server.ask(`/api/conversations/${encodeURIComponent(key)}/reset`, { method: 'POST' }))
      .status,
  ).toBe(200)
  await say('once more')
  expect((await machine.turn()).configure).toEqual(again.configure)
})

test('[AG14] an attached picture, file and link reach the agent of a chat; one known to take no pictures refuses them', async () => {
  const { machine, bringUp, post, room, server } = await openChatWithOptions()
  const file = { type: 'file', name: 'a.txt', mimeType: 'text/plain', text: 'of the file' } as const
  const link = { type: 'link', name: 'b.txt', uri: 'file:///b.txt' } as const
  const sent = await post({ media: [picture, file, link], clientId: 'once' })
  expect(sent.json.media).toEqual([picture, file, link])
  expect((await post({ media: [picture, file, link], clientId: 'once' })).json.id).toBe(
    sent.json.id,
  )
  expect((await post({ media: [picture], clientId: 'once' })).status).toBe(422)
  expect((await post({ media: [{ type: 'text', text: 'no' }] })).json).toMatchObject({
    code: 'invalid_request',
  })
  expect((await post({ media: [{ ...picture, base64: 'A'.repeat(800_000) }] })).status).toBe(400)
  const { launchId } = await bringUp()
  const { content, turnId } = await machine.turn()
  expect(content.slice(1)).toEqual([{ type: 'text', text: 'look' }, picture, file, link])
  await machine.tell(said(launchId, turnId, 'seen'), turnEnded(launchId, turnId))
  const ofOther = {
    projectId: room.projectId,
    toAgentId: 'critic',
    content: 'look',
    media: [picture],
  }
  expect((await server.ask('/api/chat', { method: 'POST', body: ofOther })).status).toBe(201)
  const critic = (await machine.order('launch-begun')).launchId
  await machine.tell(started(critic), readyAgent(critic))
  expect((await server.ask('/api/chat', { method: 'POST', body: ofOther })).json).toMatchObject({
    code: 'wrong_state',
    notice: { code: 'takesNoPictures', params: { agent: 'critic' } },
  })
})

test('[AG14] the same route sets the option of an agent in a role', async () => {
  const room = await openConsole()
  const { machine, launchId, inside } = await room.ready()
  const { server } = room
  const at = `/api/conversations/${encodeURIComponent(consoleKey(inside.sessionId, 'auth'))}/options`
  await machine.tell(update(launchId, null, { kind: 'options', options: [model] }))
  expect((await server.ask(at)).json.options).toEqual([model])
  expect(
    (await server.ask(at, { method: 'POST', body: { optionId: 'model', value: 'large' } })).status,
  ).toBe(200)
  expect(await machine.order('configure-ordered')).toMatchObject({
    launchId,
    change: { optionId: 'model', value: 'large' },
  })
  expect(
    (await server.ask(at, { method: 'POST', body: { optionId: 'model', value: 'huge' } })).status,
  ).toBe(400)
})
