/** Sessions that a client begins and drives over the Agent Host Protocol (AH5, AH6). */
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { bringUp } from '../../support/acp-chat.ts'
import { AhpMirror, plain } from '../../support/ahp-mirror.ts'
import {
  actionOf,
  begin,
  dispatch,
  isFresh,
  nextSeq,
  openAhpRoom,
  started,
  uri,
} from '../../support/ahp-room.ts'
import { asks, questions, said, turnEnded } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[AH5] a session begins in the project of the open folder, under the client’s name', async () => {
  const opened = await openAhpRoom()
  const { client, folder, machine, server, connect } = opened
  const { state, chat } = await begin(opened)
  expect(state).toMatchObject({
    provider: 'coder',
    title: 'New session',
    lifecycle: 'ready',
    workingDirectories: [folder],
  })
  expect((await client.result('listSessions')).items).toEqual([])
  expect(await client.ask('createSession', { channel: uri, provider: 'coder' })).toMatchObject({
    error: { code: -32003 },
  })
  const echoed = await dispatch(client, chat, started('request_1', 'Hello'))
  expect(echoed.params).toMatchObject({
    origin: { clientId: 'c1' },
    action: { type: 'chat/turnStarted', turnId: 'request_1', message: { text: 'Hello' } },
  })
  const added = await client.until(({ method }) => method === 'root/sessionAdded')
  expect(added.params.summary).toMatchObject({ resource: uri, title: 'Hello', status: 8 + 32 })
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'Hi '), said(launchId, turnId, 'there'))
  await machine.tell(turnEnded(launchId, turnId))
  expect(await actionOf(client, 'chat/turnComplete')).toMatchObject({ turnId: 'request_1' })
  await isFresh(opened, [uri, chat])
  const items = (await server.ask('/api/conversations')).json.items
  expect(items).toMatchObject([
    { kind: 'session', title: 'Hello', workplace: { kind: 'checkout' } },
  ])
  // Who comes later finds it under the same name.
  const later = await connect()
  expect((await later.result('listSessions')).items).toMatchObject([{ resource: uri }])
})

test('[AH5] where no session can begin it is said why, and nothing is made', async () => {
  const { client, folder, server } = await openAhpRoom()
  const create = (more: object) =>
    client.ask('createSession', { channel: uri, provider: 'coder', ...more })
  const elsewhere = pathToFileURL(temporaryFolder()).href
  for (const workingDirectories of [[elsewhere], [], ['file:///nowhere/at/all'], ['https://x']])
    expect(await create({ workingDirectories })).toMatchObject({ error: { code: -32009 } })
  expect(await create({ workingDirectories: [folder], provider: 'nobody' })).toMatchObject({
    error: { code: -32002 },
  })
  expect((await server.ask('/api/conversations')).json.items).toEqual([])
})

test('[AH6] a confirmation and a question are answered once, with what was offered', async () => {
  const opened = await openAhpRoom()
  const { client, machine, connect } = opened
  const { chat } = await begin(opened)
  await dispatch(client, chat, started('t1', 'Do it'))
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  const ready = await actionOf(client, 'chat/toolCallReady', ({ options }) => options !== undefined)
  const { toolCallId, options } = ready
  expect(options.length).toBeGreaterThan(1)
  await actionOf(client, 'session/inputNeededSet')
  const confirm = (more: object) => ({
    type: 'chat/toolCallConfirmed',
    turnId: 't1',
    toolCallId,
    approved: true,
    confirmed: 'user-action',
    ...more,
  })
  const refused = await dispatch(client, chat, confirm({ selectedOptionId: 'invented' }))
  expect(refused.params.rejectionReason).toMatch(/invented/)
  const none = await dispatch(client, chat, confirm({ toolCallId: 'nothing' }))
  expect(none.params.rejectionReason).toBeTruthy()
  // Who may not approve does not decide.
  const writer = await connect(['read', 'write'], 'c2')
  expect((await dispatch(writer, chat, confirm({}))).params.rejectionReason).toMatch(/approve/)
  const option = options.find(({ kind }: { kind: string }) => kind === 'approve')
  const clientSeq = nextSeq()
  const done = await dispatch(client, chat, confirm({ selectedOptionId: option.id }), clientSeq)
  expect(done.params.rejectionReason).toBeUndefined()
  expect(done.params.action).toMatchObject({ type: 'chat/toolCallConfirmed', approved: true })
  await machine.tell(questions(launchId, turnId, 'ask 2'))
  const { request } = await actionOf(client, 'chat/inputRequested')
  const [question] = request.questions
  expect(request).toMatchObject({ message: expect.any(String) })
  const given = {
    type: 'chat/inputCompleted',
    requestId: request.id,
    response: 'decline',
  }
  const answered = await dispatch(client, chat, given)
  expect(answered.params).toMatchObject({ action: { response: 'decline' } })
  expect(question).toMatchObject({ id: 'colour', kind: 'single-select', required: true })
  await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  await actionOf(client, 'chat/turnComplete')
  await isFresh(opened, [uri, chat])
})

