import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Installation, openInstallation } from '../../support/command-line.ts'
import { connectMcp, type McpAgent } from '../../support/mcp.ts'
import { sitDown as sitDownWith } from '../../support/typed-terminal.ts'

interface ChatPlace extends Installation {
  readonly projectId: string
  /** The agent signs in; there must be work for it. */
  agent(): Promise<McpAgent>
  said(): Promise<string[]>
}

async function openChat(): Promise<ChatPlace> {
  const place = await openInstallation()
  const { holdfast, server } = place
  const { id: projectId } = (await holdfast(['projects', 'create', 'p', '--json'])).json()
  const { passkey } = (
    await holdfast(['agents', 'add', 'ann', '--protocol', 'mcp', '--json'])
  ).json()
  await holdfast(['projects', 'assign', projectId, 'ann'])
  return {
    ...place,
    projectId,
    agent: async () => {
      const ann = await connectMcp(server.url, passkey)
      expect(
        await ann.call('authenticate', { agent_id: 'ann', project_id: projectId }),
      ).toMatchObject({ status: 'ok' })
      return ann
    },
    said: async () => {
      const { items } = (await holdfast(['chat', 'ann', '--json'])).json()
      return items.map(
        ({ senderId, content }: { senderId: string; content: string }) => `${senderId}: ${content}`,
      )
    },
  }
}

const sitDown = (
  { data }: Installation,
  argv: readonly string[],
  env: Record<string, string> = {},
) => sitDownWith(argv, { PATH: process.env['PATH'], HOLDFAST_DATA: data, ...env })

test('[CH3] a script sends one message, and reads what was said', async () => {
  const { holdfast, said } = await openChat()
  expect(await said()).toEqual([])
  expect(await holdfast(['chat', 'ann', '--message', 'hello'])).toMatchObject({
    code: 0,
    stdout: '✓ Sent to ann\n',
  })
  expect(await said()).toEqual(['owner: hello'])
  expect((await holdfast(['chat', 'ann'])).stdout).toMatch(/^\d\d:\d\d owner {2}hello\n$/)
})

test('[CH3] input that is piped in is one message; --last shows what was said', async () => {
  const { holdfast, said } = await openChat()
  expect(await holdfast(['chat', 'ann'], { input: 'hi\nthere\n' })).toMatchObject({
    code: 0,
    stdout: '✓ Sent to ann\n',
  })
  expect(await said()).toEqual(['owner: hi\nthere'])
  expect((await holdfast(['chat', 'ann'], { input: '\n' })).stdout).toContain('hi')
  expect((await holdfast(['chat', 'ann', '--last', '1'], { input: 'not sent' })).stdout).toContain(
    'hi',
  )
  expect(await said()).toEqual(['owner: hi\nthere'])
})

test('[NA7] --wait prints the answer to exactly this message and nothing else', async () => {
  const { holdfast, agent, said } = await openChat()
  await holdfast(['chat', 'ann', '--message', 'before'])
  const ann = await agent()
  await ann.call('get_pending_messages')
  const asked = holdfast(['chat', 'ann', '--message', 'what is 6 × 7?', '--wait'])
  await expect.poll(said).toContain('owner: what is 6 × 7?')
  // This settles what came before only.
  await ann.call('respond_chat', { content: 'an answer to the first' })
  await ann.call('get_pending_messages')
  await ann.call('respond_chat', { content: '42' })
  expect(await asked).toMatchObject({ code: 0, stdout: '42\n', stderr: '' })
})

test('[SN9] `chat --new` begins a session of its own with the message, and waits for its answer', async () => {
  const { holdfast, agent, said, server, projectId } = await openChat()
  const begun = (await holdfast(['chat', 'ann', '--new', '--message', 'a job', '--json'])).json()
  expect(begun).toMatchObject({
    key: expect.stringMatching(/^session:[0-9a-z]{12}$/),
    kind: 'session',
    messageCount: 1,
  })
  const ann = await agent()
  expect(await ann.call('get_pending_messages')).toMatchObject({
    messages: [{ content: 'a job' }],
  })
  await ann.call('respond_chat', { content: 'done' })
  await ann.call('logout')
  const asked = holdfast(['chat', 'ann', '--new', '--message', 'what is 6 × 7?', '--wait'])
  const listed = async () =>
    (await server.ask(`/api/conversations?projectId=${projectId}`)).json.items.length
  await expect.poll(listed).toBe(2)
  const again = await agent()
  await again.call('get_pending_messages')
  await again.call('respond_chat', { content: '42' })
  expect(await asked).toMatchObject({ code: 0, stdout: '42\n', stderr: '' })
  // The first session of the agent heard nothing of it.
  expect(await said()).toEqual([])
  const nothing = await holdfast(['chat', 'ann', '--new', '--last', '1'])
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('--new needs') })
})

