/** What is changed after it was said: cut chats, waiting messages; and completions (AH5, AH9). */
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { bringUp } from '../../support/acp-chat.ts'
import {
  actionOf,
  answerMachine,
  begin,
  dispatch,
  filesAt,
  isFresh,
  nextSeq,
  openAhpRoom,
  runTurn,
  started,
  uri,
} from '../../support/ahp-room.ts'
import { said, turnEnded } from '../../support/relay.ts'

async function openWithTurns(count: number) {
  const opened = await openAhpRoom()
  const { chat } = await begin(opened)
  let launchId = ''
  for (let at = 1; at <= count; at++) {
    await dispatch(opened.client, chat, started(`t${at}`, `prompt ${at}`))
    if (at === 1) launchId = await bringUp(opened.machine)
    await runTurn(opened, launchId, { before: at, after: at + 1 })
    const isIt = ({ turnId }: { turnId: string }) => turnId === `t${at}`
    await actionOf(opened.client, 'chat/turnComplete', isIt)
  }
  const turns = () => {
    opened.mirror.follow()
    return opened.mirror.states.get(chat).turns.map(({ id }: { id: string }) => id)
  }
  return { ...opened, chat, launchId, turns }
}

const cut = (turnId?: string) => ({ type: 'chat/truncated', ...(turnId && { turnId }) })

test('[AH9] a chat is cut at a turn, with its files, or to nothing', async () => {
  const opened = await openWithTurns(3)
  const { client, chat, path, turns, server, clock } = opened
  expect(turns()).toEqual(['t1', 't2', 't3'])
  const done = { outcome: 'done', before: filesAt(path, 4).state, after: filesAt(path, 3).state }
  clock.advance(1000)
  const cutting = dispatch(client, chat, cut('t2'))
  expect(await answerMachine(opened, { ...done, kept: [] })).toMatchObject({
    kind: 'files-restore',
    target: filesAt(path, 3).state,
  })
  const { params } = await cutting
  expect(params.action).toEqual(cut('t2'))
  expect(turns()).toEqual(['t1', 't2'])
  await isFresh(opened, [uri, chat])
  const { items } = (await server.ask('/api/conversations')).json
  expect(items).toMatchObject([{ messageCount: 4 }])
  clock.advance(1000)
  const all = dispatch(client, chat, cut())
  const first = { ...done, before: filesAt(path, 3).state, after: filesAt(path, 1).state }
  expect(await answerMachine(opened, { ...first, kept: [] })).toMatchObject({
    target: filesAt(path, 1).state,
  })
  expect((await all).params.rejectionReason).toBeUndefined()
  expect(turns()).toEqual([])
  await isFresh(opened, [uri, chat])
})

test('[AH9] what would lose files is not cut, nor is what was to follow sent', async () => {
  const opened = await openWithTurns(2)
  const { client, chat, turns, server } = opened
  client.send({
    jsonrpc: '2.0',
    method: 'dispatchAction',
    params: { channel: chat, clientSeq: nextSeq(), action: cut('t1') },
  })
  const prompt = dispatch(client, chat, started('t3', 'In its place'))
  const files = [{ path: 'a.txt', why: 'changed' }]
  await answerMachine(opened, { outcome: 'would_lose', token: 'x', files, count: 1 })
  const refused = await client.until(
    ({ params }) => params?.action?.type === 'chat/truncated' && params.rejectionReason,
  )
  expect((await prompt).params.rejectionReason).toBe(refused.params.rejectionReason)
  expect(turns()).toEqual(['t1', 't2'])
  const none = await dispatch(client, chat, cut('none'))
  expect(none.params.rejectionReason).toMatch(/none/)
  expect((await dispatch(client, chat, cut('t2'))).params.rejectionReason).toBeUndefined()
  const { items } = (await server.ask('/api/conversations')).json
  expect(items).toMatchObject([{ messageCount: 4 }])
  const { params } = await dispatch(client, chat, started('t4', 'Afterwards'))
  expect(params.action).toMatchObject({ type: 'chat/turnStarted', turnId: 't4' })
})

