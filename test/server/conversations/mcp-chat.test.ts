/** A chat over MCP with the official client: what an agent is told, what people see. */
import { expect, test } from 'vitest'
import { connectMcp, openWorkplace } from '../../support/mcp.ts'

test('[AS1] with its own bearer an agent needs no secret in any argument', async () => {
  const { agent, write, projectId } = await openWorkplace()
  await write('hello')
  const ann = await agent()
  expect(await ann.call('authenticate', { agent_id: 'ann', project_id: projectId })).toMatchObject({
    status: 'ok',
    session_token: expect.stringMatching(/^hf_session_/),
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    purpose: 'chat',
    expires_at: '2026-03-01T10:00:00.000Z',
    instruction: expect.stringContaining('get_next_action'),
  })
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'get_pending_messages',
    state: 'chat_pending',
  })
})

test('[AS2] without work authenticate answers no_work, which is not an error, and creates nothing', async () => {
  const { agent, projectId, server } = await openWorkplace()
  const ann = await agent()
  expect(await ann.call('authenticate', { agent_id: 'ann', project_id: projectId })).toMatchObject({
    status: 'no_work',
  })
  expect((await server.ask('/api/agent-sessions')).json.items).toEqual([])
})

test('[NA7] messages are handed over, the most urgent first, and one answer settles exactly those', async () => {
  const { signedIn, write, chat, projectId } = await openWorkplace()
  const low = await write('whenever', { priority: 'low' })
  const urgent = await write('now!', {
    priority: 'urgent',
    relatedTaskId: 'task_p1_code_001',
    relatedHandoffId: 'handoff_7',
  })
  const ann = await signedIn()
  const { messages, summary } = await ann.call('get_pending_messages')
  expect(summary).toBeNull()
  expect(messages).toEqual([
    {
      id: urgent.id,
      seq: urgent.seq,
      sender_id: 'owner',
      sender_name: 'owner',
      receiver_id: 'ann',
      content: 'now!',
      priority: 'urgent',
      related_task_id: 'task_p1_code_001',
      related_handoff_id: 'handoff_7',
      created_at: urgent.createdAt,
    },
    expect.objectContaining({ id: low.id, priority: 'low' }),
  ])
  const between = await write('one more')
  const answer = await ann.call('respond_chat', { content: 'Done.' })
  expect(answer).toEqual({
    message_id: expect.stringMatching(/^msg_/),
    seq: expect.any(Number),
    answered: expect.anything(),
  })
  expect(answer.answered.toSorted()).toEqual([low.id, urgent.id].toSorted())
  expect(
    (await ann.call('get_pending_messages')).messages.map(({ id }: { id: string }) => id),
  ).toEqual([between.id])
  const said = await chat()
  expect(said.at(-1)).toMatchObject({
    id: answer.message_id,
    senderId: 'ann',
    content: 'Done.',
    projectId,
  })
})

test('[NA7] with empty content the messages are read and nothing is said', async () => {
  const { signedIn, write, chat } = await openWorkplace()
  const { id } = await write('no need to answer')
  const ann = await signedIn()
  await ann.call('get_pending_messages')
  expect(await ann.call('respond_chat', { content: '' })).toEqual({
    message_id: null,
    seq: null,
    answered: [id],
  })
  expect(await ann.call('get_pending_messages')).toEqual({
    messages: [],
    summary: null,
    conversation: null,
    history: null,
  })
  expect(await chat()).toHaveLength(1)
})

test('[NA8] the same client id is answered the same and stores one message; other words under it are refused', async () => {
  const { signedIn, write, chat } = await openWorkplace()
  await write('hello')
  const ann = await signedIn()
  await ann.call('get_pending_messages')
  const first = await ann.call('respond_chat', { content: 'hi', client_id: 'a1' })
  expect(await ann.call('respond_chat', { content: 'hi', client_id: 'a1' })).toEqual(first)
  expect(await ann.failure('respond_chat', { content: 'ho', client_id: 'a1' })).toBe(
    'idempotency_key_reused',
  )
  expect(await chat()).toHaveLength(2)
})

