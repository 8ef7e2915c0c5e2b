/** A turn that an agent refused, ordered once more (CX7): a real process, with a stand-in for the server. */
import { expect, test } from 'vitest'
import { startCoordinator, startLinkServer } from '../support/coordinator.ts'
import { hostile } from '../support/hostile-agent.ts'

test('[CX7] a turn that the agent refused did not run, and runs in the same process when it is ordered again', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const refusing = hostile({
    atStart: 'let prompts = 0',
    onPrompt:
      "if (++prompts === 1) return send({ id, error: { code: -32002, message: 'Resource not found' } }); say(text); done()",
  })
  const acp = { workspace: null, loadAcpSessionId: null, lastOpenedAt: null, startWithinMs: 20_000, turnWithinMs: 60_000 }
  const launchId = server.order({ protocol: 'acp', command: refusing.file, args: [...refusing.args], folder: null, acp })
  const ends = () => server.factsOf(launchId, 'turn-ended')
  await server.until(() => server.factsOf(launchId, 'agent-ready').length > 0)
  for (const times of [1, 2]) {
    server.orderTurn(launchId, 't1', 'hello')
    await server.until(() => ends().length === times)
  }
  expect(ends()).toMatchObject([
    { outcome: 'failed', notRun: 'refused' },
    { outcome: 'answered', notRun: null },
  ])
})
