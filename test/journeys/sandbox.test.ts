/**
 * Sandboxed agents with everything real: server, coordinator, bubblewrap, git, a worktree, and a
 * person who decides about a host.
 */
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { probeSandbox } from '../../src/platform/processes/sandbox-probe.ts'
import { demos, openChat } from '../support/chat.ts'
import { endCoordinator, until } from '../support/coordinator-process.ts'
import { makeRepository } from '../support/git-repository.ts'
import { startHoldfast } from '../support/running-server.ts'

/**
 * An ACP agent that commits, or asks for a page by the proxy of its environment, and says what came
 * of it.
 */
const agentCode = `
const { execSync } = require('node:child_process'), http = require('node:http')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const say = (text) => send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } })
const fetched = (url) => new Promise((resolve) => {
  const proxy = new URL(process.env.HTTP_PROXY)
  http.get({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, (answer) => {
    let text = ''
    answer.on('data', (part) => (text += part)).on('end', () => resolve(answer.statusCode + ' ' + text.trim()))
  }).on('error', (error) => resolve(String(error)))
})
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } } })
  else if (method === 'session/new') send({ id, result: { sessionId: 's' } })
  else if (method === 'session/prompt') {
    const text = params.prompt.map((part) => part.text ?? '').join(' ')
    const [, url] = /(http:[^ ]+)/.exec(text) ?? []
    say(url ? await fetched(url) : execSync('echo made > made.txt; git add made.txt; git -c user.name=A -c user.email=a@b commit -qm made; git log --format=%s; ls -A ~ | wc -l').toString())
    send({ id, result: { stopReason: 'end_turn' } })
  } else if (id !== undefined) send({ id, result: {} })
})
`

test('[SB6] [SB7] a sandboxed agent commits in its worktree; a host that strict does not name is decided by a person', async () => {
  // The internet: a proxy that answers every tunnel itself.
  const internet = createServer((socket) =>
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        if (bytes.toString().startsWith('CONNECT ')) socket.write('HTTP/1.1 200 OK\r\n\r\n')
        else
          socket.end(
            'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 12\r\n\r\nthe internet',
          )
      }),
  )
  await new Promise<void>((resolve) => internet.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void internet.close())
  const proxy = `http://127.0.0.1:${(internet.address() as AddressInfo).port}`
  const holdfast = await startHoldfast({
    up: true,
    env: { HTTP_PROXY: proxy, NO_PROXY: '127.0.0.1' },
  })
  onTestFinished(async () => {
    await holdfast.kill()
    await endCoordinator(holdfast.data)
  })
  const repository = makeRepository()
  const first = await openChat(holdfast, undefined, demos.acp)
  const { client, projectId } = first
  await client.patch('/api/projects/{projectId}', {
    params: { projectId },
    body: { path: repository.folder },
  })
  const entry = {
    id: 'boxed',
    name: 'Boxed',
    protocol: 'acp' as const,
    command: process.execPath,
    args: ['-e', agentCode],
  }
  await client.post('/api/agents', { body: { ...entry, sandbox: 'strict' } })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'boxed' },
    body: {},
  })
  await client.post('/api/projects/{projectId}/chat/start', {
    params: { projectId },
    query: { agentId: 'boxed', workplace: 'worktree' },
  })
  const chat = await openChat(holdfast, { ...first, agentId: 'boxed' })
  await chat.say('commit')
  const { works } = await probeSandbox(process.env)
  if (!works) {
    // The visible fall-back: it is not started without one.
    await until(async () => JSON.stringify(await chat.processes()).includes('Install it'))
    return
  }
  expect(await chat.answer()).toMatch(/^made\n/)
  const { workplace } = await client.get('/api/conversations/{key}', {
    params: { key: `web:${projectId}.boxed` },
  })
  expect(readFileSync(join(workplace?.folder ?? '', 'made.txt'), 'utf8')).toBe('made\n')
  expect(repository.git('log', '-1', '--format=%s', workplace?.branch ?? '')).toBe('made')

  await chat.say('get http://api.example.test/page')
  const pending = async () => (await client.get('/api/approvals', { query: {} })).items
  await until(async () => (await pending()).length > 0)
  const [asked] = await pending()
  expect(asked?.permission?.call.title).toBe('Reach api.example.test:80 from the sandbox')
  const decision = { status: 'approved', always: { scope: 'request' } } as const
  const approval = { projectId, approvalId: String(asked?.id) }
  await client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params: approval,
    body: decision,
  })
  expect(await chat.answer()).toContain('200 the internet')
  // Remembered: the next turn is not asked again, and another host is.
  await chat.say('get http://api.example.test/again')
  expect(await chat.answer()).toContain('200 the internet')
  await chat.say('get http://other.example.test/')
  await until(async () => (await pending()).length > 0)
  const other = { projectId, approvalId: String((await pending())[0]?.id) }
  await client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params: other,
    body: { status: 'rejected' },
  })
  expect(await chat.answer()).toContain('403')
})
