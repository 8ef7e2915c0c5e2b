/** Holdfast as an agent for editors (EC): what an editor begins, says and sees at `/acp`. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { text } from '../../support/editor.ts'
import { openEditorRoom } from '../../support/editor-room.ts'
import { asks, question, said, turnEnded, update } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[EC1] an editor says who it is, begins a session and is answered when the turn is over', async () => {
  const { editor, begin, bringUp, prompt, machine, server } = await openEditorRoom()
  expect(editor.initialized).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: 'holdfast' },
    authMethods: [{ id: 'holdfast' }],
  })
  const key = await begin()
  expect(key).toMatch(/^session:[0-9a-z]{12}$/)
  const asked = prompt(key, 'hello')
  const { launchId, turnId } = await bringUp()
  await machine.tell(said(launchId, turnId, 'so '))
  await machine.tell(said(launchId, turnId, 'far'), turnEnded(launchId, turnId))
  const answer = await editor.answerTo(asked)
  expect(answer.result.stopReason).toBe('end_turn')
  expect(editor.text()).toBe('so far')
  // An editor is not told its own prompt.
  expect(editor.updates('user_message_chunk')).toEqual([])
  expect((await server.ask(`/api/conversations/${key}`)).json).toMatchObject({
    kind: 'session',
    agentId: 'coder',
    workplace: { kind: 'checkout' },
  })
})

test('[EC2] tools, thoughts and plans are told as the protocol has them, paths absolute', async () => {
  const { editor, begin, bringUp, prompt, machine, folder } = await openEditorRoom()
  const key = await begin()
  const asked = prompt(key, 'hello')
  const { launchId, turnId } = await bringUp()
  const { call } = question()
  const diff = { type: 'diff', path: 'a.txt', oldText: null, newText: 'new' } as const
  await machine.tell(
    update(launchId, turnId, { kind: 'thought', text: 'hm' }),
    update(launchId, turnId, { kind: 'tool', call }),
    update(launchId, turnId, {
      kind: 'tool',
      call: { ...call, status: 'completed', content: [diff, diff] },
    }),
    update(launchId, turnId, {
      kind: 'plan',
      entries: [{ content: 'one', priority: 'low', status: 'pending' }],
    }),
    said(launchId, turnId, 'done'),
    turnEnded(launchId, turnId),
  )
  await editor.answerTo(asked)
  expect(editor.updates('agent_thought_chunk')).toMatchObject([{ content: { text: 'hm' } }])
  const tool = editor.updates('tool_call').find(({ toolCallId: id }) => id === 'call 1')
  expect(tool).toMatchObject({ toolCallId: 'call 1', kind: 'edit', title: 'Write hello.txt' })
  expect(editor.updates('plan')).toMatchObject([{ entries: [{ content: 'one' }] }])
  const later = editor.updates('tool_call_update')
  const states = [tool, ...later.filter(({ toolCallId: id }) => id === 'call 1')]
  expect(states.at(-1)).toMatchObject({
    status: 'completed',
    content: [{ type: 'diff', path: join(folder, 'a.txt'), newText: 'new' }],
  })
})

test('[EC3] the editor is asked for permission, and its answer decides', async () => {
  const { editor, begin, bringUp, prompt, machine, server } = await openEditorRoom()
  const key = await begin()
  const asked = prompt(key, 'write it')
  const { launchId, turnId } = await bringUp()
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  const request = await editor.next('session/request_permission')
  expect(request.params).toMatchObject({
    sessionId: key,
    toolCall: { toolCallId: 'call 1', status: 'pending' },
    options: [
      { optionId: 'yes', kind: 'allow_once' },
      { optionId: 'always', kind: 'allow_always' },
      { optionId: 'no', kind: 'reject_once' },
    ],
  })
  // That it is shown no more is no answer.
  editor.answer(request.id, { outcome: { outcome: 'cancelled' } })
  await machine.tell(asks(launchId, turnId, 'ask 2'))
  const second = await editor.next('session/request_permission')
  editor.answer(second.id, { outcome: { outcome: 'selected', optionId: 'yes' } })
  expect(await machine.order('permission-settled')).toMatchObject({
    askId: 'ask 2',
    optionId: 'yes',
  })
  const { json } = await server.ask('/api/approvals?status=pending')
  expect(json.items).toHaveLength(1)
  await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  expect((await editor.answerTo(asked)).result.stopReason).toBe('end_turn')
})

test('[EC3] what is decided elsewhere is withdrawn from the editor', async () => {
  const { editor, begin, bringUp, prompt, machine, server } = await openEditorRoom()
  prompt(await begin(), 'write it')
  const { launchId, turnId } = await bringUp()
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  const request = await editor.next('session/request_permission')
  const [{ id }] = (await server.ask('/api/approvals?status=pending')).json.items
  const body = { status: 'approved', optionId: 'yes' }
  expect((await server.ask(`/api/approvals/${id}/decision`, { method: 'POST', body })).status).toBe(
    200,
  )
  const withdrawn = await editor.next('$/cancel_request')
  expect(withdrawn.params.requestId).toBe(request.id)
})

test('[EC4] cancel stops the turn, withdraws what waits behind it, and both are answered so', async () => {
  const { editor, begin, bringUp, prompt, machine } = await openEditorRoom()
  const key = await begin()
  const running = prompt(key, 'first')
  const { launchId, turnId } = await bringUp()
  await machine.tell(said(launchId, turnId, 'so far'))
  await editor.next('session/update')
  const waiting = prompt(key, 'second')
  editor.notify('session/cancel', { sessionId: key })
  expect(await machine.order('cancel-ordered')).toMatchObject({ turnId })
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  const answers = [editor.answerTo(running), editor.answerTo(waiting)]
  for (const answer of await Promise.all(answers))
    expect(answer.result).toEqual({ stopReason: 'cancelled' })
})

test('[EC5] the editor dies: the turn goes on, and what was asked stays open', async () => {
  const { editor, begin, bringUp, prompt, machine, server } = await openEditorRoom()
  const key = await begin()
  prompt(key, 'write it')
  const { launchId, turnId } = await bringUp()
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  await editor.next('session/request_permission')
  editor.socket.webSocket.terminate()
  await editor.socket.closed
  await machine.tell(said(launchId, turnId, 'still here'))
  expect((await server.ask('/api/approvals?status=pending')).json.items).toHaveLength(1)
  expect((await server.ask(`/api/conversations/${key}`)).json.activity).toBe('waiting')
})

test('[EC6] the folder that is open says which project and where', async () => {
  const { editor, begin, server, folder, projectId } = await openEditorRoom()
  const inside = join(folder, 'packages', 'one')
  mkdirSync(inside, { recursive: true })
  const { json: below } = await server.ask(`/api/conversations/${await begin(inside)}`)
  expect(below).toMatchObject({ projectId, workplace: { kind: 'folder', directory: inside } })
  const file = join(folder, 'file')
  writeFileSync(file, '')
  for (const cwd of ['relative', join(folder, 'nowhere'), file, '/']) {
    const { error } = await editor.call('session/new', { cwd, mcpServers: [] })
    expect(error).toMatchObject({ code: -32602, data: { details: error.message } })
  }
  const other = realpathSync(temporaryFolder())
  mkdirSync(join(other, '.git'))
  mkdirSync(join(other, 'below'))
  const { json: made } = await server.ask(`/api/conversations/${await begin(join(other, 'below'))}`)
  expect(made.workplace).toMatchObject({ directory: join(other, 'below') })
  expect((await server.ask(`/api/projects/${made.projectId}`)).json.path).toBe(other)
})

test('[EC7] what is no message is answered in words, and the connection stays', async () => {
  const { editor } = await openEditorRoom()
  const { socket } = editor
  const wrong = ['', 'x', '[]', '3', 'null', '{"jsonrpc":"2.0"}', '{"id":1,"method":"initialize"}']
  for (const frame of wrong) {
    socket.send(frame)
    const { error } = await socket.inbox.next(({ error }) => error !== undefined)
    expect([-32700, -32600]).toContain(error.code)
  }
  socket.send({ jsonrpc: '2.0', id: 77, result: {} })
  expect((await editor.call('session/unknown', {})).error.code).toBe(-32601)
  expect((await editor.call('session/prompt', { sessionId: 3 })).error.code).toBe(-32602)
  const { error } = await editor.call('session/prompt', { sessionId: 'x', prompt: [text('hi')] })
  expect(error.code).toBe(-32002)
})
