/** Held calls over MCP (NA3): a caller that waits is woken, and one that goes away is released. */
import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { progressEveryMs } from '../../../src/doors/mcp/tool-answer.ts'
import { connectMcp, openWorkplace, type Workplace } from '../../support/mcp.ts'
import { ownTime } from '../../support/own-time.ts'
import { openTestServer } from '../../support/server.ts'

/** Signed in, with nothing to do; `waiting` resolves once the server holds the next call. */
async function openWaiting(options?: Parameters<typeof openWorkplace>[0]) {
  const workplace = await openWorkplace(options)
  await workplace.write('hello')
  const ann = await workplace.signedIn()
  await ann.call('get_pending_messages')
  await ann.call('respond_chat', { content: 'hi' })
  return { ...workplace, ann }
}

const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await what())) await new Promise((resolve) => setImmediate(resolve))
}

const heldCalls = async ({ server }: Pick<Workplace, 'server'>): Promise<number> => {
  const { text } = await server.ask('/metrics')
  return Number(/^holdfast_held_calls (\d+)$/m.exec(text)?.[1])
}
const isHeld = (workplace: Pick<Workplace, 'server'>) =>
  expect.poll(() => heldCalls(workplace)).toBe(1)
const isFree = (workplace: Pick<Workplace, 'server'>) =>
  expect.poll(() => heldCalls(workplace)).toBe(0)

test('[NA12] a held call is answered the moment a message comes', async () => {
  const workplace = await openWaiting()
  const held = workplace.ann.call('get_next_action', { wait_seconds: 50 })
  await isHeld(workplace)
  await workplace.write('are you there?')
  expect(await held).toMatchObject({ action: 'get_pending_messages', state: 'chat_pending' })
})

test('[NA3] with nothing to do it is answered when its time is over, and never later than the client can bear', async () => {
  const workplace = await openWaiting()
  const held = workplace.ann.call('get_next_action', { wait_seconds: 600 })
  await isHeld(workplace)
  workplace.server.clock.advance(50_000)
  expect(await held).toMatchObject({
    action: 'wait_for_messages',
    wait_seconds: 5,
    session_timeout_minutes: 10,
  })
})

test('[NA5] a panel that closes sends a waiting agent away', async () => {
  const workplace = await openWaiting()
  const held = workplace.ann.call('get_next_action', { wait_seconds: 50 })
  await isHeld(workplace)
  await workplace.post(`/api/projects/${workplace.projectId}/agents/ann/chat/end`, undefined)
  expect(await held).toMatchObject({
    action: 'exit',
    state: 'session_closed',
    reason: 'session_closed',
  })
})

test('[NA12] a newer call answers the older one, which is told not to call again', async () => {
  const workplace = await openWaiting()
  const older = workplace.ann.call('get_next_action', { wait_seconds: 50 })
  await isHeld(workplace)
  const newer = workplace.ann.call('get_next_action', { wait_seconds: 50 })
  expect(await older).toMatchObject({
    action: 'superseded',
    reason: 'superseded',
    instruction: expect.stringContaining('do not call'),
  })
  await isHeld(workplace)
  await workplace.write('you there')
  expect(await newer).toMatchObject({ action: 'get_pending_messages' })
})

test('[NA12] progress is sent while it waits, to who gave a token for it', async () => {
  const workplace = await openWaiting()
  const seen: unknown[] = []
  const held = workplace.ann.call(
    'get_next_action',
    { wait_seconds: 50 },
    { onprogress: (progress) => seen.push(progress) },
  )
  await isHeld(workplace)
  workplace.server.clock.advance(progressEveryMs)
  await until(() => seen.length === 1)
  workplace.server.clock.advance(progressEveryMs)
  await until(() => seen.length === 2)
  await workplace.write('at last')
  expect(await held).toMatchObject({ action: 'get_pending_messages' })
  expect(seen).toEqual([
    { progress: 20, message: 'Waiting for 20 seconds' },
    { progress: 40, message: 'Waiting for 40 seconds' },
  ])
})

