/** User sessions with everything real: the relay, the coordinator, the demo agent's processes, worktrees. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/services/create-token.ts'
import { ownerWho } from '../services/installation.ts'
import { main } from '../support/built-product.ts'
import { openChat } from '../support/chat.ts'
import { startCoordinator } from '../support/coordinator.ts'
import { endCoordinator, until } from '../support/coordinator-process.ts'
import type { SocketClient } from '../support/feed-clients.ts'
import { makeRepository } from '../support/git-repository.ts'
import { type Console, type InSession, openConsole } from '../support/relay.ts'
import { startHoldfast } from '../support/running-server.ts'
import { isRunning } from '../support/script-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Scene {
  readonly room: Console
  readonly client: SocketClient
  readonly inside: InSession
  readonly worktrees: string
  spawn(role: string): Promise<void>
  say(role: string, content: string): void
}

async function begin(settings: object = {}): Promise<Scene> {
  const room = await openConsole({}, settings)
  const { server, projectId } = room
  const { folder: path } = makeRepository()
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path } })
  const env = { XDG_STATE_HOME: temporaryFolder() }
  await server.ask('/api/agents/coder', { method: 'PATCH', body: { command: 'holdfast', args: ['demo-acp'], env } })
  const { token } = await server.store.run(createToken, { name: 'm', kind: 'coordinator', by: ownerWho })
  const { folder } = startCoordinator({ url: server.url, token }, { program: [process.execPath, main] })
  const home = await room.client()
  home.send({ type: 'subscribe', streams: ['home'], after: 'from the beginning', requestId: 's' })
  const connected = async () => (await server.ask('/api/coordinators')).json.items.length > 0
  while (!(await connected())) await home.next('event')
  const client = await room.client()
  const inside = await room.created(client)
  return {
    room,
    client,
    inside,
    worktrees: join(folder, 'worktrees'),
    async spawn(role) {
      client.send({ type: 'agent:spawn', ...inside, role })
      await client.inbox.next((message) => message.type === 'agent:ready' && message.role === role)
    },
    say: (role, content) => client.send({ type: 'agent:message', ...inside, role, content }),
  }
}

const of = (client: SocketClient, type: string, role: string) =>
  client.inbox.next((message) => message.type === type && message.role === role)

test('[RL1] three agents side by side: each answers in its own worktree; one is terminated and one crashes, the third goes on', async () => {
  const { room, client, inside, spawn, say } = await begin({ 'permission.policy': 'allow_all' })
  for (const role of ['auth', 'db', 'tests']) await spawn(role)
  for (const role of ['auth', 'db', 'tests']) {
    say(role, `[[write ${role}.txt by ${role}]]`)
    expect(await of(client, 'agent:response', role)).toMatchObject({ stopReason: 'end_turn' })
  }
  const agents = async () => {
    client.send({ type: 'agent:list', ...inside })
    return (await client.next('agent:list')).agents
  }
  const places = (await agents()).map(({ role, workspace }: { role: string; workspace: string }) => [role, workspace])
  for (const [role, workspace] of places) {
    expect(readFileSync(join(workspace, `${role}.txt`), 'utf8')).toContain(`by ${role}`)
    for (const [other] of places) expect(existsSync(join(workspace, `${other}.txt`))).toBe(other === role)
  }
  client.send({ type: 'agent:terminate', ...inside, role: 'auth' })
  expect(await of(client, 'agent:terminated', 'auth')).toMatchObject({ reason: 'user requested' })
  say('db', '[[crash]]')
  expect(await of(client, 'agent:failed', 'db')).toMatchObject({ step: 'running', exitCode: expect.any(Number) })
  say('tests', 'still there?')
  expect(await of(client, 'agent:response', 'tests')).toMatchObject({ content: 'echo: still there?' })
  client.send({ type: 'session:terminate', ...inside })
  expect(await client.next('session:terminated')).toMatchObject({ agentsTerminated: 2 })
  const { items } = (await room.server.ask('/api/processes')).json
  expect(items.map(({ state }: { state: string }) => state)).toEqual(['ended', 'ended', 'ended'])
  for (const { pid } of items) expect(isRunning(pid)).toBe(false)
  for (const [, workspace] of places) expect(existsSync(workspace)).toBe(true)
})

test('[AP4] an agent asks, a person answers in the console, and the agent goes on; a slow turn is cancelled and the next one runs', async () => {
  const { client, inside, spawn, say } = await begin()
  await spawn('auth')
  say('auth', '[[ask]]')
  const { approvalId, options } = await client.next('permission:requested')
  const { optionId } = options.find(({ kind }: { kind: string }) => kind === 'allow_once')
  client.send({ type: 'permission:answer', ...inside, approvalId, optionId })
  expect(await client.next('permission:resolved')).toMatchObject({ outcome: 'allowed' })
  expect(await client.next('agent:response')).toMatchObject({ stopReason: 'end_turn' })
  say('auth', '[[slow 1000 50]]')
  say('auth', 'next')
  await client.next('agent:update')
  client.send({ type: 'agent:cancel', ...inside, role: 'auth', requestId: 'c' })
  expect(await client.next('agent:response')).toMatchObject({ stopReason: 'cancelled', requestId: 'c' })
  expect(await client.next('agent:response')).toMatchObject({ content: 'echo: next' })
})

test('[AC2] an agent in a role records what it learnt and saves its state with our tools, without a sign-in; a second role does so for its own work', async () => {
  const { room, client, inside, spawn, say } = await begin()
  for (const role of ['auth', 'db']) await spawn(role)
  const done = 'record_approach: done\nsave_checkpoint: done'
  for (const role of ['auth', 'db']) {
    say(role, `[[record learnt as ${role}]] [[checkpoint half way as ${role}]]`)
    expect(await of(client, 'agent:response', role)).toMatchObject({ content: done })
  }
  const { json: approaches } = await room.server.ask(`/api/projects/${room.projectId}/approaches`)
  const { json: work } = await room.server.ask(`/api/projects/${room.projectId}/sessions`)
  const workOf = (role: string) => work.items.find((each: { currentAgentRole: string }) => each.currentAgentRole === role)
  for (const role of ['auth', 'db']) {
    expect(approaches.items).toContainEqual(
      expect.objectContaining({ description: `learnt as ${role}`, sessionId: workOf(role).id, kind: 'verified' }),
    )
    expect(workOf(role)).toMatchObject({ contextSummary: `half way as ${role}` })
  }
  client.send({ type: 'session:terminate', ...inside })
  await client.next('session:terminated')
})

test('[US2] a workspace that leaves its root fails at that step and makes nothing; the role is free for the retry', async () => {
  const { client, inside, spawn } = await begin()
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', workspace: '../../out' })
  expect(await client.next('agent:failed')).toMatchObject({ role: 'auth', step: 'workspace', error: expect.any(String) })
  await spawn('auth')
})

test('[CH12] an agent that is spoken to answers in the chat, and goes on when the server is killed in the middle of its answer', async () => {
  const first = await startHoldfast({ up: true })
  onTestFinished(async () => {
    await first.kill()
    await endCoordinator(first.data)
  })
  const chat = await openChat(first, undefined, 'acp')
  await chat.open()
  await chat.say('hello')
  expect(await chat.answer()).toBe('echo: hello')
  const { pid } = await chat.process('running')
  await chat.say('[[slow 20 100]] once')
  await until(async () => (await chat.client.get('/api/agent-sessions', { query: {} })).items.length > 0)
  await first.kill()
  const second = await startHoldfast({ up: true, data: first.data, args: ['--port', new URL(first.url).port] })
  expect(await chat.answer()).toContain('echo: once')
  const later = await openChat(second, chat)
  expect((await later.process('running')).pid).toBe(pid)
  await later.say('again')
  expect(await chat.answer()).toBe('echo: again')
  expect(chat.answers).toHaveLength(3)
  expect(await second.stop()).toBe(0)
  expect(isRunning(pid ?? 0)).toBe(false)
})