test('[AH6] what is sent again is done once; what no client may say changes nothing', async () => {
  const opened = await openAhpRoom()
  const { client, machine, server, mirror, connect } = opened
  const { chat } = await begin(opened)
  const clientSeq = nextSeq()
  await dispatch(client, chat, started('t1', 'Once'), clientSeq)
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'so far'))
  await actionOf(client, 'chat/responsePart')
  mirror.follow()
  const before = plain(mirror.states.get(chat))
  // The client lost its connection and sends again what it got no answer to.
  const again = await connect()
  const mirrored = new AhpMirror(again)
  await mirrored.subscribe(chat)
  const echoed = await dispatch(again, chat, started('t1', 'Once'), clientSeq)
  expect(echoed.params.action.type).not.toBe('chat/turnStarted')
  mirrored.follow()
  expect(plain(mirrored.states.get(chat))).toEqual(before)
  const items = (await server.ask('/api/conversations')).json.items
  expect(items).toMatchObject([{ messageCount: 1 }])
  for (const action of [
    { type: 'chat/delta', turnId: 't1', partId: '0', content: 'invented' },
    { type: 'chat/turnComplete', turnId: 't1', duration: 1 },
    { type: 'session/ready' },
    { type: 'made/up' },
    { type: 'chat/turnCancelled', turnId: 'other' },
    { type: 'chat/turnResume', turnId: 't1' },
    { type: 'chat/turnStarted', turnId: 't2' },
    { type: 'session/titleChanged', title: '' },
  ]) {
    const { params } = await dispatch(client, chat, action)
    expect([action.type, typeof params.rejectionReason]).toEqual([action.type, 'string'])
  }
  mirror.follow()
  expect(plain(mirror.states.get(chat))).toEqual(before)
  const viewer = await connect(['read'], 'c3')
  const { params } = await dispatch(viewer, chat, started('t9', 'Not mine'))
  expect(params.rejectionReason).toMatch(/write/)
  const more = { channel: 'coder:/x', provider: 'coder' }
  expect(await viewer.ask('createSession', more)).toMatchObject({ error: { code: -32009 } })
})

test('[AH5] what is sent while a turn runs waits and is taken back; a turn is stopped', async () => {
  const opened = await openAhpRoom()
  const { client, machine, mirror } = opened
  const { chat } = await begin(opened)
  await dispatch(client, chat, started('t1', 'First'))
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  const waits = (id: string, kind = 'queued') => ({
    type: 'chat/pendingMessageSet',
    kind,
    id,
    message: { text: `says ${id}`, origin: { kind: 'user' } },
  })
  await dispatch(client, chat, waits('q1'))
  await dispatch(client, chat, waits('q2'))
  await dispatch(client, chat, waits('s1', 'steering'))
  await dispatch(client, chat, waits('q3'))
  await dispatch(client, chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q3' })
  const shown = () => {
    mirror.follow()
    return mirror.states.get(chat).queuedMessages.map(({ id }: { id: string }) => id)
  }
  expect(shown().sort()).toEqual(['q1', 'q2', 's1'])
  await isFresh(opened, [uri, chat])
  await dispatch(client, chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 5 })
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  await actionOf(client, 'chat/turnCancelled')
  await isFresh(opened, [uri, chat])
})

test('[AH5] what steers a turn is answered when the turn is stopped for it', async () => {
  const opened = await openAhpRoom()
  const { client, machine } = opened
  const { chat } = await begin(opened)
  await dispatch(client, chat, started('t1', 'First'))
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  const message = { text: 'Rather this', origin: { kind: 'user' } }
  await dispatch(client, chat, {
    type: 'chat/pendingMessageSet',
    kind: 'steering',
    id: 's1',
    message,
  })
  dispatch(client, chat, { type: 'chat/turnCancelled', turnId: 't1', duration: 5 })
  await machine.order('cancel-ordered')
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  const next = await machine.turn()
  expect(JSON.stringify(next.content)).toContain('Rather this')
  const { queuedMessageId } = await actionOf(
    client,
    'chat/turnStarted',
    ({ turnId: id }: { turnId: string }) => id === 's1',
  )
  expect(queuedMessageId).toBe('s1')
  await isFresh(opened, [uri, chat])
})

test('[AH5] a title is the session’s; what is archived is the person’s', async () => {
  const opened = await openAhpRoom()
  const { client, server, mirror } = opened
  const { chat } = await begin(opened)
  await dispatch(client, chat, started('t1', 'Hello'))
  const titled = await dispatch(client, uri, { type: 'session/titleChanged', title: 'Mine' })
  expect(titled.params.action).toEqual({ type: 'session/titleChanged', title: 'Mine' })
  await dispatch(client, uri, { type: 'session/isArchivedChanged', isArchived: true })
  const [item] = (await server.ask('/api/conversations?archived=true')).json.items
  expect(item).toMatchObject({ title: 'Mine', archived: true })
  mirror.follow()
  expect(mirror.states.get(uri)).toMatchObject({ title: 'Mine' })
  expect(mirror.states.get(uri).status & 64).toBe(64)
  await isFresh(opened, [uri, chat])
})
