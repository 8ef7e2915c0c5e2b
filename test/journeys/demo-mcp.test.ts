/**
 * The demo agent that pulls, against the real server: two processes, and a person between them
 * (issue of agents that pull).
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { watchEvents } from '../../src/client/event-stream.ts'
import { programOf } from '../../src/platform/processes/program-of.ts'
import { main } from '../support/built-product.ts'
import { startDemo } from '../support/demo-agent.ts'
import { connectMcp } from '../support/mcp.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Person {
  readonly holdfast: RunningHoldfast
  readonly client: Client
  readonly projectId: string
  readonly agentId: string
  say(content: string): Promise<{ id: string }>
  /** The answer to what was said last. */
  answer(): Promise<string>
}

let shared: RunningHoldfast
beforeAll(async () => {
  shared = await startHoldfast()
  // Before anybody makes a project of their own: then the demo would not be made any more.
  const client = createClient({ url: shared.url, token: shared.token })
  const findDemo = async () =>
    (await client.get('/api/agents', { query: {} })).items.find(({ id }) => id === 'demo-mcp')
  await vi.waitFor(async () => expect(await findDemo()).toBeDefined(), {
    timeout: 60_000,
    interval: 50,
  })
  return () => shared.kill()
})

async function killAndStart(): Promise<void> {
  await shared.kill()
  shared = await startHoldfast({ data: shared.data, args: ['--port', new URL(shared.url).port] })
}

let made = 0

/**
 * A person at the server that the tests share, with a demo agent made and assigned, and its chat
 * before them.
 */
async function openPerson(): Promise<Person> {
  const holdfast = shared
  const agentId = `helper-${++made}`
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'work' } })
  await client.post('/api/agents', { body: { id: agentId, name: 'Demo', protocol: 'mcp' } })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
    body: {},
  })
  const answers: string[] = []
  let arrived: (() => void) | undefined
  const key = `web:${projectId}.${agentId}`
  const feed = watchEvents(client, {
    streams: [`conversation:${key}`],
    onEvent: (event) => {
      const { message } = ('data' in event ? event.data : {}) as {
        message?: { senderId: string; content: string }
      }
      if (message?.senderId !== agentId) return
      answers.push(message.content)
      arrived?.()
    },
    onSnapshot: () => {},
    onState: () => {},
  })
  onTestFinished(() => feed.close())
  return {
    holdfast,
    client,
    projectId,
    agentId,
    say: (content) =>
      client.post('/api/chat', { body: { projectId, toAgentId: agentId, content } }),
    async answer() {
      while (answers.length === 0) await new Promise<void>((resolve) => (arrived = resolve))
      return answers.shift() ?? ''
    },
  }
}

const inProject = ({ projectId, agentId }: Person) => ({
  args: ['--project', projectId, '--agent', agentId],
})

