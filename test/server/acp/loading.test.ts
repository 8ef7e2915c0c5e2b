/** What an editor sees of sessions that are there: in lists, loaded, resumed, deleted (EC9). */
import { expect, test } from 'vitest'
import { openEditor, text } from '../../support/editor.ts'
import { openEditorRoom } from '../../support/editor-room.ts'
import { asks, question, said, turnEnded, update } from '../../support/relay.ts'

test('[EC9] sessions are listed with their folder and title, drafts and archived ones are not', async () => {
  const { editor, begin, talk, folder, server } = await openEditorRoom()
  const key = await begin()
  const list = async (cwd?: string) =>
    (await editor.call('session/list', cwd === undefined ? {} : { cwd })).result.sessions
  expect(await list()).toEqual([])
  await talk(key, 'mend the gate', 'mended')
  const info = { sessionId: key, cwd: folder, title: 'mend the gate' }
  expect(await list()).toMatchObject([info])
  expect(await list(folder)).toMatchObject([info])
  expect(await list('/nowhere')).toEqual([])
  expect((await editor.call('session/delete', { sessionId: key })).result).toEqual({})
  expect(await list()).toEqual([])
  // The record stays, for the others and for who loads it.
  expect((await server.ask(`/api/conversations/${key}`)).json).toMatchObject({ archived: true })
  const another = 'session:aaaaaaaaaaaa'
  expect((await editor.call('session/delete', { sessionId: another })).result).toEqual({})
})

test('[EC9] a session that is loaded is told whole, then asked what is open, then goes on', async () => {
  const { editor, begin, talk, folder, server, machine, prompt } = await openEditorRoom()
  const key = await begin()
  await talk(key, 'first', 'one')
  prompt(key, 'second')
  const { launchId, turnId } = await machine.turn()
  await machine.tell(
    update(launchId, turnId, { kind: 'thought', text: 'hm' }),
    said(launchId, turnId, 'two'),
    update(launchId, turnId, { kind: 'tool', call: question().call }),
    asks(launchId, turnId, 'ask 1'),
  )
  await editor.next('session/request_permission')
  editor.socket.webSocket.terminate()
  const later = await openEditor(server)
  const loaded = await later.call('session/load', { sessionId: key, cwd: folder, mcpServers: [] })
  expect(loaded.result).toMatchObject({ configOptions: [{ id: 'holdfast.agent' }] })
  // What has ended stands before the answer, what runs behind it.
  const answerAt = later.socket.inbox.all.findIndex(({ id }) => id === loaded.id)
  const before = later.socket.inbox.all.slice(0, answerAt).filter(({ params }) => params?.update)
  expect(before.map(({ params }) => params.update.content.text)).toEqual(['first', 'one'])
  const request = await later.next('session/request_permission')
  expect(request.params.toolCall.toolCallId).toBe('call 1')
  const all = later.updates().map((each) => [each.sessionUpdate, each.content?.text])
  expect(all).toEqual([
    ['user_message_chunk', 'first'],
    ['agent_message_chunk', 'one'],
    ['user_message_chunk', 'second'],
    ['agent_thought_chunk', 'hm'],
    ['agent_message_chunk', 'two'],
    ['tool_call', undefined],
  ])
  later.answer(request.id, { outcome: { outcome: 'selected', optionId: 'yes' } })
  await machine.order('permission-settled')
  await machine.tell(said(launchId, turnId, ' and more'), turnEnded(launchId, turnId))
  const next = later.ask('session/prompt', { sessionId: key, prompt: [text('third')] })
  const third = await machine.turn()
  await machine.tell(
    said(third.launchId, third.turnId, 'three'),
    turnEnded(third.launchId, third.turnId),
  )
  expect((await later.answerTo(next)).result.stopReason).toBe('end_turn')
  expect(later.text()).toBe('onetwo and morethree')
})

test('[EC9] a session that is resumed is told nothing that has ended', async () => {
  const { editor, begin, talk, folder, server } = await openEditorRoom()
  const key = await begin()
  const { launchId } = await talk(key, 'first', 'one')
  const later = await openEditor(server)
  const opened = { sessionId: key, cwd: folder, mcpServers: [] }
  expect((await later.call('session/resume', opened)).result).toMatchObject({
    configOptions: [{ id: 'holdfast.agent' }],
  })
  expect(later.updates()).toEqual([])
  expect(launchId).toBeDefined()
  // Two editors have it open: what one says is shown to the other.
  expect((await editor.call('session/close', { sessionId: key })).result).toEqual({})
  const none = await later.call('session/load', { ...opened, sessionId: 'session:none' })
  expect(none.error).toMatchObject({ code: -32002 })
})

test('[EC9] two editors are told the same, and the prompt of one is shown to the other', async () => {
  const { editor, begin, talk, folder, server, machine, prompt } = await openEditorRoom()
  const key = await begin()
  await talk(key, 'first', 'one')
  const other = await openEditor(server)
  await other.call('session/resume', { sessionId: key, cwd: folder, mcpServers: [] })
  const asked = prompt(key, 'second')
  const { launchId, turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  const [one, two] = [
    await editor.next('session/request_permission'),
    await other.next('session/request_permission'),
  ]
  other.answer(two.id, { outcome: { outcome: 'selected', optionId: 'no' } })
  expect((await editor.next('$/cancel_request')).params.requestId).toBe(one.id)
  await machine.tell(said(launchId, turnId, 'two'), turnEnded(launchId, turnId))
  await editor.answerTo(asked)
  await other.socket.inbox.until(() => other.text() === 'two')
  expect(other.updates('user_message_chunk')).toMatchObject([{ content: { text: 'second' } }])
  expect(editor.text()).toBe('onetwo')
})

test('[EC8] a load that was cut goes on where it was', async () => {
  const { begin, talk, folder, server, machine } = await openEditorRoom()
  const key = await begin()
  await talk(key, 'first', 'one and a half')
  void machine
  const options = { tunnel: { tunnel: 'tunnel-1' } }
  const first = await openEditor(server, options)
  const opened = { sessionId: key, cwd: folder, mcpServers: [] }
  await first.call('session/load', opened)
  const places = first.socket.inbox.all
    .filter(({ method }) => method === 'session/update')
    .map(({ params }) => params._meta.holdfast.at as string)
  expect(places).toHaveLength(2)
  for (const [shown, after] of [
    [0, places[1]],
    [1, places[0]],
  ] as const) {
    const again = await openEditor(server, options)
    await again.call('session/load', { ...opened, _meta: { holdfast: { after } } })
    expect(again.updates()).toHaveLength(shown)
  }
  const middle = String(places[1]).replace(/\d+$/, '3')
  const again = await openEditor(server, options)
  await again.call('session/load', { ...opened, _meta: { holdfast: { after: middle } } })
  expect(again.text()).toBe(' and a half')
})
