/**
 * Turns over the relay: the queue, taking back, cancelling, failing, and what is asked of a person
 * meanwhile.
 */
import { expect, test } from 'vitest'
import { exited } from '../../services/processes/launch-pad.ts'
import { asks, openConsole, question, said, turnEnded, update } from '../../support/relay.ts'

test('[RL6] while a turn runs, messages wait in order, can be withdrawn, and are run one after the other', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const send = (content: string) =>
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  for (const content of ['one', 'two', 'three', 'four']) send(content)
  const first = await client.next('agent:prompted')
  const queued = [await client.next(), await client.next(), await client.next()]
  expect(queued).toMatchObject([
    { type: 'agent:queued', role: 'auth', position: 1, content: [{ text: 'two' }] },
    { type: 'agent:queued', position: 2 },
    { type: 'agent:queued', position: 3 },
  ])
  client.send({
    type: 'agent:withdraw',
    ...inside,
    role: 'auth',
    messageId: queued[1].messageId,
    requestId: 'w',
  })
  expect(await client.next()).toMatchObject({
    type: 'agent:withdrawn',
    role: 'auth',
    messageId: queued[1].messageId,
    requestId: 'w',
  })
  client.send({ type: 'agent:withdraw', ...inside, role: 'auth', messageId: first.messageId })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'wrong_state' })
  client.send({ type: 'agent:withdraw', ...inside, role: 'auth', messageId: 'none' })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'not_found' })
  client.send({ type: 'agent:get', ...inside, role: 'auth' })
  const { agent } = await client.next('agent:info')
  expect(agent).toMatchObject({
    turn: { messageId: first.messageId, state: 'running' },
    queue: [{ position: 1 }, { position: 2 }],
  })
  const order = [await machine.answer('1'), await machine.answer('2'), await machine.answer('4')]
  expect(order).toEqual([first.messageId, queued[0].messageId, queued[2].messageId])
  const responses = [
    await client.next('agent:response'),
    await client.next('agent:response'),
    await client.next('agent:response'),
  ]
  expect(responses.map(({ content }) => content)).toEqual(['1', '2', '4'])
  expect((await room.server.ask(`/api/processes/${launchId}`)).json).toMatchObject({
    state: 'running',
  })
})

test('[FS4] the lines of a session are those between the files before its first turn and after its last, not the sum of its turns', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const state = (n: number) => ({ tree: String(n).repeat(40), leftOut: null, head: '9'.repeat(40) })
  const files = (n: number) => ({ top: '/top', state: state(n), leftOut: [] })
  const path = `/api/conversations/${encodeURIComponent(`console:${inside.sessionId}.auth`)}`
  const lines = async () => (await room.server.ask(path)).json.lines
  const turn = async (n: number, counted: object) => {
    room.server.clock.advance(1000)
    client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'go' })
    const order: { turnId: string; files?: { first?: string } } = await machine.turn()
    const end = turnEnded(launchId, order.turnId)
    await machine.tell({ type: 'turn-files', launchId, turnId: order.turnId, before: files(n) })
    await machine.tell(said(launchId, order.turnId, 'done'), {
      ...end,
      files: { ...files(n + 1), ...counted },
    } as unknown as typeof end)
    return order.files?.first
  }
  const ten = { files: 1, added: 10, removed: 0 }
  expect(await turn(1, { changes: ten })).toBeUndefined()
  expect(await lines()).toEqual({ added: 10, removed: 0 })
  const undone = { files: 1, added: 0, removed: 10 }
  expect(await turn(2, { changes: undone, total: { files: 0, added: 0, removed: 0 } })).toBe(
    '1'.repeat(40),
  )
  expect(await lines()).toEqual({ added: 0, removed: 0 })
  // One that could not compare with the first leaves the sum.
  await turn(3, { changes: ten })
  expect(await lines()).toEqual({ added: 20, removed: 10 })
  const { items } = (await room.server.ask(`${path}/turns`)).json
  expect(items[1].changes).toEqual(undone)
})

