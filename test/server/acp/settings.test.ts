/** What an editor sees and sets of a session beside its turns (EC10). */
import { expect, test } from 'vitest'
import { type Said, started } from '../../services/processes/launch-pad.ts'
import { openEditor } from '../../support/editor.ts'
import { openEditorRoom } from '../../support/editor-room.ts'
import { form, questions, readyAgent, said, turnEnded, update } from '../../support/relay.ts'

const modes = [
  { id: 'ask', name: 'Ask', description: null },
  { id: 'code', name: 'Code', description: 'Writes' },
]
const model = (value: string) => ({
  id: 'model',
  name: 'Model',
  category: 'model',
  value,
  values: [
    { id: 'small', name: 'Small' },
    { id: 'large', name: 'Large' },
  ],
})
const brief = { id: 'brief', name: 'Brief', category: null, value: false, values: [] }

/** With an agent that was opened once, and offers modes and options. */
async function openWithOffers(capabilities: object = {}) {
  const room = await openEditorRoom(capabilities)
  const { begin, prompt, machine, editor, bringUp } = room
  const key = await begin()
  const asked = prompt(key, 'hello')
  const offers = { modes, modeId: 'ask', options: [model('small'), brief] }
  const { launchId, turnId, contextId } = await bringUp(offers)
  await machine.tell(said(launchId, turnId, 'hi'), turnEnded(launchId, turnId))
  await editor.answerTo(asked)
  return { ...room, key, launchId, contextId }
}

test('[EC10] modes and options come with the session, and later as they change', async () => {
  const { editor, key, folder, server, machine, launchId, contextId } = await openWithOffers()
  await editor.next('session/update')
  const other = await openEditor(server, {
    capabilities: { session: { configOptions: { boolean: {} } } },
  })
  const opened = { sessionId: key, cwd: folder, mcpServers: [] }
  const { result } = await other.call('session/resume', opened)
  expect(result.modes).toMatchObject({ currentModeId: 'ask', availableModes: modes })
  expect(result.configOptions).toMatchObject([
    {
      id: 'model',
      type: 'select',
      currentValue: 'small',
      options: [{ value: 'small' }, { value: 'large' }],
    },
    { id: 'brief', type: 'boolean', currentValue: false },
    { id: 'holdfast.agent', type: 'select', currentValue: 'coder' },
  ])
  const setting = editor.ask('session/set_config_option', {
    sessionId: key,
    configId: 'model',
    value: 'large',
  })
  const { configureId, change } = await machine.order('configure-ordered')
  expect(change).toEqual({ optionId: 'model', value: 'large' })
  await machine.tell({
    type: 'agent-configured',
    launchId,
    contextId,
    configureId,
    change,
    error: null,
  })
  // Who sees no such options is not told of them.
  expect((await editor.answerTo(setting)).result.configOptions).toMatchObject([
    { id: 'model', currentValue: 'large' },
    { id: 'holdfast.agent' },
  ])
  await other.socket.inbox.until(() => other.updates('config_option_update').length > 0)
  expect(other.updates('config_option_update').at(-1).configOptions[0].currentValue).toBe('large')
  const wrong = await editor.call('session/set_mode', { sessionId: key, modeId: 'none' })
  expect(wrong.error).toMatchObject({ code: -32602 })
})

test('[EC10] commands, use and title are told', async () => {
  const { editor, key, prompt, machine, contextId } = await openWithOffers()
  expect(editor.updates('session_info_update')).toMatchObject([{ title: 'hello' }])
  prompt(key, 'more')
  const { launchId, turnId } = await machine.turn()
  const commands = [{ name: 'plan', description: 'Plans', hint: 'what' }]
  await machine.tell(
    { ...update(launchId, null, { kind: 'commands', commands }), contextId } as Said,
    {
      ...update(launchId, null, { kind: 'usage', used: 10, size: 100, cost: '0.25 USD' }),
      contextId,
    } as Said,
    said(launchId, turnId, 'x'),
  )
  await editor.socket.inbox.until(() => editor.updates('usage_update').length > 0)
  expect(editor.updates('available_commands_update')).toMatchObject([
    { availableCommands: [{ name: 'plan', input: { hint: 'what' } }] },
  ])
  expect(editor.updates('usage_update')).toMatchObject([
    { used: 10, size: 100, cost: { amount: 0.25, currency: 'USD' } },
  ])
})

test('[EC3] a form is asked where the editor shows forms, else a row says where to answer', async () => {
  const { key, prompt, machine, server, folder } = await openWithOffers()
  const showing = await openEditor(server, { capabilities: { elicitation: { form: {} } } })
  const blind = await openEditor(server)
  for (const each of [showing, blind])
    await each.call('session/resume', { sessionId: key, cwd: folder, mcpServers: [] })
  prompt(key, 'ask me')
  const { launchId, turnId } = await machine.turn()
  await machine.tell(questions(launchId, turnId, 'ask 1'))
  const request = await showing.next('elicitation/create')
  expect(request.params).toMatchObject({ sessionId: key, mode: 'form', message: form.message })
  await blind.socket.inbox.until(() => blind.updates('tool_call').length > 0)
  expect(blind.updates('tool_call')).toMatchObject([
    { title: expect.stringContaining('Which colour?') },
  ])
  showing.answer(request.id, { action: 'accept', content: { colour: 'red' } })
  expect(await machine.order('permission-settled')).toMatchObject({ askId: 'ask 1' })
  await blind.socket.inbox.until(() => blind.updates('tool_call_update').length > 0)
  expect(blind.updates('tool_call_update')).toMatchObject([{ status: 'completed' }])
})

