/** What people chose in a chat, as the coordinator sets it (AG14). */
import { expect, test } from 'vitest'
import { main } from '../support/built-product.ts'
import { startCoordinator, startLinkServer } from '../support/coordinator.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('[AG14] what people chose in a chat is set before its prompt, once in each context, and told where it is refused', async () => {
  const server = await startLinkServer()
  startCoordinator(server, { program: [process.execPath, main] })
  await server.until(() => server.hellos.length > 0)
  const acp = {
    workspace: null,
    loadAcpSessionId: null,
    lastOpenedAt: null,
    contextId: 'c1',
    startWithinMs: 20_000,
    turnWithinMs: 60_000,
  }
  const env = { XDG_STATE_HOME: temporaryFolder() }
  const demo = {
    protocol: 'acp',
    command: 'holdfast',
    args: ['demo-acp'],
    env,
    folder: temporaryFolder(),
    acp,
  } as const
  const launchId = server.order(demo)
  await server.until(() => server.factsOf(launchId, 'agent-ready').length > 0)
  const change = { configureId: 'x1', change: { modeId: 'careful' } }
  const configured = () =>
    server
      .factsOf(launchId, 'agent-configured')
      .map((fact) => 'configureId' in fact && [fact.configureId, fact.contextId, fact.error])
  const ended = (turnId: string) =>
    server.until(() =>
      server.facts.some((fact) => fact.type === 'turn-ended' && fact.turnId === turnId),
    )
  const wrong = { configureId: 'x2', change: { modeId: 'none' } }
  server.orderTurn(launchId, 't1', 'hello', {
    context: { contextId: 'c1', open: null },
    configure: [change, wrong],
  })
  await ended('t1')
  expect(configured()).toEqual([
    ['x1', 'c1', null],
    ['x2', 'c1', expect.stringContaining('session/set_mode')],
  ])
  server.orderTurn(launchId, 't2', '[[write a.txt x]] hello', {
    context: { contextId: 'c1', open: null },
    configure: [change],
  })
  // In this mode the agent asks before it writes.
  await server.until(() =>
    server.facts.some((fact) => fact.type === 'permission-asked' && fact.turnId === 't2'),
  )
  expect(configured()).toHaveLength(2)
  server.cancelTurn(launchId, 't2')
  await ended('t2')
  const open = { acpSessionId: null, lastOpenedAt: null, primer: null, news: null }
  server.orderTurn(launchId, 't3', 'hello', { context: { contextId: 'c2', open } })
  await ended('t3')
  expect(server.factsOf(launchId, 'turn-began')[0]).toMatchObject({
    contextId: 'c2',
    modeId: 'default',
    images: true,
    options: [{}, { value: false }],
  })
})