test('[AC15] what a gateway counted exactly of all requests of a turn stands in the place of what its agent reports', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const path = `/api/conversations/${encodeURIComponent(`console:${inside.sessionId}.auth`)}/turns`
  const cost = { amount: 1, currency: 'USD' }
  const reported = { inputTokens: 5, outputTokens: 2, cachedTokens: null, cost }
  const turn = async (finished: boolean) => {
    client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'go' })
    const { turnId } = await machine.turn()
    for (const model of ['big', 'small', 'big']) {
      await machine.tell({ type: 'model-asked', launchId, turnId, model })
      const used = { inputTokens: 100, outputTokens: 10, cachedTokens: 1 }
      await machine.tell({ type: 'model-answered', launchId, turnId, model, ...used, finished })
    }
    await machine.tell(
      said(launchId, turnId, 'done'),
      turnEnded(launchId, turnId, { usage: reported }),
    )
    return (await client.next('agent:response')).usage
  }
  const counted = { inputTokens: 300, outputTokens: 30, cachedTokens: 3, cost }
  expect(await turn(true)).toEqual(counted)
  // A stream that was cut had at least so much.
  expect(await turn(false)).toEqual(reported)
  expect((await room.server.ask(path)).json.items).toMatchObject([
    { usage: reported },
    { usage: counted },
  ])
})

test('[CH15] an agent in a role is stopped by the key of its conversation too, and not after its turn', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const stop = () =>
    room.server.ask(
      `/api/conversations/${encodeURIComponent(`console:${inside.sessionId}.auth`)}/stop`,
      { method: 'POST' },
    )
  for (const content of ['slow', 'next'])
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'so far'))
  expect((await stop()).json).toEqual({ stopped: 1 })
  expect(await machine.order('cancel-ordered')).toEqual({ launchId, turnId })
  expect((await stop()).json).toEqual({ stopped: 1 })
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  expect(await client.next('agent:response')).toMatchObject({
    messageId: turnId,
    stopReason: 'cancelled',
    content: 'so far',
  })
  const next = await machine.turn()
  await machine.tell(said(launchId, next.turnId, 'done'), turnEnded(launchId, next.turnId))
  expect(await client.next('agent:response')).toMatchObject({
    messageId: next.turnId,
    stopReason: 'end_turn',
  })
  expect((await stop()).json).toMatchObject({ code: 'wrong_state', notice: { code: 'noTurn' } })
})

test('[RL6] a cancel stops the turn and not the agent; the next in line is told', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:cancel', ...inside, role: 'auth', requestId: 'too early' })
  expect(await client.next()).toMatchObject({
    type: 'error',
    code: 'wrong_state',
    requestId: 'too early',
  })
  for (const content of ['slow', 'next'])
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'so far'))
  client.send({ type: 'agent:cancel', ...inside, role: 'auth', requestId: 'c' })
  expect(await machine.order('cancel-ordered')).toEqual({ launchId, turnId })
  client.send({ type: 'agent:cancel', ...inside, role: 'auth', requestId: 'c' })
  client.send({ type: 'agent:cancel', ...inside, role: 'auth', requestId: 'c2' })
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  expect(await client.next('agent:response')).toMatchObject({
    messageId: turnId,
    stopReason: 'cancelled',
    content: 'so far',
    requestId: 'c',
  })
  const next = await machine.turn()
  expect(next.content).toEqual([{ type: 'text', text: 'next' }])
  // Asked once more, it is answered by the same event, and the turn that runs now goes on.
  client.send({ type: 'agent:cancel', ...inside, role: 'auth', requestId: 'c' })
  expect(await client.next('agent:response')).toMatchObject({ messageId: turnId, requestId: 'c' })
  await machine.tell(said(launchId, next.turnId, 'done'), turnEnded(launchId, next.turnId))
  expect(await client.next('agent:response')).toMatchObject({
    messageId: next.turnId,
    stopReason: 'end_turn',
  })
  // Late pieces of a turn that is over are dropped.
  await machine.tell(
    said(launchId, turnId, 'late'),
    update(launchId, null, { kind: 'usage', used: 1, size: 2, cost: null }),
  )
  expect(await client.next('agent:update')).toMatchObject({
    messageId: null,
    update: { kind: 'usage' },
  })
})