test('[AH5] what waits is changed where it stands, once, under the id it had', async () => {
  const opened = await openAhpRoom()
  const { client, machine, mirror, server } = opened
  const { chat } = await begin(opened)
  await dispatch(client, chat, started('t1', 'First'))
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  const waits = (id: string, text: string) => ({
    type: 'chat/pendingMessageSet',
    kind: 'queued',
    id,
    message: { text, origin: { kind: 'user' } },
  })
  for (const id of ['q1', 'q2', 'q3']) await dispatch(client, chat, waits(id, `says ${id}`))
  const changed = waits('q2', 'in other words')
  const echoed = await dispatch(client, chat, changed)
  expect(echoed.params.rejectionReason).toBeUndefined()
  await actionOf(client, 'chat/queuedMessagesReordered')
  const shown = () => {
    mirror.follow()
    return mirror.states
      .get(chat)
      .queuedMessages.map(({ id, message }: never) => [id, (message as { text: string }).text])
  }
  const expected = [
    ['q1', 'says q1'],
    ['q2', 'in other words'],
    ['q3', 'says q3'],
  ]
  expect(shown()).toEqual(expected)
  await isFresh(opened, [uri, chat])
  // The echo was lost: the same again is the same message.
  await dispatch(client, chat, changed)
  expect(shown()).toEqual(expected)
  await dispatch(client, chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q2' })
  expect(shown()).toHaveLength(2)
  await machine.tell(said(launchId, turnId, 'ok'), turnEnded(launchId, turnId))
  const next = await machine.turn()
  expect(JSON.stringify(next.content)).not.toContain('other words')
  expect((await server.ask('/api/conversations')).json.items).toHaveLength(1)
})

test('[AH5] completions are the commands of the agent and files of the workplace', async () => {
  const opened = await openAhpRoom()
  const { client, machine, path } = opened
  const { chat } = await begin(opened)
  const note = pathToFileURL(`${path}/note.txt`).href
  const message = {
    text: 'See the note',
    origin: { kind: 'user' },
    attachments: [{ type: 'resource', uri: note, label: 'note.txt' }],
  }
  const { params } = await dispatch(client, chat, { ...started('t1', ''), message })
  expect(params.action.message.text).toBe(`See the note\n\nAttached:\n- ${path}/note.txt`)
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  const commands = ['review', 'reset'].map((name) => ({
    name,
    description: `${name}s`,
    hint: null,
  }))
  await machine.tell({
    ...said(launchId, turnId, ''),
    update: { kind: 'commands', commands },
  } as never)
  await machine.tell(said(launchId, turnId, 'ok'), turnEnded(launchId, turnId))
  await actionOf(client, 'chat/turnComplete')
  const complete = (text: string, offset = text.length) =>
    client.result('completions', { kind: 'userMessage', channel: uri, text, offset })
  const { items } = await complete('/rev')
  expect(items).toMatchObject([
    { insertText: '/review ', rangeStart: 0, rangeEnd: 4, attachment: { type: 'simple' } },
  ])
  const asking = complete('look at @no and on', 11)
  expect(await answerMachine(opened, ['note.txt'])).toMatchObject({ kind: 'folder-files', q: 'no' })
  expect((await asking).items).toMatchObject([
    { insertText: '@note.txt ', rangeStart: 8, rangeEnd: 11, attachment: { uri: note } },
  ])
  expect((await complete('mail a@b')).items).toEqual([])
  expect(
    await client.ask('completions', { channel: 'coder:/no', text: '', offset: 0 }),
  ).toMatchObject({ error: { code: -32001 } })
})

test('[AH11] a fork is a session of its own, and a chat where it was forked', async () => {
  const opened = await openWithTurns(2)
  const { client, chat, connect, mirror, server, path } = opened
  const own = `ahp-chat://f1/${Buffer.from(uri).toString('base64url')}`
  const source = { kind: 'fork', chat, turnId: 't1' }
  const forking = client.ask('createChat', { channel: uri, chat: own, source })
  const ask = await answerMachine(opened, {
    folder: `${path}/fork`,
    top: `${path}/fork`,
    branch: 'forked',
    baseBranch: null,
  })
  expect(ask).toMatchObject({ kind: 'files-fork', state: filesAt(path, 2).state })
  expect(await forking).toMatchObject({ result: null })
  const { summary } = await actionOf(client, 'session/chatAdded')
  expect(summary).toMatchObject({ resource: own, origin: { kind: 'fork', chat, turnId: 't1' } })
  const state = await mirror.subscribe(own)
  expect(state).toMatchObject({ resource: own, turns: [{ message: { text: 'prompt 1' } }] })
  const { items } = (await server.ask('/api/conversations')).json
  expect(items).toHaveLength(2)
  expect(items.map(({ key }: { key: string }) => key.split(':', 1)[0])).toEqual([
    'session',
    'session',
  ])
  const listed = (await client.result('listSessions')).items
  expect(listed.map(({ resource }: { resource: string }) => resource)).toContain(uri)
  expect(JSON.stringify(listed)).not.toContain(own)
  const prompted = await dispatch(client, own, started('f1', 'In the fork'))
  expect(prompted.params.action).toMatchObject({ type: 'chat/turnStarted', turnId: 'f1' })
  await isFresh(opened, [uri, own])
  const create = (more: object) =>
    client.ask('createChat', { channel: uri, chat: own, source, ...more })
  expect(await create({})).toMatchObject({ error: { code: -32010 } })
  expect(await create({ chat: `${own.slice(0, 11)}f2/eHg` })).toMatchObject({
    error: { code: -32602 },
  })
  const second = own.replace('f1', 'f2')
  expect(await create({ chat: second, source: undefined })).toMatchObject({
    error: { code: -32602 },
  })
  expect(await create({ chat: second, source: { ...source, turnId: 'no' } })).toMatchObject({
    error: { code: -32008 },
  })
  const viewer = await connect(['read'], 'c2')
  expect(await viewer.ask('createChat', { channel: uri, chat: second, source })).toMatchObject({
    error: { code: -32009 },
  })
})
