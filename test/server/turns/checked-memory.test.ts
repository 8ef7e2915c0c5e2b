/**
 * What an agent knows after its process has gone is checked, not assumed (CX18): scripted agents as
 * real processes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { hostile } from '../../support/hostile-agent.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Goes after "bye"; writes down each way in which a session is asked for. */
const agent = (name: string, onLoad: string, notes: string) =>
  hostile({
    onInitialize: `send({ id, result: { protocolVersion: 1, agentInfo: { name: '${name}' }, agentCapabilities: { loadSession: true } } })`,
    onNew: "note('new'); send({ id, result: { sessionId: 's1' } })",
    atStart: `const note = (text) => require('node:fs').appendFileSync(${JSON.stringify(notes)}, text + '\\n')
      act['session/load'] = ({ id }) => { note('load'); ${onLoad}; send({ id, result: {} }) }`,
    onPrompt:
      "say('ok'); done(); if (params.prompt.at(-1).text === 'bye') setTimeout(() => process.exit(1), 20)",
  })

const replay =
  "update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'the word is plum' } })"

test.each([
  ['gemini-cli', replay, ['new', 'new'], /loses a session when it loads it/],
  ['another', '', ['new', 'load'], /loaded an empty session/],
])(
  '[CX18] %s is primed where its session is lost with a load or comes back empty, and the person is told',
  async (name, onLoad, ways, why) => {
    const notes = join(temporaryFolder(), 'notes')
    const room = await openAgentOnServer(agent(name, onLoad, notes))
    await room.tell('the word is plum')
    await room.tell('bye')
    await room.gone()
    const turn = await room.tell('which word?')
    expect(turn.primer).toContain('the word is plum')
    const { items } = await room.ask(
      `/api/conversations/${encodeURIComponent(room.key)}/turns/${turn.id}`,
    )
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'notice', title: expect.stringMatching(why) }),
    )
    expect(readFileSync(notes, 'utf8').trim().split('\n')).toEqual(ways)
  },
)

test('[CX18] an agent that replays what was said has kept it, and is told only what came since', async () => {
  const notes = join(temporaryFolder(), 'notes')
  const room = await openAgentOnServer(agent('another', replay, notes))
  await room.tell('the word is plum')
  await room.tell('bye')
  await room.gone()
  expect(await room.tell('which word?')).toMatchObject({ primer: null })
  expect(readFileSync(notes, 'utf8').trim().split('\n')).toEqual(['new', 'load'])
})