test('[UI6] the first start brings a demo agent that whoever starts agents can start, with what a launch gets alone', async () => {
  const { holdfast, client } = await openPerson()
  const findDemo = async () =>
    (await client.get('/api/agents', { query: {} })).items.find(({ id }) => id === 'demo-mcp')
  await expect.poll(findDemo).toBeDefined()
  const demo = await findDemo()
  if (!demo) throw new Error('it was there just now')
  const { command, args, projectIds } = demo
  const [projectId = ''] = projectIds
  expect(await client.get('/api/projects/{projectId}', { params: { projectId } })).toMatchObject({
    name: 'demo',
  })
  await client.post('/api/chat', { body: { projectId, toAgentId: demo.id, content: 'hello' } })
  const { passkey } = await client.post('/api/agents/{agentId}/passkey', {
    params: { agentId: demo.id },
  })
  const [file, given] = programOf(command ?? '', args, [process.execPath, main])
  const env = {
    HOLDFAST_URL: holdfast.url,
    HOLDFAST_LAUNCH_TOKEN: passkey,
    HOLDFAST_LAUNCH_ID: 'launch-1',
    HOLDFAST_AGENT_ID: demo.id,
    HOLDFAST_PROJECT_ID: projectId,
  }
  const child = spawn(file, given, {
    env,
    cwd: temporaryFolder(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  for await (const bytes of child.stderr) {
    log += bytes
    if (log.includes('answered 1 message')) break
  }
  const read = { params: { projectId, agentId: demo.id }, query: {} }
  const { items } = await client.get('/api/projects/{projectId}/agents/{agentId}/messages', read)
  expect(items.map(({ content }) => content)).toEqual(['echo: hello', 'hello'])
})

test('[CH3] a chat with the demo agent: it echoes, says what it is told, and logs out when it is stopped', async () => {
  const person = await openPerson()
  const { agentId } = person
  await person.say('hello')
  const demo = startDemo(person.holdfast, inProject(person))
  expect(await person.answer()).toBe('echo: hello')
  await person.say('[[say Good morning]]')
  expect(await person.answer()).toBe('Good morning')
  await person.say('[[slow 2 10]] done')
  expect(await person.answer()).toBe('piece 1 piece 2\necho: done')
  await person.say('[[plan]]')
  expect(await person.answer()).toContain('1. ')
  await person.say('[[flood 300000]]')
  expect(await person.answer()).toBe('flooded 300000 bytes')
  demo.child.kill('SIGTERM')
  expect(await demo.exit).toEqual({ code: 0, signal: null })
  const { items } = await person.client.get('/api/agent-sessions', { query: { agentId } })
  expect(items).toMatchObject([{ state: 'ended', endReason: 'logout', purpose: 'chat' }])
})

/** Starts a demo agent that has asked for an approval. */
async function startAsking(person: Awaited<ReturnType<typeof openPerson>>) {
  await person.say('[[ask]] then this')
  const demo = startDemo(person.holdfast, inProject(person))
  await demo.logged('signed in')
  const asked = async () => (await person.client.get('/api/approvals', { query: {} })).items[0]
  await expect.poll(asked).toBeDefined()
  return { asked, approval: await asked() }
}

test('[AP3] the demo agent asks, waits for the person, and goes on with the decision', async () => {
  const person = await openPerson()
  const { client, projectId, agentId } = person
  const { approval } = await startAsking(person)
  expect(approval).toMatchObject({ leaderId: agentId, checkpointType: 'demo', status: 'pending' })
  await client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params: { projectId, approvalId: String(approval?.id) },
    body: { status: 'approved', feedback: 'go on' },
  })
  expect(await person.answer()).toBe('approved: go on\necho: then this')
})

test('[TK3] the demo agent does a task and leaves when there is none', async () => {
  const person = await openPerson()
  const { client, projectId, agentId } = person
  const params = { projectId }
  const { id: workSessionId } = await client.post('/api/projects/{projectId}/sessions', {
    params,
    body: {},
  })
  const draft = {
    ['sessionId']: workSessionId,
    phase: 1,
    type: 'code',
    title: 'Say it',
    description: '[[say done so]]',
    assignedTo: agentId,
  }
  const { id: taskId } = await client.post('/api/projects/{projectId}/tasks', {
    params,
    body: draft,
  })
  const path = '/api/projects/{projectId}/tasks/{taskId}' as const
  await client.patch(path, { params: { projectId, taskId }, body: { status: 'in_progress' } })
  const demo = startDemo(person.holdfast, inProject(person))
  expect(await demo.exit).toEqual({ code: 0, signal: null })
  expect(demo.log()).toContain('told to exit: work_done')
  expect(await client.get(path, { params: { projectId, taskId } })).toMatchObject({
    status: 'completed',
    result: { answer: 'done so' },
  })
})

test('[NA13] a demo agent that crashes in the middle loses nothing: whoever comes next gets the same messages', async () => {
  const person = await openPerson()
  const { id } = await person.say('[[crash]]')
  const demo = startDemo(person.holdfast, inProject(person))
  expect(await demo.exit).toEqual({ code: 1, signal: null })
  const { client, projectId, agentId } = person
  // Nobody saw it die but the coordinator, which here is the person.
  const owner = await connectMcp(person.holdfast.url, person.holdfast.token)
  await owner.call('report_process_exit', {
    agent_id: agentId,
    project_id: projectId,
    remaining_processes: 0,
  })
  const { passkey } = await client.post('/api/agents/{agentId}/passkey', { params: { agentId } })
  const next = await connectMcp(person.holdfast.url, passkey)
  expect(await next.call('authenticate', { project_id: projectId })).toMatchObject({
    status: 'ok',
    purpose: 'chat',
  })
  expect(await next.call('get_pending_messages')).toMatchObject({
    messages: [{ id, content: '[[crash]]' }],
  })
  await next.call('respond_chat', { content: 'I will not' })
  expect(await person.answer()).toBe('I will not')
})

test('[MC1] the server is killed and started again while the demo agent waits; the next message is answered', async () => {
  const person = await openPerson()
  await person.say('before')
  const demo = startDemo(person.holdfast, inProject(person))
  expect(await person.answer()).toBe('echo: before')
  await killAndStart()
  await person.say('after')
  expect(await person.answer()).toBe('echo: after')
  expect(demo.child.exitCode).toBeNull()
})

test('[AP3] asked before the server is killed, answered after: the agent that waited goes on', async () => {
  const person = await openPerson()
  const { client, projectId } = person
  const { asked, approval } = await startAsking(person)
  await killAndStart()
  expect(await asked()).toEqual(approval)
  await client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params: { projectId, approvalId: String(approval?.id) },
    body: { status: 'rejected', feedback: 'not now' },
  })
  expect(await person.answer()).toBe('rejected: not now\necho: then this')
  expect((await client.get('/api/approvals', { query: {} })).items).toEqual([])
})