test('[NA12] without a token signs of life keep the connection, and the answer is the same', async () => {
  const workplace = await openWaiting()
  const held = workplace.ann.call('get_next_action', { wait_seconds: 50 })
  await isHeld(workplace)
  workplace.server.clock.advance(progressEveryMs)
  workplace.server.clock.advance(progressEveryMs)
  await workplace.write('at last')
  expect(await held).toMatchObject({ action: 'get_pending_messages' })
})

test('[MC1] a caller that goes away is let go at once', async () => {
  const workplace = await openWaiting()
  const { server, passkeys } = workplace
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_next_action', arguments: { wait_seconds: 50 } },
  }
  const headers = {
    host: new URL(server.url).host,
    authorization: `Bearer ${passkeys['ann']}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const request = httpRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/mcp',
    method: 'POST',
    headers,
    agent: false,
  })
  request.on('error', () => {})
  request.end(JSON.stringify(message))
  await isHeld(workplace)
  request.destroy()
  await isFree(workplace)
})

test('[MC1] a client of the newest protocol that cancels drops its connection, and is let go', async () => {
  const workplace = await openWaiting()
  const ann = await workplace.agent('ann', { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const cancel = new AbortController()
  const held = ann.call('get_next_action', { wait_seconds: 50 }, { signal: cancel.signal })
  await isHeld(workplace)
  cancel.abort()
  await expect(held).rejects.toThrow()
  await isFree(workplace)
})

test('[AP3] who waits for a decision is woken within milliseconds of it', async () => {
  const workplace = await openWaiting()
  const { ann, post, projectId } = workplace
  const waited: number[] = []
  const now = ownTime()
  for (let round = 0; round < 15; round++) {
    const { approval_id } = await ann.call('request_approval', {
      checkpoint_type: 'plan',
      instruction_content: `way ${round}`,
    })
    const held = ann.call('get_next_action', { wait_seconds: 50 })
    await isHeld(workplace)
    const woken = held.then(now)
    await post(`/api/projects/${projectId}/approvals/${approval_id}/decision`, {
      status: 'approved',
    })
    const decided = now()
    waited.push((await woken) - decided)
    expect((await held).action).toBe('wait_for_messages')
  }
  // The median; a poll would take seconds.
  expect(waited.toSorted((a, b) => a - b)[7]).toBeLessThan(100)
})

test('[SE3] a token that is revoked while its call is held learns nothing more', async () => {
  const workplace = await openWaiting()
  const { server, passkeys, projectId, post, write } = workplace
  await workplace.ann.call('logout')
  await write('hello again')
  const { id, token } = await post('/api/tokens', {
    name: 'runner',
    kind: 'script',
    scopes: ['write'],
  })
  const runner = await connectMcp(server.url, token)
  const signIn = { agent_id: 'ann', passkey: passkeys['ann'], project_id: projectId }
  const { session_token } = await runner.call('authenticate', signIn)
  await runner.call('get_pending_messages', { session_token })
  await runner.call('respond_chat', { session_token, content: 'hi' })
  const held = runner.call('get_next_action', { session_token, wait_seconds: 50 })
  await isHeld(workplace)
  await server.ask(`/api/tokens/${id}`, { method: 'DELETE' })
  await write('a secret')
  expect(await held).toMatchObject({ code: 'authentication_failed' })
  await expect(runner.call('get_pending_messages', { session_token })).rejects.toThrow()
})

test('[MC1] a held call across a restart costs one call more, and no new handshake', async () => {
  const workplace = await openWaiting()
  const { server, ann, projectId } = workplace
  const held = ann.call('get_next_action', { wait_seconds: 50 })
  await isHeld(workplace)
  const stopped = server.server.close()
  // Who waits is answered as things stand, rather than cut off.
  expect(await held).toMatchObject({ action: 'wait_for_messages' })
  await stopped
  const { store, clock, folder } = server
  const next = await openTestServer({
    testStore: { store, clock, folder },
    listen: { host: '127.0.0.1', port: server.port },
  })
  const again = ann.call('get_next_action', { wait_seconds: 50 })
  await isHeld({ server: next })
  await next.ask('/api/chat', {
    method: 'POST',
    body: { projectId, toAgentId: 'ann', content: 'back?' },
  })
  expect(await again).toMatchObject({ action: 'get_pending_messages' })
})