test('[NA9] a long conversation is summarised when asked for, and the summary stands for it', async () => {
  const { signedIn, write, server, projectId } = await openWorkplace()
  await server.ask(`/api/projects/${projectId}`, {
    method: 'PATCH',
    body: { settings: { 'chat.summarize_after_chars': 1000 } },
  })
  await write('x'.repeat(1500))
  const ann = await signedIn()
  await ann.call('get_pending_messages')
  await ann.call('respond_chat', { content: 'I see' })
  const next = await ann.call('get_next_action')
  expect(next).toMatchObject({
    action: 'summarize_conversation',
    state: 'summary_due',
    through_seq: expect.any(Number),
  })
  expect(next.instruction).toContain(`through_seq: ${next.through_seq}`)
  expect(
    await ann.failure('set_summary', { summary: 'all', through_seq: next.through_seq + 50 }),
  ).toBe('invalid_request')
  expect(
    await ann.failure('set_summary', {
      summary: 'x'.repeat(20_001),
      through_seq: next.through_seq,
    }),
  ).toBe('invalid_request')
  expect(
    await ann.call('set_summary', { summary: 'x was said', through_seq: next.through_seq }),
  ).toEqual({
    through_seq: next.through_seq,
  })
  expect((await ann.call('get_next_action')).action).toBe('wait_for_messages')
  await write('and now?')
  expect(await ann.call('get_pending_messages')).toMatchObject({
    summary: 'x was said',
    messages: [{ content: 'and now?' }],
  })
})

test('[CV10] an agent writes to another, who is told and answers', async () => {
  const { signedIn, write } = await openWorkplace()
  await write('ask bob')
  const ann = await signedIn()
  await ann.call('get_pending_messages')
  await ann.call('respond_chat', { content: 'I will' })
  const sent = await ann.call('send_message', {
    to_agent_id: 'bob',
    content: 'how far are you?',
    client_id: 'm1',
  })
  expect(sent).toEqual({ message_id: expect.stringMatching(/^msg_/), seq: expect.any(Number) })
  expect(
    await ann.call('send_message', {
      to_agent_id: 'bob',
      content: 'how far are you?',
      client_id: 'm1',
    }),
  ).toEqual(sent)
  const bob = await signedIn('bob')
  const { messages } = await bob.call('get_pending_messages')
  expect(messages).toMatchObject([
    { id: sent.message_id, sender_id: 'ann', receiver_id: 'bob', content: 'how far are you?' },
  ])
  expect((await bob.call('respond_chat', { content: 'nearly done' })).answered).toEqual([
    sent.message_id,
  ])
  expect(await ann.call('get_pending_messages')).toMatchObject({
    messages: [{ sender_id: 'bob', content: 'nearly done' }],
  })
  for (const nobody of ['zoe', 'ann']) {
    expect(await ann.failure('send_message', { to_agent_id: nobody, content: 'x' })).toBe(
      'agent_not_found',
    )
  }
})

test('[AS8] logout is idempotent; then the next action is exit, and everything else says that the session has ended', async () => {
  const { signedIn, write } = await openWorkplace()
  await write('hello')
  const ann = await signedIn()
  expect(await ann.call('logout')).toEqual({ status: 'ended' })
  expect(await ann.call('logout')).toEqual({ status: 'ended' })
  expect(await ann.call('get_next_action', { wait_seconds: 50 })).toMatchObject({
    action: 'exit',
    reason: 'logout',
  })
  for (const tool of ['get_pending_messages', 'get_my_task'])
    expect(await ann.failure(tool), tool).toBe('session_ended')
  expect(await ann.call('respond_chat', { content: 'too late' })).toMatchObject({
    code: 'session_ended',
    reason: 'logout',
  })
  expect((await signedIn()).client).toBeDefined()
})