test('[NA4] an idle demo agent is told to go, and goes', async () => {
  const person = await openPerson()
  const { client, projectId } = person
  const settings = { 'chat.soft_timeout_minutes': 0.05, 'chat.hard_timeout_minutes': 1 }
  await client.patch('/api/projects/{projectId}', { params: { projectId }, body: { settings } })
  await person.say('hello')
  const demo = startDemo(person.holdfast, inProject(person))
  expect(await person.answer()).toBe('echo: hello')
  expect(await demo.exit).toEqual({ code: 0, signal: null })
  expect(demo.log()).toContain('told to exit: timeout')
})

test('[SE5] the demo agent writes in its own folder and nowhere else', async () => {
  const person = await openPerson()
  const cwd = temporaryFolder()
  await person.say('[[write notes/a.txt hello there]]')
  startDemo(person.holdfast, { ...inProject(person), cwd })
  expect(await person.answer()).toBe('wrote notes/a.txt')
  expect(readFileSync(join(cwd, 'notes/a.txt'), 'utf8')).toBe('hello there')
  await person.say('[[write ../out.txt x]]')
  expect(await person.answer()).toContain('refused')
  expect(existsSync(join(cwd, '../out.txt'))).toBe(false)
})

test('[MC2] the demo agent has the habits that others must cope with: it ignores SIGTERM, forks, does not log out', async () => {
  const person = await openPerson()
  const { agentId } = person
  await person.say('[[ignore-sigterm]][[fork]][[no-logout]]')
  const demo = startDemo(person.holdfast, inProject(person))
  const [, forked = ''] =
    /^ignoring SIGTERM\nforked (\d+)\nnot logging out$/.exec(await person.answer()) ?? []
  onTestFinished(() => void process.kill(Number(forked), 'SIGKILL'))
  demo.child.kill('SIGTERM')
  await person.say('still there?')
  expect(await person.answer()).toBe('echo: still there?')
  demo.child.kill('SIGINT')
  await demo.exit
  expect(process.kill(Number(forked), 0)).toBe(true)
  const { items } = await person.client.get('/api/agent-sessions', { query: { agentId } })
  expect(items).toMatchObject([{ state: 'active' }])
})