test('[CL2] whoever waits for an agent hears of its open decision and what to type', async () => {
  const place = await openChat()
  const waiting = place.holdfast(['chat', 'ann', '--message', 'may I?', '--wait'], {
    env: { npm_lifecycle_event: 'holdfast' },
  })
  await expect.poll(place.said).toEqual(['owner: may I?'])
  const ann = await place.agent()
  await ann.call('get_pending_messages')
  await ann.call('request_approval', {
    checkpoint_type: 'plan',
    instruction_content: 'Delete it\nall',
  })
  const [{ id }] = (await place.holdfast(['approvals', '--json'])).json().items
  await place.holdfast(['approvals', 'approve', String(id)])
  await ann.call('respond_chat', { content: 'done' })
  const { stdout, stderr } = await waiting
  expect(stdout).toBe('done\n')
  expect(stderr).toContain(
    `ann waits for a decision: Delete it\n  npm run -s holdfast -- approvals approve ${id}`,
  )
})

test('[CL2] --wait gives up after its time, and the message stays', async () => {
  const { holdfast, said } = await openChat()
  const { code, stderr } = await holdfast([
    'chat',
    'ann',
    '--message',
    'anybody?',
    '--wait',
    '--timeout',
    '1',
  ])
  expect([code, stderr]).toEqual([7, expect.stringContaining('No answer came within 1 s.')])
  expect(await said()).toEqual(['owner: anybody?'])
})

test('[CH11] a terminal shows the last messages, then live ones, and sends lines', async () => {
  const place = await openChat()
  const { holdfast, agent, said } = place
  for (const text of ['one', 'two', 'three']) await holdfast(['chat', 'ann', '--message', text])
  const person = sitDown(place, ['chat', 'ann', '--last', '2'])
  await person.sees(/owner {2}two\n.*owner {2}three\n/s)
  expect(person.written.stdout).not.toContain('one')
  person.type('from the terminal')
  await expect.poll(said).toContain('owner: from the terminal')
  const ann = await agent()
  await ann.call('get_pending_messages')
  await ann.call('respond_chat', { content: 'first line\nsecond \u009b2J line' })
  await person.sees(/ann {2}first line\n {6}second \\u009b2J line\n/)
  await holdfast(['chat', 'ann', '--message', 'from elsewhere'])
  await person.sees('owner  from elsewhere')
  person.type('last words')
  expect(await person.leave()).toBe(0)
  expect((await said()).at(-1)).toBe('owner: last words')
  // What was typed here stands there already.
  expect(person.written.stdout).not.toContain('from the terminal')
  // Ctrl-C leaves too, and the exit code tells it (CL2); what was typed before is sent.
  const hasty = sitDown(place, ['chat', 'ann'])
  await hasty.sees('Write a line', 'stderr')
  hasty.type('in haste')
  hasty.press('\u0003')
  expect(await hasty.exit).toBe(130)
  expect((await said()).at(-1)).toBe('owner: in haste')
  expect(hasty.written.stderr).not.toContain('✗')
})

/**
 * Stands before the server; the answer to the first message it carries is lost, though the server
 * has kept it.
 */
async function lossyProxy(target: string): Promise<{ url: string; posts: () => number }> {
  let posts = 0
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
      ),
    ) as Record<string, string>
    const isPost = request.method === 'POST' && request.url === '/api/chat'
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    try {
      const body = chunks.length > 0 ? Buffer.concat(chunks) : null
      const answer = await fetch(target + request.url, {
        method: request.method ?? 'GET',
        headers,
        body,
        signal: gone.signal,
      })
      if (isPost && ++posts === 1) return void response.destroy()
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
      })
      for await (const chunk of answer.body ?? []) response.write(chunk)
      response.end()
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts: () => posts }
}

test('[CH10] a line whose acknowledgement is lost is sent again, and is there once', async () => {
  const place = await openChat()
  const proxy = await lossyProxy(place.server.url)
  const person = sitDown(place, ['chat', 'ann', '--server', proxy.url])
  await person.sees('Write a line', 'stderr')
  person.type('once')
  person.type('then this')
  await expect.poll(place.said).toEqual(['owner: once', 'owner: then this'])
  await person.sees('sent when it is back', 'stderr')
  expect(await person.leave()).toBe(0)
  expect([await place.said(), proxy.posts()]).toEqual([['owner: once', 'owner: then this'], 3])
})

test('[CL2] an agent that is nowhere, and options that make no sense, say what to do', async () => {
  const { holdfast } = await openChat()
  expect(await holdfast(['chat', 'nobody'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no agent "nobody"'),
  })
  await holdfast(['agents', 'add', 'idle', '--protocol', 'mcp'])
  expect(await holdfast(['chat', 'idle'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('projects assign'),
  })
  expect(await holdfast(['chat', 'ann', '--wait'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--message'),
  })
  expect(await holdfast(['chat', 'ann', '--last', '0'])).toMatchObject({ code: 2 })
})