test('[EC10] what a prompt waits for is a row until it runs', async () => {
  const { editor, begin, prompt, bringUp, machine } = await openEditorRoom()
  const key = await begin()
  const asked = prompt(key, 'hello')
  const { launchId, turnId } = await bringUp()
  await machine.tell(said(launchId, turnId, 'hi'), turnEnded(launchId, turnId))
  await editor.answerTo(asked)
  const rows = [{ title: 'Starting coder', status: 'in_progress' }]
  expect(editor.updates('tool_call')).toMatchObject(rows)
  expect(editor.updates('tool_call_update')).toMatchObject([{ status: 'completed' }])
  // The agent is there now, so nothing starts.
  const again = prompt(key, 'more')
  const { turnId: next } = await machine.turn()
  await machine.tell(said(launchId, next, 'yes'), turnEnded(launchId, next))
  await editor.answerTo(again)
  expect(editor.updates('tool_call')).toMatchObject(rows)
})

test('[EC13] the agent comes with session/new, and what it offers is told', async () => {
  const { editor, begin, machine, server, folder } = await openEditorRoom()
  const key = await begin()
  const { launchId } = await machine.order('launch-begun')
  await machine.tell(started(launchId), {
    ...readyAgent(launchId),
    modes,
    options: [model('small')],
  } as never)
  await editor.socket.inbox.until(() => editor.updates('config_option_update').length > 0)
  expect(editor.updates('config_option_update').at(-1)).toMatchObject({
    configOptions: [
      { id: 'model', currentValue: 'small' },
      { id: 'holdfast.agent' },
      { id: 'holdfast.place' },
    ],
  })
  expect((await server.ask('/api/conversations')).json.items).toEqual([])
  const { result } = await editor.call('session/new', { cwd: folder, mcpServers: [] })
  expect(result.sessionId).not.toBe(key)
  expect(result.modes).toMatchObject({ currentModeId: 'ask' })
})

test('[EC13] agent and place are options, the place until the first prompt', async () => {
  const { editor, prompt, machine, server, folder, projectId } = await openEditorRoom()
  const body = { id: 'second', name: 'Second', protocol: 'acp', command: 'second' }
  expect((await server.ask('/api/agents', { method: 'POST', body })).status).toBe(201)
  const path = `/api/projects/${projectId}/agents/second`
  expect((await server.ask(path, { method: 'PUT', body: {} })).status).toBeLessThan(300)
  const { result } = await editor.call('session/new', { cwd: folder, mcpServers: [] })
  const { sessionId: key, configOptions } = result
  expect(configOptions).toMatchObject([
    { id: 'holdfast.agent', category: '_agent', currentValue: 'coder' },
    { id: 'holdfast.place', currentValue: 'folder' },
  ])
  const { launchId: first } = await machine.order('launch-begun')
  const set = (configId: string, value: string) =>
    editor.call('session/set_config_option', { sessionId: key, configId, value })
  const placed = (await set('holdfast.place', 'worktree')).result.configOptions
  expect(placed.at(-1)).toMatchObject({ id: 'holdfast.place', currentValue: 'worktree' })
  // What was begun in the folder goes.
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId: first })
  expect((await set('holdfast.place', 'moon')).error).toMatchObject({ code: -32602 })
  expect((await set('holdfast.agent', 'nobody')).error.message).toContain('nobody')
  expect((await set('holdfast.place', 'folder')).result.configOptions.at(-1)).toMatchObject({
    currentValue: 'folder',
  })
  const chosen = (await set('holdfast.agent', 'second')).result.configOptions
  expect(chosen[0]).toMatchObject({ id: 'holdfast.agent', currentValue: 'second' })
  const asked = prompt(key, 'hello')
  const begun = await machine.order('launch-begun')
  expect(begun.launchId).not.toBe(first)
  expect((await server.ask(`/api/conversations/${key}`)).json).toMatchObject({
    agentId: 'second',
    workplace: { kind: 'checkout' },
  })
  const lastIds = () => editor.updates('config_option_update').at(-1)?.configOptions.map(idOf)
  await editor.socket.inbox.until(() => String(lastIds()) === 'holdfast.agent')
  expect((await set('holdfast.place', 'worktree')).error.message).toMatch(/is fixed/)
  editor.notify('session/cancel', { sessionId: key })
  expect((await editor.answerTo(asked)).result.stopReason).toBe('cancelled')
})

const idOf = ({ id }: { id: string }): string => id