test('[AG4] a process that ends unasked: FAILED with its words and code, the turn unknown, what waited withdrawn; the retry takes the role', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  for (const content of ['one', 'two'])
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  const { turnId } = await machine.turn()
  const queued = await client.next('agent:queued')
  await machine.tell(
    said(launchId, turnId, 'half'),
    { type: 'process-output', launchId, text: 'Segfault in line 1\n' },
    exited(launchId, { signal: 'SIGSEGV' }),
  )
  expect(await client.next('agent:failed')).toMatchObject({
    role: 'auth',
    step: 'running',
    error: expect.stringMatching(/SIGSEGV[\s\S]*Segfault in line 1/),
    exitCode: null,
    signal: 'SIGSEGV',
    messageId: turnId,
  })
  expect(await client.next()).toMatchObject({
    type: 'agent:withdrawn',
    messageId: queued.messageId,
    reason: 'failed',
  })
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
  expect(await client.next()).toMatchObject({ type: 'error', code: 'agent_not_active' })
  client.send({ type: 'session:resume', ...inside, requestId: 'r' })
  const { turns, agents } = await client.next('session:snapshot')
  expect(turns).toMatchObject([
    { messageId: turnId, state: 'unknown', text: 'half' },
    { messageId: queued.messageId, state: 'cancelled', stopReason: 'withdrawn' },
  ])
  expect(agents).toMatchObject([{ role: 'auth', state: 'FAILED', signal: 'SIGSEGV' }])
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', load: true })
  expect(await client.next()).toMatchObject({
    type: 'agent:terminated',
    role: 'auth',
    reason: 'replaced',
  })
  expect(await client.next()).toMatchObject({ type: 'agent:spawning', role: 'auth' })
  const { launchId: second } = await machine.order('launch-begun')
  const { acp } = machine.particulars(second)
  expect(acp).toMatchObject({
    loadAcpSessionId: `acp of ${launchId}`,
    lastOpenedAt: expect.any(String),
  })
})

test('[RL6] a turn that fails ends with its error in words, and the agent goes on', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
  const { turnId } = await machine.turn()
  await machine.tell(
    turnEnded(launchId, turnId, { outcome: 'failed', error: 'Rate limit until 15:40' }),
  )
  expect(await client.next('agent:response')).toMatchObject({
    stopReason: 'limit',
    error: 'Rate limit until 15:40',
    content: '',
  })
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'again' })
  await machine.answer('yes')
  expect(await client.next('agent:response')).toMatchObject({ content: 'yes', error: null })
})

