/**
 * The whole product: `up`, its coordinator, and agents that start by need and outlive a server that
 * is killed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { findPackageRoot } from '../../src/platform/files/package-root.ts'
import { linkVersion } from '../../src/protocol/processes/link.ts'
import { openChat } from '../support/chat.ts'
import { agentsOf, coordinatorOf, endCoordinator, until } from '../support/coordinator-process.ts'
import { amount } from '../support/extent.ts'
import { ownTime } from '../support/own-time.ts'
import {
  type HoldfastOptions,
  type RunningHoldfast,
  startHoldfast,
} from '../support/running-server.ts'
import { isRunning } from '../support/script-process.ts'
import { storeOf } from '../support/store-of-journeys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Whatever the tests have left is ended in order. */
async function endAll(holdfast: RunningHoldfast): Promise<void> {
  await holdfast.kill()
  await endCoordinator(holdfast.data)
  expect(await agentsOf(holdfast.data)).toEqual([])
}

/** Somebody has asked a new agent something, and was answered. */
async function talk(holdfast: RunningHoldfast) {
  const chat = await openChat(holdfast)
  await chat.open()
  await chat.say('hello')
  expect(await chat.answer()).toBe('echo: hello')
  const { pid, launchId } = await chat.process('running')
  return { chat, pid: pid ?? 0, launchId, coordinator: await coordinatorOf(holdfast.data) }
}

async function coordinatorTokens(client: Client) {
  return (await client.get('/api/tokens', { query: {} })).items.filter(
    ({ kind }) => kind === 'coordinator',
  )
}

/** One coordinator and one folder, from one server to the next. The last one stops it all. */
describe('one server after the other', () => {
  let holdfast: RunningHoldfast
  const start = async (options: HoldfastOptions = {}): Promise<RunningHoldfast> => {
    const again = holdfast && { data: holdfast.data, args: ['--port', new URL(holdfast.url).port] }
    holdfast = await startHoldfast({ up: true, ...again, ...options })
    return holdfast
  }
  beforeAll(async () => {
    await start()
    return () => endAll(holdfast)
  })

  test('[CO6] the server is killed while the agent answers and started again: the same process, and one answer', async () => {
    const chat = await openChat(holdfast)
    await chat.open()
    await chat.say('[[slow 1 700]] once')
    const { pid } = await chat.process('running')
    await until(
      async () => (await chat.client.get('/api/agent-sessions', { query: {} })).items.length > 0,
    )
    const coordinator = await coordinatorOf(holdfast.data)
    await holdfast.kill()
    const later = await openChat(await start(), chat)
    expect(await chat.answer()).toBe('piece 1\necho: once')
    expect((await later.process('running')).pid).toBe(pid)
    expect((await coordinatorOf(holdfast.data)).pid).toBe(coordinator.pid)
    await later.say('again')
    expect(await chat.answer()).toBe('echo: again')
    expect(chat.answers).toHaveLength(2)
  })

  test('[CO1] a coordinator of another version is replaced', async () => {
    const before = await coordinatorOf(holdfast.data)
    await holdfast.kill()
    const file = join(holdfast.data, 'run', 'coordinator.json')
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), linkVersion: 0 }),
    )
    const second = await start()
    const after = await coordinatorOf(holdfast.data, before)
    expect(after.linkVersion).toBe(linkVersion)
    expect(isRunning(before.pid)).toBe(false)
    expect(second.log()).toContain('replacing a coordinator of another version')
  })

  test('[CO9] stopping the server alone ends no agent, and the next `up` adopts the coordinator, its token revoked meanwhile or not', async () => {
    const { chat, pid, coordinator } = await talk(holdfast)
    await holdfast.kill()
    const alone = await start({ up: undefined })
    await chat.say('with the server alone')
    expect(await chat.answer()).toBe('echo: with the server alone')
    const [revoked] = await coordinatorTokens(chat.client)
    await chat.client.delete('/api/tokens/{tokenId}', { params: { tokenId: String(revoked?.id) } })
    expect(await alone.stop()).toBe(0)
    expect([isRunning(pid), isRunning(coordinator.pid)]).toEqual([true, true])
    const adopting = await start()
    await until(() => adopting.log().includes('coordinator already running'))
    await chat.say('with the new token')
    expect(await chat.answer()).toBe('echo: with the new token')
    expect((await chat.process('running')).pid).toBe(pid)
    expect((await coordinatorTokens(chat.client)).map(({ id }) => id)).toEqual([revoked?.id])
    expect(await adopting.stop()).toBe(0)
    expect([isRunning(pid), isRunning(coordinator.pid)]).toEqual([false, false])
  })
})

