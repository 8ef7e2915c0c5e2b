/**
 * What a context is worth (CX7, CX16): it outlives denials and errors of the model's vendor, and is
 * replaced only on evidence. Scripted agents as real processes, whose sessions count what they were
 * told.
 */
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { hostile } from '../../support/hostile-agent.ts'

/** Each session knows how much it was told; an agent that offers a mode and loads its sessions. */
const remembering = (more = '') =>
  hostile({
    onInitialize:
      'send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } })',
    onNew:
      'const sessionId = "s" + ++opened; told.set(sessionId, []); send({ id, result: { sessionId, modes } })',
    atStart: `let opened = 0, dead = false
      const told = new Map()
      const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] }
      act['session/load'] = ({ id, params }) => { dead = false; update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } }, params.sessionId); send({ id, result: { modes } }) }
      act['session/set_mode'] = ({ id }) => send(dead ? { id, error: gone } : { id, result: {} })
      const gone = { code: -32603, message: 'Internal error', data: { details: 'the inner process is gone' } }
      const asking = (sessionId) => ask('session/request_permission', { sessionId, toolCall: { toolCallId: 't' + told.get(sessionId).length, title: 'write a.txt', kind: 'edit', rawInput: { path: 'a.txt' } },
        options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }, { optionId: 'n', name: 'No', kind: 'reject_once' }] })
      act['session/prompt'] = async ({ id, params: { sessionId, prompt } }) => {
        const words = prompt.at(-1).text
        told.get(sessionId).push(words)
        const speak = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }, sessionId)
        const end = (stopReason = 'end_turn') => send({ id, result: { stopReason } })
        if (dead) return send({ id, error: gone })
        ${more}
        if (words.startsWith('fail')) return send({ id, error: { code: -32603, message: 'Internal error: API Error: 400 ' + 'no such model' } })
        if (words.startsWith('nothing')) return end()
        speak(sessionId + ' was told ' + told.get(sessionId).length); end()
      }`,
  })

test.each([
  ['end_turn', ''],
  ['cancelled', ''],
  ['end_turn', 'I write it.'],
])(
  '[CX16] [CX7] a denial that ends the turn (%s, after "%s") is an outcome of its own, and costs the agent nothing it knows',
  async (stopReason, before) => {
    const room = await openAgentOnServer(
      remembering(`if (words.startsWith('write')) {
      if (${JSON.stringify(before)}) speak(${JSON.stringify(before)})
      await asking(sessionId)
      return end(${JSON.stringify(stopReason)})
    }`),
    )
    for (const n of [1, 2, 3]) {
      await room.say(`write ${n}`)
      expect((await room.decide((await room.asked()).id, { status: 'rejected' })).status).toBe(200)
      const turn = await room.ended(n)
      expect(turn).toMatchObject({ state: 'cancelled', stopReason: 'denied', text: before })
      expect((await room.messages()).at(-1)).toBe(
        `coder: ${before && `${before}\n\n`}Its request was denied (write a.txt), and it ended its turn.`,
      )
    }
    expect(await room.tell('count')).toMatchObject({
      state: 'answered',
      text: 's1 was told 4',
      primer: null,
    })
  },
)

test('[CX16] an agent that says something about a denial has answered', async () => {
  const room = await openAgentOnServer(
    remembering(
      "if (words === 'write') { await asking(sessionId); speak('Then not.'); return end() }",
    ),
  )
  await room.say('write')
  await room.decide((await room.asked()).id, { status: 'rejected' })
  expect(await room.ended(1)).toMatchObject({
    state: 'answered',
    stopReason: 'end_turn',
    text: 'Then not.',
  })
})

test.each(['fail', 'nothing'])(
  '[CX7] errors of the vendor and empty ends (%s) are no sign that the context is useless',
  async (words) => {
    const room = await openAgentOnServer(remembering())
    for (const n of [1, 2, 3])
      expect(await room.tell(`${words} ${n}`)).toMatchObject({ state: 'failed' })
    expect(await room.tell('count')).toMatchObject({ text: 's1 was told 4', primer: null })
  },
)

test.each([
  ['an error', ''],
  ['nothing', "if (words.startsWith('break')) return end()"],
])(
  '[CX7] a session that answers %s and fails at a harmless request too is opened again, and the person is told',
  async (_, more) => {
    const room = await openAgentOnServer(
      remembering(
        `if (words.startsWith('break')) dead = true; ${more || 'if (dead) return send({ id, error: gone })'}`,
      ),
    )
    expect(await room.tell('hello')).toMatchObject({ text: 's1 was told 1' })
    const broken = await room.tell('break it')
    expect(broken.state).toBe('failed')
    const items = await room.ask(
      `/api/conversations/${encodeURIComponent(room.key)}/turns/${broken.id}`,
    )
    expect(JSON.stringify(items)).toContain('"contextBroken"')
    expect(await room.tell('count')).toMatchObject({
      state: 'answered',
      text: 's1 was told 3',
      primer: null,
    })
  },
)
