/**
 * What the protocol's own compatibility kit (`agentclientprotocol/acp-tck`, version 1) requires,
 * each by its id, over one exchange; and the orders in which editors send their first messages.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEditor, text } from '../../support/editor.ts'
import { openEditorRoom } from '../../support/editor-room.ts'
import { questions, said, turnEnded, update } from '../../support/relay.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails without it
type Anything = any

/** Ids that are shown by another test, with its file. */
const elsewhere = {
  'ACP-TRANSPORT-001': 'test/journeys/editors.test.ts',
  'ACP-TRANSPORT-002': 'test/journeys/editors.test.ts',
  'ACP-SHUTDOWN-001': 'test/journeys/editors.test.ts',
  'ACP-STDERR-001': 'test/journeys/editors.test.ts',
  'ACP-INFO-PARSE-001': 'test/journeys/editors.test.ts',
  'ACP-SCHEMA-001': 'test/server/acp/sdk-client.test.ts',
}

/** Ids that ask nothing of us, with the reason. */
const leftOut = {
  'ACP-CLOSE-001': 'not advertised: a turn belongs to nobody’s window',
  'ACP-CLOSE-002': 'not advertised: a turn belongs to nobody’s window',
  'ACP-ADDDIRS-001': 'not advertised: a session works in one folder',
  'ACP-PROMPTCAP-002': 'not advertised: no agent behind it takes sound',
  'ACP-AUTH-004': 'not advertised: a credential is revoked where it was made',
  'ACP-AUTH-005': 'asks something only where no way to sign in is advertised',
}

const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']
const modes = ['ask', 'code'].map((id) => ({ id, name: id, description: null }))
const options = [
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    value: 'small',
    values: ['small', 'large'].map((id) => ({ id, name: id })),
  },
  { id: 'brief', name: 'Brief', category: null, value: false, values: [] },
]

async function exchange() {
  const room = await openEditorRoom()
  const { editor, begin, bringUp, machine, folder, server, prompt } = room
  const opened = (key: string) => ({ sessionId: key, cwd: folder })
  const first = await begin()
  const parts = [
    text('hello'),
    { type: 'resource_link', uri: `file://${folder}/a.txt`, name: 'a.txt' },
    { type: 'image', mimeType: 'image/png', data: 'aGk=' },
    { type: 'resource', resource: { uri: `file://${folder}/b.txt`, text: 'b' } },
  ]
  const _meta = { traceparent: '00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01' }
  const rich = editor.ask('session/prompt', { sessionId: first, prompt: parts, _meta })
  const { launchId, turnId } = await bringUp({ modes, modeId: 'ask', options, images: true })
  await machine.tell(
    questions(launchId, turnId, 'ask 1'),
    update(launchId, turnId, { kind: 'thought', text: 'hm' }),
    said(launchId, turnId, 'done'),
    turnEnded(launchId, turnId),
  )
  const prompted = await editor.answerTo(rich)
  const set = async (method: string, change: object) => {
    const asked = editor.ask(method, { sessionId: first, ...change })
    const { configureId, contextId, change: ordered } = await machine.order('configure-ordered')
    const about = { launchId, contextId, configureId, change: ordered, error: null }
    await machine.tell({ type: 'agent-configured', ...about } as never)
    return editor.answerTo(asked)
  }
  const mode = await set('session/set_mode', { modeId: 'code' })
  const option = await set('session/set_config_option', { configId: 'model', value: 'large' })
  // The same agent again: what it offered comes with the session.
  const created = await editor.call('session/new', { cwd: folder, mcpServers: [] })
  const stopped = prompt(first, 'to be stopped')
  const running = await machine.turn()
  await machine.tell(said(launchId, running.turnId, 'so far'))
  editor.notify('session/cancel', { sessionId: first })
  await machine.order('cancel-ordered')
  await machine.tell({
    ...turnEnded(launchId, running.turnId),
    outcome: 'cancelled',
    stopReason: 'cancelled',
  } as never)
  const cancelled = await editor.answerTo(stopped)
  const later = await openEditor(server)
  const whole = { ...opened(first), mcpServers: [] }
  const loaded = await later.call('session/load', whole)
  const replayed = later.updates('agent_message_chunk').length
  const other = await openEditor(server)
  const resumed = await other.call('session/resume', opened(first))
  const listed = await editor.call('session/list', {})
  const none = await editor.call('session/list', { cwd: '/nowhere' })
  const future = await openEditor(server)
  const far = { protocolVersion: 65535, clientCapabilities: {}, info: { name: 'x', version: '2' } }
  const newer = await future.call('initialize', far)
  const unknown = await editor.call('session/none', {})
  const custom = await editor.call('_none/none', {})
  const wrong = await editor.call('session/new', { cwd: 'relative', mcpServers: [] })
  const strange = await editor.call('session/prompt', { sessionId: 'none', prompt: [text('x')] })
  editor.notify('session/none', {})
  editor.socket.send({ foo: 'bar' })
  editor.socket.send({ jsonrpc: '2.0', id: 'a word', method: 'session/list', params: {} })
  const word = await editor.answerTo('a word')
  const signedIn = await editor.call('authenticate', { methodId: 'holdfast' })
  const second = created.result.sessionId
  const removed = await editor.call('session/delete', { sessionId: second })
  const again = await editor.call('session/delete', { sessionId: second })
  return {
    room,
    first,
    second,
    prompted,
    mode,
    option,
    created,
    cancelled,
    loaded,
    replayed,
    resumed,
    other,
    listed,
    none,
    newer,
    unknown,
    custom,
    wrong,
    strange,
    word,
    signedIn,
    removed,
    again,
    all: editor.socket.inbox.all as Anything[],
  }
}

