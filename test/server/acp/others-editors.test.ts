/** SE28 at `/acp`: person × session × method. What is another's is told as what is not there. */
import { expect, test } from 'vitest'
import { openEditor, text } from '../../support/editor.ts'
import { openOthersConsole } from '../../support/others-console.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const cwd = '/'
const after = '9/none.0.0'

/** Every method that names a session, with what it takes besides. */
const methods: Readonly<Record<string, object>> = {
  'session/load': { cwd, mcpServers: [] },
  'session/resume': { cwd, mcpServers: [] },
  'session/fork': { cwd, mcpServers: [] },
  'session/delete': {},
  'session/close': {},
  'session/prompt': { prompt: [text('mine')] },
  'session/set_mode': { modeId: 'ask' },
  'session/set_config_option': { configId: 'model', value: 'large' },
  '_holdfast/attach': { after },
}
/** They need nothing of a session that is not there. */
const needNothing = ['session/delete', 'session/close']

test('[EC12] others see and do nothing with a session that is not theirs, by any method', async () => {
  const { server, others, ann, key, forkKey, word } = await openOthersConsole()
  let tried = 0
  for (const person of others) {
    const editor = await openEditor(server, { token: person.token })
    for (const named of [key, forkKey, 'session:nowhere']) {
      for (const [method, params] of Object.entries(methods)) {
        const { result, error } = await editor.call(method, { sessionId: named, ...params })
        const where = `${person.name} ${method} ${named}`
        if (needNothing.includes(method)) expect(result, where).toEqual({})
        else expect([-32002, -32603], where).toContain(error?.code)
        tried++
      }
      editor.notify('session/cancel', { sessionId: named })
    }
    const { result } = await editor.call('session/list', {})
    expect(JSON.stringify(result)).not.toContain(forkKey)
    expect(JSON.stringify(editor.socket.inbox.all), person.name).not.toContain(word)
  }
  expect(tried).toBe(others.length * 3 * Object.keys(methods).length)
  // The control: whose it is sees it by the same way.
  const own = await openEditor(server, { token: ann.token })
  await own.call('session/load', { sessionId: key, cwd, mcpServers: [] })
  expect(JSON.stringify(own.socket.inbox.all)).toContain(word)
})

test('[EC12] a viewer looks on: nothing is begun, said, set or asked', async () => {
  const { server, vi, projectId } = await openOthersConsole()
  const { json: begun } = await server.ask(`/api/projects/${projectId}/conversations`, {
    method: 'POST',
    body: { agentId: 'coder', content: 'for all' },
  })
  const editor = await openEditor(server, { token: vi.token })
  const { path } = (await server.ask(`/api/projects/${projectId}`)).json
  const opened = { sessionId: begun.key, cwd: path, mcpServers: [] }
  expect((await editor.call('session/load', opened)).error).toBeUndefined()
  for (const [method, params] of Object.entries({
    'session/new': { cwd: path, mcpServers: [] },
    'session/prompt': { sessionId: begun.key, prompt: [text('mine')] },
    'session/set_mode': { sessionId: begun.key, modeId: 'ask' },
    'session/fork': opened,
  })) {
    const { error } = await editor.call(method, params)
    expect(error, method).toMatchObject({ data: { details: error.message } })
  }
  const elsewhere = await editor.call('session/new', { cwd: temporaryFolder(), mcpServers: [] })
  expect(elsewhere.error).toMatchObject({ code: -32602 })
  const { items } = (await server.ask(`/api/conversations/${begun.key}/archive?limit=10`)).json
  expect(items.map(({ content }: { content: string }) => content)).toEqual(['for all'])
})