test('[SE3] one agent cannot use another agent’s session, whatever it was told of it', async () => {
  const { agent, write, projectId, chat } = await openWorkplace()
  await write('for ann')
  const ann = await agent()
  const { session_token } = await ann.call('authenticate', {
    agent_id: 'ann',
    project_id: projectId,
  })
  const bob = await agent('bob')
  expect(await bob.failure('get_pending_messages', { session_token })).toBe('not_found')
  expect(await bob.failure('respond_chat', { session_token, content: 'I am ann' })).toBe(
    'not_found',
  )
  expect(await bob.failure('logout', { session_token })).toBe('not_found')
  expect(await bob.failure('get_pending_messages')).toBe('not_found')
  expect(await bob.failure('authenticate', { agent_id: 'ann', project_id: projectId })).toBe(
    'authentication_failed',
  )
  expect(await chat()).toHaveLength(1)
  expect((await ann.call('get_next_action')).action).toBe('get_pending_messages')
})

test('[AS1] a script signs in for an agent with its passkey, and then needs the session token', async () => {
  const { server, passkeys, write, projectId, post } = await openWorkplace()
  await write('hello')
  const { token } = await post('/api/tokens', { name: 'runner', kind: 'script', scopes: ['write'] })
  const runner = await connectMcp(server.url, token)
  const ann = { agent_id: 'ann', project_id: projectId }
  expect(await runner.failure('authenticate', ann)).toBe('authentication_failed')
  const { session_token } = await runner.call('authenticate', { ...ann, passkey: passkeys['ann'] })
  expect(await runner.failure('get_pending_messages')).toBe('unauthenticated')
  expect(await runner.failure('get_pending_messages', { session_token: 'hf_session_wrong' })).toBe(
    'authentication_failed',
  )
  expect((await runner.call('get_pending_messages', { session_token })).messages).toHaveLength(1)
})

test('[AS1] a wrong agent, passkey or project gives one and the same error; after ten a minute, rate_limited', async () => {
  const { server, passkeys, write, projectId } = await openWorkplace()
  await write('hello')
  const owner = await connectMcp(server.url, server.ownerToken)
  const right = { agent_id: 'ann', passkey: passkeys['ann'], project_id: projectId }
  const wrong = [
    { agent_id: 'nobody' },
    { passkey: passkeys['bob'] },
    { project_id: 'proj_20260301_nobody' },
  ]
  const answers = await Promise.all(
    wrong.map((change) => owner.call('authenticate', { ...right, ...change })),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  for (let count = 0; count < 10; count++)
    await owner.call('authenticate', { ...right, passkey: 'guess' })
  expect(await owner.call('authenticate', { ...right, passkey: 'guess' })).toMatchObject({
    code: 'rate_limited',
    retry_after_seconds: expect.any(Number),
  })
  expect(await owner.call('authenticate', right)).toMatchObject({ status: 'ok' })
})

test('[CX3] an agent reads the history and the flags of the conversation it is in, by words too, and of no other', async () => {
  const { signedIn, write, server, projectId } = await openWorkplace()
  await write('the door is blue')
  const ann = await signedIn()
  const { conversation, history } = await ann.call('get_pending_messages')
  expect([conversation, history]).toEqual([
    `web:${projectId}.ann`,
    expect.stringContaining(conversation),
  ])
  await ann.call('respond_chat', { content: 'Noted: blue.' })
  await server.ask('/api/conversations', { method: 'POST', body: { key: 'slack:C1' } })
  await server.ask('/api/conversations/slack%3AC1/messages', {
    method: 'POST',
    body: { role: 'user', content: 'blue elsewhere' },
  })
  const received = await ann.call('get_history')
  expect(
    received.messages.map(({ sender, content }: Record<string, string>) => [sender, content]),
  ).toEqual([
    ['owner', 'the door is blue'],
    ['ann', 'Noted: blue.'],
  ])
  expect((await ann.call('get_history', { limit: 1 })).messages).toMatchObject([
    { content: 'Noted: blue.' },
  ])
  expect(
    (await ann.call('get_history', { before: received.messages[1].seq })).messages,
  ).toHaveLength(1)
  expect((await ann.call('get_history', { day: '1999-01-01' })).messages).toEqual([])
  const found = await ann.call('get_history', { q: 'door' })
  expect(found.messages.map(({ content }: { content: string }) => content)).toEqual([
    'the door is blue',
  ])
  expect(await ann.call('set_flags', { flags: { localOnly: true } })).toMatchObject({
    conversation,
    flags: { localOnly: true },
  })
  expect((await ann.call('get_flags')).flags).toEqual({ localOnly: true })
})
