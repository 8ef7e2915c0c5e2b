/**
 * How an earlier session is brought back (AC4): a resume, which replays nothing, before a load, and
 * a new one when both are refused.
 */
import { expect, test } from 'vitest'
import { AcpAgent } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'

const capabilities = { loadSession: true, sessionCapabilities: { resume: {}, list: {} } }
const noSession = "send({ id, error: { code: -32002, message: 'Resource not found' } })"

/** `refuses`: which of its ways it offers and refuses. It lists one session, `kept`. */
async function brought(refuses: readonly string[], acpSessionId: string, asked: readonly string[]) {
  const command = hostile({
    onInitialize: `send({ id, result: { protocolVersion: 1, agentCapabilities: ${JSON.stringify(capabilities)} } })`,
    atStart: `for (const way of ['session/resume', 'session/load'])
        act[way] = ({ id }) => { console.error(way); ${JSON.stringify(refuses)}.includes(way) ? ${noSession} : (say('what was said'), send({ id, result: {} })) }
      act['session/list'] = ({ id }) => { console.error('session/list'); send({ id, result: { sessions: [{ sessionId: 'kept' }] } }) }`,
  })
  const agent = new AcpAgent({ command })
  await agent.connection.initialize()
  const { how, notRestored } = await agent.reopen(acpSessionId)
  // What it wrote may come after what it answered.
  await expect.poll(() => agent.stderr.trim().split('\n')).toEqual(asked)
  return { how, notRestored }
}

test('[AC4] a session is resumed where that is offered, loaded where a resume is refused, and otherwise begun anew with the reason', async () => {
  const both = ['session/resume', 'session/load']
  expect(await brought([], 'kept', ['session/resume'])).toEqual({
    how: 'resumed',
    notRestored: null,
  })
  expect(await brought(['session/resume'], 'kept', both)).toEqual({
    how: 'loaded',
    notRestored: null,
  })
  const asked = [...both, 'session/list']
  expect(await brought(both, 'kept', asked)).toMatchObject({
    how: 'new',
    notRestored: expect.anything(),
  })
  expect(await brought(both, 'gone', asked)).toMatchObject({
    how: 'new',
    notRestored: { notice: { code: 'acpSessionGone' } },
  })
})
