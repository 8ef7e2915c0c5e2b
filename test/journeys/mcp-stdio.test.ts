/**
 * MCP on standard input and output (MC1): the official client starts `holdfast mcp`, as coding
 * agents do.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { main } from '../support/built-product.ts'
import type { ToolResult } from '../support/mcp.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'

const path = { PATH: process.env['PATH'] ?? '' }

let shared: RunningHoldfast
beforeAll(async () => {
  shared = await startHoldfast()
  return shared.kill
})

let made = 0

/**
 * A project with an agent of its own, on the server that the tests share; a test that kills it
 * brings another.
 */
async function openOffice(holdfast = shared) {
  const agentId = `ann-${++made}`
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'work' } })
  const { passkey } = await client.post('/api/agents', {
    body: { id: agentId, name: 'Ann', protocol: 'mcp' },
  })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
    body: {},
  })
  const write = (content: string) =>
    client.post('/api/chat', { body: { projectId, toAgentId: agentId, content } })
  return { holdfast, projectId, agentId, passkey, write }
}

async function connect({ data }: RunningHoldfast, token: string, newest = false) {
  const env = { ...path, HOLDFAST_TOKEN: token }
  const options = newest ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}
  const client = new Client({ name: 'test', version: '1' }, options)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, 'mcp', '--data', data],
      env,
    }),
  )
  onTestFinished(() => client.close())
  const call = async (name: string, args = {}): Promise<ToolResult> =>
    (await client.callTool({ name, arguments: args })).structuredContent
  return { client, call }
}

test.each([false, true])(
  '[MC1] an agent on a pipe signs in, waits and answers (newest protocol: %s)',
  async (newest) => {
    const { holdfast, passkey, projectId, agentId, write } = await openOffice()
    await write('hello')
    const { client, call } = await connect(holdfast, passkey, newest)
    expect(client.getInstructions()).toContain('Call authenticate')
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_next_action')
    expect(await call('authenticate', { agent_id: agentId, project_id: projectId })).toMatchObject({
      status: 'ok',
    })
    expect(await call('get_pending_messages')).toMatchObject({ messages: [{ content: 'hello' }] })
    await call('respond_chat', { content: 'hi' })
    const held = call('get_next_action', { wait_seconds: 50 })
    await write('more')
    expect(await held).toMatchObject({ action: 'get_pending_messages' })
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('Unknown tool')
  },
)

test('[MC1] a server that goes away under a call is an error that says to call again, and the next call finds it', async () => {
  const holdfast = await startHoldfast()
  onTestFinished(() => holdfast.kill())
  const { passkey, projectId, agentId, write } = await openOffice(holdfast)
  await write('hello')
  const { call } = await connect(holdfast, passkey)
  await call('authenticate', { agent_id: agentId, project_id: projectId })
  await holdfast.kill()
  expect(await call('get_pending_messages')).toMatchObject({
    code: 'shutting_down',
    next: expect.stringContaining('again'),
  })
  const again = await startHoldfast({
    data: holdfast.data,
    args: ['--port', new URL(holdfast.url).port],
  })
  onTestFinished(() => again.kill())
  expect(await call('get_pending_messages')).toMatchObject({ messages: [{ content: 'hello' }] })
})

test('[CO4] inside of a launch it needs nothing but what the launch is told', async () => {
  const { holdfast, passkey, projectId, agentId, write } = await openOffice()
  await write('hello')
  const launch = {
    HOLDFAST_MCP_URL: `${holdfast.url}/mcp`,
    HOLDFAST_LAUNCH_TOKEN: passkey,
    HOLDFAST_LAUNCH_KEEPER: 'k',
  }
  const env = {
    ...path,
    ...launch,
    HOLDFAST_AGENT_ID: agentId,
    HOLDFAST_PROJECT_ID: projectId,
    HOLDFAST_LAUNCH_ID: 'l1',
  }
  const client = new Client({ name: 'test', version: '1' })
  const args = [main, 'mcp', '--data', '/nonexistent/folder']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  onTestFinished(() => client.close())
  const answer = await client.callTool({
    name: 'authenticate',
    arguments: { agent_id: agentId, project_id: projectId },
  })
  expect(answer.structuredContent).toMatchObject({ status: 'ok' })
})

/** What comes out for these lines, when the pipe is closed behind them. */
async function pipe(
  holdfast: RunningHoldfast,
  token: string,
  lines: readonly string[],
): Promise<{ code: number; out: ToolResult[] }> {
  const env = { ...path, HOLDFAST_TOKEN: token }
  const child = spawn(process.execPath, [main, 'mcp', '--data', holdfast.data], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  child.stdout.on('data', (bytes) => (out += bytes))
  const answers = lines.filter((line) => !line.includes('notifications/')).length
  for (const line of lines) child.stdin.write(`${line}\n`)
  while (out.split('\n').length <= answers) await once(child.stdout, 'data')
  child.stdin.end()
  const [code] = await once(child, 'close')
  return {
    code,
    out: out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}

test('[MC1] bad lines and a bad credential are answered, nothing else is written, and the end of the input ends it', async () => {
  const { holdfast, passkey } = await openOffice()
  const ping = '{"jsonrpc":"2.0","id":"a","method":"ping"}'
  const good = await pipe(holdfast, passkey, [
    'not json',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ping,
  ])
  expect(good.code).toBe(0)
  expect(good.out.toSorted((a) => (a.id === null ? -1 : 1))).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
    { jsonrpc: '2.0', id: 'a', result: {} },
  ])
  const refused = await pipe(holdfast, 'hf_agent_this-is-not-a-passkey', [ping])
  expect(refused.out).toMatchObject([
    { id: 'a', error: { code: -32000, data: { code: 'authentication_failed' } } },
  ])
})

test('[MC1] a call that is cancelled, or whose client has gone, is held no longer', async () => {
  const { holdfast, passkey, projectId, agentId, write } = await openOffice()
  await write('hello')
  const { client, call } = await connect(holdfast, passkey)
  await call('authenticate', { agent_id: agentId, project_id: projectId })
  await call('get_pending_messages')
  await call('respond_chat', { content: 'hi' })
  const held = async () => {
    const metrics = await fetch(`${holdfast.url}/metrics`, {
      headers: { authorization: `Bearer ${holdfast.token}` },
    })
    return Number(/^holdfast_held_calls (\d+)$/m.exec(await metrics.text())?.[1])
  }
  const until = (count: number) => expect.poll(held).toBe(count)
  const cancel = new AbortController()
  const waiting = { name: 'get_next_action', arguments: { wait_seconds: 50 } }
  const first = client.callTool(waiting, { signal: cancel.signal })
  await until(1)
  cancel.abort()
  await expect(first).rejects.toThrow()
  await until(0)
  const second = client.callTool(waiting).catch(() => 'gone')
  await until(1)
  await client.close()
  await until(0)
  expect(await second).toBe('gone')
})