test('[AP4] a permission is an approval: durable, shown, answered by an option, told to the agent; the second answer is refused', async () => {
  const room = await openConsole()
  const { server, projectId } = room
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'write' })
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'q1'), asks(launchId, turnId, 'q1'))
  const requested = await client.next('permission:requested')
  expect(requested).toMatchObject({
    role: 'auth',
    messageId: turnId,
    title: 'Write hello.txt',
    options: question().options,
    deadline: expect.any(String),
  })
  const { approvalId } = requested
  const { json: inbox } = await server.ask('/api/approvals')
  expect(inbox.items).toMatchObject([
    {
      id: approvalId,
      projectId,
      checkpointType: 'tool_permission',
      leaderId: 'coder',
      status: 'pending',
      outcome: null,
      permission: { role: 'auth', digest: 'a'.repeat(64) },
    },
  ])
  expect(inbox.items[0].sessionId).toMatch(/^sess_/)
  client.send({ type: 'permission:answer', ...inside, approvalId, optionId: 'maybe' })
  expect(await client.next()).toMatchObject({
    type: 'error',
    code: 'invalid_request',
    field: 'optionId',
  })
  client.send({ type: 'permission:answer', ...inside, approvalId, optionId: 'yes', requestId: 'p' })
  expect(await client.next()).toMatchObject({
    type: 'permission:resolved',
    approvalId,
    outcome: 'allowed',
    optionId: 'yes',
    decidedBy: 'owner',
    requestId: 'p',
  })
  expect(await machine.order('permission-settled')).toEqual({
    launchId,
    askId: 'q1',
    optionId: 'yes',
  })
  client.send({ type: 'permission:answer', ...inside, approvalId, outcome: 'denied' })
  expect(await client.next()).toMatchObject({
    type: 'error',
    code: 'approval_decided',
    decidedBy: 'owner',
    decision: 'approved',
  })
  // From the inbox; a revision makes no sense of it.
  await machine.tell(asks(launchId, turnId, 'q2'))
  const second = (await client.next('permission:requested')).approvalId
  const decide = (status: string) =>
    server.ask(`/api/projects/${projectId}/approvals/${second}/decision`, {
      method: 'POST',
      body: { status, feedback: 'why' },
    })
  expect((await decide('revision_requested')).json).toMatchObject({
    status: 409,
    code: 'wrong_state',
  })
  expect((await decide('rejected')).json).toMatchObject({
    status: 'rejected',
    outcome: 'denied',
    feedback: 'why',
  })
  expect(await client.next()).toMatchObject({
    type: 'permission:resolved',
    approvalId: second,
    outcome: 'denied',
    optionId: 'no',
  })
  expect(await machine.order('permission-settled')).toEqual({
    launchId,
    askId: 'q2',
    optionId: 'no',
  })
  // What is still open when the turn ends, or when the agent takes it back, is withdrawn.
  await machine.tell(asks(launchId, turnId, 'q3'), asks(launchId, turnId, 'q4'), {
    type: 'permission-withdrawn',
    launchId,
    askId: 'q4',
  })
  const third = (await client.next('permission:requested')).approvalId
  expect(await client.next('permission:resolved')).toMatchObject({
    approvalId: third + 1,
    outcome: 'withdrawn',
    decidedBy: 'system',
  })
  await machine.tell(turnEnded(launchId, turnId))
  expect(await client.next('permission:resolved')).toMatchObject({
    approvalId: third,
    outcome: 'withdrawn',
  })
  expect(await client.next()).toMatchObject({ type: 'agent:response' })
  const history = (await server.ask(`/api/projects/${projectId}/approvals`)).json.items
  expect(history.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'withdrawn',
    'withdrawn',
    'denied',
    'allowed',
  ])
})

test('[AP4] the policy answers by itself, and says so in the record', async () => {
  const room = await openConsole({}, { 'permission.policy': 'allow_reads' })
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'look' })
  const { turnId } = await machine.turn()
  await machine.tell(
    asks(launchId, turnId, 'read', question('read')),
    asks(launchId, turnId, 'edit', question('edit')),
  )
  expect(await client.next('permission:resolved')).toMatchObject({
    outcome: 'allowed',
    decidedBy: 'policy allow_reads',
  })
  expect(await client.next()).toMatchObject({ type: 'permission:requested' })
  expect(await machine.order('permission-settled')).toEqual({
    launchId,
    askId: 'read',
    optionId: 'yes',
  })
  const { json } = await room.server.ask(`/api/projects/${room.projectId}/approvals`)
  expect(json.items).toMatchObject([
    { status: 'pending' },
    { status: 'approved', decidedBy: 'policy allow_reads' },
  ])
})

test('[AC7] a turn carries what it used, in its response, in snapshots and in the lists of turns; not reported is null', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const usage = {
    inputTokens: 120,
    outputTokens: 7,
    cachedTokens: null,
    cost: { amount: 0.00252, currency: 'USD' },
  }
  for (const used of [usage, null]) {
    client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'x' })
    const { turnId } = await machine.turn()
    await machine.tell(
      said(launchId, turnId, 'y'),
      turnEnded(launchId, turnId, used ? { usage: used } : {}),
    )
    expect(await client.next('agent:response')).toMatchObject({
      stopReason: 'end_turn',
      usage: used,
    })
  }
  client.send({ type: 'session:resume', ...inside })
  expect((await client.next('session:snapshot')).turns).toMatchObject([
    { usage, stopReason: 'end_turn' },
    { usage: null },
  ])
  const key = encodeURIComponent(`console:${inside.sessionId}.auth`)
  for (const path of [
    `/api/user-sessions/${inside.sessionId}/turns`,
    `/api/conversations/${key}/turns`,
  ])
    expect((await room.server.ask(path)).json.items).toMatchObject([{ usage: null }, { usage }])
})