test('[OP2] a second signal kills agents that will not go', async () => {
  const holdfast = await startHoldfast({ up: true })
  onTestFinished(() => endAll(holdfast))
  const chat = await openChat(holdfast)
  await chat.open()
  await chat.say('[[ignore-sigterm]][[fork]][[no-logout]]')
  const [, forked = ''] = /forked (\d+)/.exec(await chat.answer()) ?? []
  const { pid } = await chat.process('running')
  const coordinator = await coordinatorOf(holdfast.data)
  const waited = ownTime()
  process.kill(holdfast.pid, 'SIGTERM')
  process.kill(holdfast.pid, 'SIGINT')
  await until(() =>
    [holdfast.pid, coordinator.pid, pid ?? 0, Number(forked)].every((each) => !isRunning(each)),
  )
  // Agents that are not killed at once have 5 s to go.
  expect(waited()).toBeLessThan(4000)
})

/**
 * What a terminal does to the program in it: the signal goes to the whole group at once, npm and
 * its shell included.
 */
test.each(amount(['SIGHUP'] as const, ['SIGINT', 'SIGHUP'] as const))(
  '[CO9] %s to everything that `npm start` runs in leaves nothing behind',
  async (signal) => {
    const data = temporaryFolder()
    const npm = spawn('npm', ['start', '--', '--port', '0', '--data', data], {
      cwd: findPackageRoot().folder,
      env: { ...process.env, ...(await storeOf(data)) },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => endCoordinator(data))
    const ended = once(npm, 'close')
    let said = ''
    npm.stdout.on('data', (bytes) => (said += bytes))
    await until(() => said.includes('Sign in:'))
    const url = /ready at (\S+)/.exec(said)?.[1] ?? ''
    const token = readFileSync(join(data, 'secrets', 'owner-token'), 'utf8').trim()
    const chat = await openChat({ url, token })
    await chat.open()
    await chat.say('hello')
    expect(await chat.answer()).toBe('echo: hello')
    const coordinator = await coordinatorOf(data)
    process.kill(-(npm.pid ?? 0), signal)
    await ended
    // npm may be gone before the server is; it ends in order all the same.
    await until(() => !existsSync(join(data, 'run', 'server.json')))
    expect([isRunning(coordinator.pid), await agentsOf(data)]).toEqual([false, []])
  },
)

/**
 * Each has an agent of its own; the coordinator goes on, or another comes, whatever was done to it.
 * The last one stops it all.
 */
describe('on one machine', () => {
  let holdfast: RunningHoldfast
  beforeAll(async () => {
    holdfast = await startHoldfast({ up: true })
    return () => endAll(holdfast)
  })

  test('[PX2] chat and task processes of one agent run side by side; one is killed, its session alone ends, in the commit that knows of it', async () => {
    const { chat, pid: talking, launchId } = await talk(holdfast)
    const { client, projectId, agentId } = chat
    const draft = {
      phase: 1,
      type: 'code',
      title: 'Take your time',
      description: '[[slow 1 2000]] done',
      assignedTo: agentId,
    } as const
    const { id: taskId } = await client.post('/api/projects/{projectId}/tasks', {
      params: { projectId },
      body: draft,
    })
    const path = '/api/projects/{projectId}/tasks/{taskId}' as const
    await client.patch(path, { params: { projectId, taskId }, body: { status: 'in_progress' } })
    const agentSessions = async () =>
      (await client.get('/api/agent-sessions', { query: { agentId } })).items
    const live = async () => (await agentSessions()).filter(({ state }) => state !== 'ended')
    await until(async () => (await live()).length === 2)
    process.kill(talking, 'SIGKILL')
    await until(async () => (await live()).length === 1)
    expect(await live()).toMatchObject([{ purpose: 'task' }])
    const ended = (await chat.processes()).find((each) => each.launchId === launchId)
    expect(ended).toMatchObject({
      reason: 'crashed',
      signal: 'SIGKILL',
      endedAt: expect.any(String),
    })
    // Nobody came by later to clear it up.
    const talked = (await agentSessions()).find(({ purpose }) => purpose === 'chat')
    expect(talked).toMatchObject({ endReason: 'process_exited', endedAt: ended?.endedAt })
    await until(
      async () =>
        (await client.get(path, { params: { projectId, taskId } })).status === 'completed',
    )
    await chat.say('still there?')
    expect(await chat.answer()).toBe('echo: still there?')
  })

  test('[CO5] the coordinator is killed: another is there at once, what was left is ended, and the message is answered', async () => {
    const chat = await openChat(holdfast)
    await chat.open()
    await chat.say('[[slow 1 300]] never lost')
    const { pid, launchId } = await chat.process('running')
    const agentSession = async () =>
      (await chat.client.get('/api/agent-sessions', { query: { agentId: chat.agentId } })).items
    await until(async () => (await agentSession()).length > 0)
    const coordinator = await coordinatorOf(holdfast.data)
    process.kill(coordinator.pid, 'SIGKILL')
    expect(await chat.answer()).toBe('piece 1\necho: never lost')
    await coordinatorOf(holdfast.data, coordinator)
    await until(async () =>
      (await chat.processes()).some((each) => each.launchId === launchId && each.state === 'ended'),
    )
    expect(isRunning(pid ?? 0)).toBe(false)
    expect((await chat.processes()).find((each) => each.launchId === launchId)).toMatchObject({
      reason: 'leftover',
    })
    expect(chat.answers).toHaveLength(1)
  })

  test('[CO6] a coordinator that is stopped for a while ends nothing, and goes on', async () => {
    const { chat, pid, coordinator } = await talk(holdfast)
    process.kill(coordinator.pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(coordinator.pid, 'SIGCONT'))
    await chat.say('while it sleeps')
    expect(await chat.answer()).toBe('echo: while it sleeps')
    expect(isRunning(pid)).toBe(true)
    // Another takes over meanwhile: when it wakes it has lost what it had. The agent may hear of it
    // first, and go by itself.
    const [known] = (await chat.client.get('/api/coordinators', { query: {} })).items
    await chat.client.post('/api/coordinators/{coordinatorId}/takeover', {
      params: { coordinatorId: String(known?.id) },
    })
    process.kill(coordinator.pid, 'SIGCONT')
    await until(() => !isRunning(pid))
    await chat.say('after')
    expect(await chat.answer()).toBe('echo: after')
    expect((await coordinatorOf(holdfast.data)).pid).toBe(coordinator.pid)
  })

  test('[CO1] opening a chat starts the agent, which answers; a token revoked is made anew; a stop on purpose leaves nothing running', async () => {
    const { chat, pid, coordinator } = await talk(holdfast)
    const [revoked] = await coordinatorTokens(chat.client)
    await chat.client.delete('/api/tokens/{tokenId}', { params: { tokenId: String(revoked?.id) } })
    // Only a coordinator that is connected can start another agent; it has the same name, and what
    // it ran it has still.
    const other = await openChat(holdfast)
    await other.open()
    await other.say('you too')
    expect(await other.answer()).toBe('echo: you too')
    expect((await coordinatorTokens(chat.client)).map(({ id }) => id)).toEqual([revoked?.id])
    expect(await chat.process('running')).toMatchObject({
      pid,
      coordinatorId: (await other.process('running')).coordinatorId,
    })
    expect(isRunning(pid)).toBe(true)
    expect(await holdfast.stop()).toBe(0)
    expect([isRunning(pid), isRunning(coordinator.pid)]).toEqual([false, false])
    expect(await agentsOf(holdfast.data)).toEqual([])
  })
})