type Exchange = Awaited<ReturnType<typeof exchange>>

const updatesIn = (messages: readonly Anything[]): Anything[] =>
  messages.filter(({ method }) => method === 'session/update')

const isOption = ({ type, currentValue, options: values }: Anything): boolean =>
  type === 'select' && values.some(({ value }: Anything) => value === currentValue)

const sdk = join(import.meta.dirname, '../../../node_modules/@agentclientprotocol/sdk')
const { $defs: forms } = JSON.parse(
  readFileSync(join(sdk, 'schema/v1/schema.unstable.json'), 'utf8'),
)

/** The names that the protocol has for what stands in an update of a kind. */
function namesOf(kind: string): string[] {
  const form = forms.SessionUpdate.oneOf.find(
    ({ properties }: Anything) => properties.sessionUpdate.const === kind,
  )
  const parts = form.allOf.map(({ $ref }: Anything) => forms[$ref.split('/').at(-1)])
  return [form, ...parts].flatMap(({ properties }) => Object.keys(properties))
}

/** Whether it holds in the exchange. */
const required: Readonly<Record<string, (seen: Exchange) => boolean>> = {
  'ACP-JSONRPC-001': ({ word, prompted }) => word.id === 'a word' && prompted.id > 0,
  'ACP-JSONRPC-002': ({ all }) =>
    all
      .filter(({ method }) => method === undefined)
      .every(({ result, error }) =>
        error === undefined
          ? result !== undefined
          : Number.isInteger(error.code) && typeof error.message === 'string',
      ),
  'ACP-JSONRPC-003': ({ all }) =>
    all.filter(({ id, method }) => method === undefined && id === null).length <= 1,
  'ACP-JSONRPC-004': ({ unknown }) => unknown.error.code === -32601,
  'ACP-JSONRPC-005': ({ word }) => Array.isArray(word.result.sessions),
  'ACP-INIT-001': ({ room }) => room.editor.initialized.agentCapabilities.loadSession === true,
  'ACP-INIT-002': ({ room }) => room.editor.initialized.protocolVersion === 1,
  'ACP-INIT-003': ({ newer }) => newer.result.protocolVersion === 1,
  'ACP-INIT-004': ({ room }) =>
    ['name', 'version'].every((name) => room.editor.initialized.agentInfo[name]),
  'ACP-SCHEMA-002': ({ all }) =>
    updatesIn(all).every(({ params: { update: each } }) =>
      Object.keys(each).every((name) => namesOf(each.sessionUpdate).includes(name)),
    ),
  'ACP-SESSION-001': ({ first }) => typeof first === 'string' && first !== '',
  'ACP-SESSION-002': ({ first, second }) => first !== second,
  'ACP-PROMPT-001': ({ prompted }) => prompted.result.stopReason === 'end_turn',
  'ACP-PROMPT-002': ({ all, first, second }) =>
    updatesIn(all).length > 2 &&
    updatesIn(all).every(({ params }) => [first, second].includes(params.sessionId)),
  'ACP-PROMPT-003': ({ prompted }) => stopReasons.includes(prompted.result.stopReason),
  'ACP-CANCEL-001': ({ cancelled }) => cancelled.result.stopReason === 'cancelled',
  'ACP-CANCEL-002': ({ all, cancelled, first }) =>
    updatesIn(all.slice(all.findIndex(({ id }) => id === cancelled.id))).every(
      ({ params }) => params.sessionId !== first,
    ),
  'ACP-LOAD-001': ({ loaded }) => loaded.error === undefined,
  'ACP-LOAD-002': ({ replayed }) => replayed === 2,
  'ACP-LOAD-003': ({ loaded }) => typeof loaded.result === 'object' && loaded.result !== null,
  'ACP-RESUME-001': ({ resumed }) => resumed.error === undefined,
  'ACP-RESUME-002': ({ other }) => other.text() === '',
  'ACP-LIST-001': ({ listed, first }) =>
    listed.result.sessions.some(({ sessionId: key }: Anything) => key === first),
  'ACP-LIST-002': ({ none }) => none.result.sessions.length === 0,
  'ACP-DELETE-001': ({ removed }) => JSON.stringify(removed.result) === '{}',
  'ACP-DELETE-002': ({ again }) => JSON.stringify(again.result) === '{}',
  'ACP-MODES-001': ({ created }) =>
    created.result.modes.availableModes.some(
      ({ id }: Anything) => id === created.result.modes.currentModeId,
    ),
  'ACP-MODES-002': ({ mode, room }) =>
    mode.error === undefined &&
    room.editor.updates('current_mode_update').every(({ currentModeId }) => currentModeId),
  'ACP-CONFIG-001': ({ created }) => created.result.configOptions.every(isOption),
  'ACP-CONFIG-002': ({ option }) =>
    option.result.configOptions.length === 2 &&
    option.result.configOptions[0].currentValue === 'large',
  'ACP-CONFIG-003': ({ created }) =>
    created.result.configOptions.every(({ type }: Anything) => type !== 'boolean'),
  'ACP-PROMPTCAP-001': ({ prompted }) => prompted.result.stopReason === 'end_turn',
  'ACP-PROMPTCAP-003': ({ prompted }) => prompted.result.stopReason === 'end_turn',
  'ACP-AUTH-001': ({ room }) => room.editor.initialized.authMethods.length === 1,
  'ACP-AUTH-002': ({ room }) => room.editor.initialized.authMethods[0].type !== 'terminal',
  'ACP-AUTH-003': ({ signedIn, again }) => signedIn.result !== null && !again.error,
  'ACP-CLIENTCAP-001': ({ all }) => !all.some(({ method }) => method?.startsWith('fs/')),
  'ACP-CLIENTCAP-002': ({ all }) => !all.some(({ method }) => method?.startsWith('terminal/')),
  'ACP-CLIENTCAP-003': ({ all }) => !all.some(({ method }) => method?.startsWith('elicitation/')),
  'ACP-EXT-001': ({ custom }) => custom.error.code === -32601,
  'ACP-META-001': ({ prompted }) => stopReasons.includes(prompted.result.stopReason),
  'ACP-ERROR-001': ({ all }) =>
    all.every(({ error }) => error === undefined || /^[^\n]+$/.test(error.message)),
  'ACP-INFO-INVALIDREQ-001': ({ all }) => all.some(({ error }) => error?.code === -32600),
  'ACP-INFO-UNKNOWNSESSION-001': ({ strange, wrong }) =>
    strange.error.code === -32002 && wrong.error.code === -32602,
}

