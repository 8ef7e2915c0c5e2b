/**
 * Turns that did not run, or whose end nobody knows (CX6, CX7): real processes, with a stand-in for
 * the server.
 */
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
  const acp = {
    workspace: null,
    loadAcpSessionId: null,
    lastOpenedAt: null,
    contextId: 'first',
    startWithinMs: 20_000,
    turnWithinMs: 60_000,
  }
  const launchId = server.order({
    protocol: 'acp',
    command: refusing.file,
    args: [...refusing.args],
    folder: null,
    acp,
  })
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

test('[CX6] a child of a killed agent that answers `cancelled` for it does not end the turn: what became of it is unknown', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const { args } = hostile({
    onPrompt:
      "say('working'); const parent = process.ppid; setInterval(() => { if (process.ppid !== parent) { done({ stopReason: 'cancelled' }); process.exit() } }, 5)",
  })
  const parent = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(args)}, { stdio: 'inherit' }); setInterval(() => {}, 60_000)`
  const acp = {
    workspace: null,
    loadAcpSessionId: null,
    lastOpenedAt: null,
    contextId: 'first',
    startWithinMs: 20_000,
    turnWithinMs: 60_000,
  }
  const launchId = server.order({
    protocol: 'acp',
    command: process.execPath,
    args: ['-e', parent],
    folder: null,
    acp,
  })
  await server.until(() => server.factsOf(launchId, 'agent-ready').length > 0)
  server.orderTurn(launchId, 't1', 'hello')
  await server.until(() => server.factsOf(launchId, 'turn-update').length > 0)
  const [{ pid }] = server.factsOf(launchId, 'process-started') as unknown as [{ pid: number }]
  process.kill(pid, 'SIGKILL')
  await server.until(() => server.factsOf(launchId, 'process-exited').length > 0)
  expect(server.factsOf(launchId, 'turn-ended')).toEqual([])
})
