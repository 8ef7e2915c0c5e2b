/**
 * An agent that was seen to mix conversations of one process (CX21) gets a process for each. The
 * test plays the machine.
 */
import { expect, test } from 'vitest'
import { consoleKey, webKey } from '../../../src/domain/conversations/key.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { type Machine, nothingOffered, openConsole, said, turnEnded } from '../../support/relay.ts'
import type { TestServer } from '../../support/server.ts'

const at = (key: string, more: string) => `/api/conversations/${encodeURIComponent(key)}${more}`

/** What `agents doctor` keeps of an agent. */
const found = (server: TestServer, can: object) => {
  const report = { agent: 'coder', version: null, checks: [], can }
  return server.ask('/api/agents/coder', { method: 'PATCH', body: { report } })
}

async function openTalks() {
  const chat = await openAcpChat()
  const { server, room, machine } = chat
  const keyOf = (name: string) => `${webKey(room.projectId, 'coder')}.${name}`
  for (const name of ['one', 'two'])
    await server.ask('/api/conversations', { method: 'POST', body: { key: keyOf(name) } })
  const write = async (name: string, content: string) => {
    const body = { role: 'user', content }
    const { status } = await server.ask(at(keyOf(name), '/messages'), { method: 'POST', body })
    expect(status).toBe(201)
  }
  return { ...chat, write, answer: () => answerOpening(machine) }
}

const acpSessionOf = (contextId: string): string => `acp of ${contextId}`

/** Answers the next turn, in a new ACP session where one is asked for; its process. */
async function answerOpening(machine: Machine): Promise<string> {
  const { launchId, turnId, context } = await machine.turn()
  if (context?.open) {
    const { contextId } = context
    const acpSessionId = acpSessionOf(contextId)
    const began = {
      launchId,
      turnId,
      contextId,
      acpSessionId,
      notRestored: null,
      ...nothingOffered,
    }
    await machine.tell({ type: 'turn-began', ...began, how: 'new' })
  }
  await machine.tell(said(launchId, turnId, 'noted'), turnEnded(launchId, turnId))
  return launchId
}

test('[CX21] an agent that mixes conversations gets a process for each, others hold both', async () => {
  const { server, machine, write, answer } = await openTalks()
  expect((await found(server, { mixes: false })).json.mixesConversations).toBe(false)
  await write('one', 'remember blue')
  const first = await bringUp(machine)
  expect(await answer()).toBe(first)
  await write('two', 'which one?')
  expect(await answer()).toBe(first)

  // What was found out counts for a process that began before.
  expect((await found(server, { mixes: true })).json.mixesConversations).toBe(true)
  await write('one', 'and now?')
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId: first })
  await machine.tell(exited(first, { stopped: true }))
  const second = await bringUp(machine)
  expect(await answer()).toBe(second)
  await write('one', 'again')
  expect(await answer()).toBe(second)
  await write('two', 'which one?')
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId: second })
  await machine.tell(exited(second, { stopped: true }))
  const third = await bringUp(machine)
  expect(await answer()).toBe(third)
})

test('[CX21] [FS8] in a role its process goes when the conversation begins anew', async () => {
  const room = await openConsole()
  await found(room.server, { mixes: true })
  const { client, machine, inside, launchId } = await room.ready()
  const message = { type: 'agent:message', ...inside, role: 'auth' }
  client.send({ ...message, content: 'remember blue' })
  await machine.answer('noted')
  const key = consoleKey(inside.sessionId, 'auth')
  expect((await room.server.ask(at(key, '/reset'), { method: 'POST' })).status).toBe(200)
  client.send({ ...message, content: 'which one?' })
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId })
  await machine.tell(exited(launchId, { stopped: true }))
})

test.each(['no turn since', 'a turn since'])(
  '[FS8] a role is not brought back into a session that knows what was taken back (%s)',
  async (since) => {
    const room = await openConsole()
    const { client, machine, inside, launchId } = await room.ready()
    const role = { ...inside, role: 'auth' }
    client.send({ type: 'agent:message', ...role, content: 'remember blue' })
    await machine.answer('noted')
    const key = consoleKey(inside.sessionId, 'auth')
    expect((await room.server.ask(at(key, '/reset'), { method: 'POST' })).status).toBe(200)
    const hasTurnSince = since === 'a turn since'
    if (hasTurnSince) {
      client.send({ type: 'agent:message', ...role, content: 'remember green' })
      await answerOpening(machine)
    }
    client.send({ type: 'agent:terminate', ...role })
    await machine.order('stop-ordered')
    await machine.tell(exited(launchId, { stopped: true }))
    client.send({ type: 'agent:spawn', ...role, load: true })
    const { launchId: second } = await machine.order('launch-begun')
    const { acp } = machine.particulars(second)
    expect(acp.loadAcpSessionId).toBe(hasTurnSince ? acpSessionOf(acp.contextId) : null)
  },
)