/** How many the kit has. */
const inKit = 56

test('[EC14] what the compatibility kit requires holds, or does not apply', async () => {
  const seen = await exchange()
  for (const [id, holds] of Object.entries(required)) expect.soft(holds(seen), id).toBe(true)
  const ids = [required, elsewhere, leftOut].flatMap((each) => Object.keys(each))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toHaveLength(inKit)
})

test('[EC14] the first messages of Zed, codecompanion and avante are answered', async () => {
  const { server, folder, machine } = await openEditorRoom()
  const opened = { cwd: folder, mcpServers: [] }
  const gone = { ...opened, sessionId: 'session:000000000000' }
  // Zed: sets what it was told by default right after the session is there, then loads it anew.
  const zed = await openEditor(server, { capabilities: { fs: { readTextFile: true } } })
  const { sessionId: key } = (await zed.call('session/new', opened)).result
  const chosen = { sessionId: key, configId: 'holdfast.place', value: 'folder' }
  expect((await zed.call('session/set_config_option', chosen)).error).toBeUndefined()
  expect((await zed.call('session/set_mode', { sessionId: key, modeId: 'x' })).error.code).toBe(
    -32603,
  )
  expect((await zed.call('session/close', { sessionId: key })).result).toEqual({})
  expect((await zed.call('session/load', { ...opened, sessionId: key })).error).toBeUndefined()
  // codecompanion signs in with the first way it sees; avante and it begin anew without a word.
  for (const signsIn of [true, false]) {
    const editor = await openEditor(server)
    const { id: methodId } = editor.initialized.authMethods[0]
    if (signsIn) expect((await editor.call('authenticate', { methodId })).error).toBeUndefined()
    expect((await editor.call('session/load', gone)).error).toMatchObject({ code: -32002 })
    const begun = (await editor.call('session/new', opened)).result.sessionId
    const asked = editor.ask('session/prompt', { sessionId: begun, prompt: [text('hello')] })
    await editor.next('session/update')
    editor.notify('session/cancel', { sessionId: begun })
    expect((await editor.answerTo(asked)).result.stopReason).toBe('cancelled')
  }
  expect(machine).toBeDefined()
})
