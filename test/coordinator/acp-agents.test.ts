/**
 * ACP agents, as the coordinator runs them: real processes and real worktrees, with a stand-in for
 * the server.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AcpAgents } from '../../src/coordinator/acp-agents.ts'
import { Gateway } from '../../src/coordinator/gateway/gateway.ts'
import { endOrphans, ProcessTable } from '../../src/coordinator/process-tree.ts'
import type { NewFact } from '../../src/coordinator/spool.ts'
import { Supervisor } from '../../src/coordinator/supervisor.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import type { LaunchParticulars, LinkFact } from '../../src/protocol/processes/link.ts'
import type { AcpParticulars } from '../../src/protocol/turns/link.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import { main } from '../support/built-product.ts'
import { startCoordinator, startLinkServer, type TestCoordinator } from '../support/coordinator.ts'
import { makeRepository } from '../support/git-repository.ts'
import { hostile } from '../support/hostile-agent.ts'
import { particularsOf } from '../support/launch-particulars.ts'
import type { LinkServer } from '../support/link-server.ts'
import { isRunning, machine } from '../support/script-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const acp = (changes: Partial<AcpParticulars> = {}): AcpParticulars => ({
  workspace: { userSessionShort: '1c55ab10', role: 'auth', path: null, setUp: null },
  loadAcpSessionId: null,
  lastOpenedAt: null,
  contextId: 'first',
  startWithinMs: 20_000,
  turnWithinMs: 60_000,
  ...changes,
})
const state = temporaryFolder()
type Launched = Partial<LaunchParticulars>
const demo = (changes: Partial<AcpParticulars> = {}, folder: string | null = null): Launched => ({
  protocol: 'acp',
  command: 'holdfast',
  args: ['demo-acp'],
  env: { XDG_STATE_HOME: state },
  folder,
  acp: acp(changes),
})

interface Scene extends TestCoordinator {
  readonly server: LinkServer
  has<Type extends LinkFact['type']>(
    launchId: string,
    type: Type,
  ): Promise<Extract<LinkFact, { type: Type }>>
  textOf(turnId: string): string
}

async function begin(): Promise<Scene> {
  const server = await startLinkServer()
  const started = startCoordinator(server, { program: [process.execPath, main] })
  await server.until(() => server.hellos.length > 0)
  return {
    ...started,
    server,
    async has(launchId, type) {
      await server.until(() => server.factsOf(launchId, type).length > 0)
      return server.factsOf(launchId, type).at(-1) as Extract<LinkFact, { type: typeof type }>
    },
    textOf: (turnId) =>
      server.facts
        .map((fact) =>
          fact.type === 'turn-update' && fact.turnId === turnId && fact.update.kind === 'text'
            ? fact.update.text
            : '',
        )
        .join(''),
  }
}

test('[AG2] an agent in a role gets its worktree, is greeted and is ready; a turn is run, told in pieces and ended', async () => {
  const { server, has, textOf, folder } = await begin()
  const project = makeRepository()
  const launchId = server.order({ ...demo({}, project.folder), projectId: 'proj_1' })
  const ready = await has(launchId, 'agent-ready')
  expect(ready).toMatchObject({
    how: 'new',
    notRestored: null,
    workspace: join(folder, 'worktrees/proj_1/1c55ab10/auth'),
    branch: 'holdfast/1c55ab10/auth',
    note: null,
    agentName: 'holdfast-demo',
    modeId: 'default',
    images: true,
  })
  server.orderTurn(launchId, 't1', '[[write made.txt by the agent]] done')
  expect(await has(launchId, 'turn-ended')).toMatchObject({
    turnId: 't1',
    outcome: 'answered',
    stopReason: 'end_turn',
    error: null,
  })
  expect(textOf('t1')).toBe('wrote made.txt\necho: done')
  expect(readFileSync(join(ready.workspace, 'made.txt'), 'utf8')).toBe('by the agent')
  expect(project.git('status', '--porcelain')).toBe('')
  const usage = server.facts.find(
    (fact) => fact.type === 'turn-update' && fact.update.kind === 'usage',
  )
  expect(usage).toMatchObject({ turnId: null })
  server.stop(launchId)
  expect(await has(launchId, 'process-exited')).toMatchObject({ stopped: true })
  expect(server.factsOf(launchId, 'agent-failed')).toEqual([])
})

test('[SP4] what an agent says of itself while it starts does not hold up the news that it is ready', async () => {
  const { server, has } = await begin()
  const messages: string[][] = []
  server.refuse = (facts) =>
    void messages.push(
      facts.map((fact) => (fact.type === 'turn-update' ? fact.update.kind : fact.type)),
    )
  await has(server.order(demo()), 'agent-ready')
  expect(messages.at(-1)).toEqual(['commands', 'agent-ready'])
})

test('[WT4] without a repository it works in a plain folder, and says why', async () => {
  const { server, has } = await begin()
  const launchId = server.order(demo({}, temporaryFolder()))
  expect(await has(launchId, 'agent-ready')).toMatchObject({
    branch: null,
    note: expect.stringContaining('not a git repository'),
  })
})

test('[WT4] a project whose folder is gone fails at the step workspace, in a role and in a chat, and nothing is made', async () => {
  const { server, has } = await begin()
  const gone = join(temporaryFolder(), 'gone')
  for (const changes of [{}, { workspace: null }]) {
    const launchId = server.order(demo(changes, gone))
    expect(await has(launchId, 'agent-failed')).toMatchObject({
      step: 'workspace',
      error: expect.stringContaining(`${gone} is not on`),
    })
    expect(await has(launchId, 'start-failed')).toMatchObject({
      error: expect.stringContaining('Bring it back'),
    })
    expect(server.factsOf(launchId, 'workspace-made')).toEqual([])
  }
  expect(existsSync(gone)).toBe(false)
})

test('[AP4] a permission is asked once, answered by what was settled, and withdrawn with its turn', async () => {
  const { server, has, textOf } = await begin()
  const launchId = server.order(demo())
  await has(launchId, 'agent-ready')
  for (const [turnId, optionId, answer] of [
    ['t1', 'yes', 'allowed'],
    ['t2', null, 'refused'],
  ] as const) {
    server.orderTurn(launchId, turnId, '[[ask]]')
    await server.until(() =>
      server.facts.some((fact) => fact.type === 'permission-asked' && fact.turnId === turnId),
    )
    const asked = server.facts.find(
      (fact) => fact.type === 'permission-asked' && fact.turnId === turnId,
    )
    if (asked?.type !== 'permission-asked') throw new Error('not asked')
    expect(asked.request.digest).toMatch(/^[0-9a-f]{64}$/)
    server.settle({ launchId, askId: asked.askId, optionId })
    await server.until(() =>
      server.facts.some((fact) => fact.type === 'turn-ended' && fact.turnId === turnId),
    )
    expect(textOf(turnId)).toBe(answer)
  }
  server.orderTurn(launchId, 't3', '[[ask]]')
  await server.until(() =>
    server.facts.some((fact) => fact.type === 'permission-asked' && fact.turnId === 't3'),
  )
  server.cancelTurn(launchId, 't3')
  await has(launchId, 'permission-withdrawn')
  await server.until(() =>
    server.facts.some((fact) => fact.type === 'turn-ended' && fact.turnId === 't3'),
  )
  expect(server.facts.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'cancelled' })
})

test('[RL6] the same order twice is one turn, and one that is cancelled before it was heard of is not run', async () => {
  const { server, has, textOf } = await begin()
  const launchId = server.order(demo())
  await has(launchId, 'agent-ready')
  server.cancelTurn(launchId, 't0')
  server.orderTurn(launchId, 't0', 'never')
  server.orderTurn(launchId, 't1', 'hello')
  server.orderTurn(launchId, 't1', 'hello')
  await server.until(() => server.factsOf(launchId, 'turn-ended').length === 2)
  server.orderTurn(launchId, 't1', 'hello')
  server.orderTurn(launchId, 't2', 'bye')
  await server.until(() => server.factsOf(launchId, 'turn-ended').length === 3)
  expect([textOf('t0'), textOf('t1'), textOf('t2')]).toEqual(['', 'echo: hello', 'echo: bye'])
})

test('[CO1] a server that goes and comes back misses nothing: the turn goes on, what was ordered meanwhile is fetched', async () => {
  const { server, has, textOf } = await begin()
  const launchId = server.order(demo())
  await has(launchId, 'agent-ready')
  server.orderTurn(launchId, 't1', '[[slow 20 20]]')
  await server.until(() => textOf('t1') !== '')
  await server.vanish()
  await server.start()
  await server.until(() =>
    server.facts.some((fact) => fact.type === 'turn-ended' && fact.turnId === 't1'),
  )
  expect(textOf('t1')).toBe(Array.from({ length: 20 }, (_, n) => `piece ${n + 1}`).join(' '))
  await server.vanish()
  server.orderTurn(launchId, 't2', 'while you were away')
  await server.start()
  await server.until(() =>
    server.facts.some((fact) => fact.type === 'turn-ended' && fact.turnId === 't2'),
  )
  expect(textOf('t2')).toBe('echo: while you were away')
})

test('[CO1] a turn that could not be fetched after a reconnect is asked for again on the same connection', async () => {
  const { server, has, textOf } = await begin()
  const launchId = server.order(demo())
  await has(launchId, 'agent-ready')
  await server.vanish()
  server.orderTurn(launchId, 't1', 'in spite of it')
  server.refusedTurns = 1
  await server.start()
  await server.until(() =>
    server.facts.some((fact) => fact.type === 'turn-ended' && fact.turnId === 't1'),
  )
  expect([textOf('t1'), server.refusedTurns]).toEqual(['echo: in spite of it', 0])
})

test('[NA10] a turn that takes longer than it may is over, and says so: nobody has cancelled it', async () => {
  const { server, has, textOf } = await begin()
  const launchId = server.order(demo({ turnWithinMs: 300 }))
  await has(launchId, 'agent-ready')
  server.orderTurn(launchId, 't1', '[[say so far]][[hang]]')
  expect(await has(launchId, 'turn-ended')).toMatchObject({
    outcome: 'failed',
    error: expect.stringContaining('exceeded its limit'),
  })
  expect(textOf('t1')).toBe('so far')
})

test('[AG4] [CX2] a crash in a turn is told with its last words, its exit, and no end of the turn; a load brings it back, in the folder it was in', async () => {
  const { server, has, textOf } = await begin()
  const folder = temporaryFolder()
  const first = server.order(demo({}, folder))
  const { acpSessionId } = await has(first, 'agent-ready')
  server.orderTurn(first, 't1', 'remember me')
  await has(first, 'turn-ended')
  server.orderTurn(first, 't2', '[[say first]][[say last words]][[crash]]')
  expect(await has(first, 'process-exited')).toMatchObject({ exitCode: 1, stopped: false })
  expect(textOf('t2')).toBe('first\nlast words')
  expect(server.factsOf(first, 'turn-ended').length).toBe(1)
  const earlier = { loadAcpSessionId: acpSessionId, lastOpenedAt: '2026-01-01T00:00:00.000Z' }
  const second = server.order(demo(earlier, folder))
  expect(await has(second, 'agent-ready')).toMatchObject({ how: 'loaded', acpSessionId })
  expect(
    server
      .factsOf(second, 'turn-update')
      .filter((fact) => fact.type === 'turn-update' && fact.update.kind === 'text'),
  ).toEqual([])
  // A folder of its own is another one each time.
  expect(await has(server.order(demo(earlier)), 'agent-ready')).toMatchObject({
    how: 'new',
    notRestored: expect.stringContaining('no longer exists'),
  })
})

const acpAgent = (
  misbehaviour: Parameters<typeof hostile>[0],
  changes: Partial<AcpParticulars> = {},
): Partial<LaunchParticulars> => {
  const { file, args } = hostile(misbehaviour)
  return { protocol: 'acp', command: file, args: [...args], acp: acp(changes) }
}

test('[AG2] whatever fails is told with its step, and nothing of it is left', async () => {
  const { server, has } = await begin()
  const cases: [string, Partial<LaunchParticulars>, RegExp][] = [
    [
      'workspace',
      demo({
        workspace: { userSessionShort: '1c55ab10', role: 'x', path: '../../out', setUp: null },
      }),
      /upwards/,
    ],
    ['process', { ...demo(), command: 'no-such-agent' }, /no program no-such-agent/],
    [
      'initialize',
      acpAgent({ onInitialize: 'process.exit(3)' }),
      /ended before it answered initialize/,
    ],
    [
      'initialize',
      acpAgent({ onInitialize: '' }, { startWithinMs: 500 }),
      /not ready within 0.5 s/,
    ],
    [
      'session',
      acpAgent({
        onNew: "send({ id, error: { code: -32000, message: 'Authentication required' } })",
      }),
      /Authentication required/,
    ],
    // Long enough for it to come that far on a busy machine.
    ['session', acpAgent({ onNew: '' }, { startWithinMs: 2500 }), /not ready within 2.5 s/],
  ]
  for (const [step, particulars, words] of cases) {
    const launchId = server.order(particulars)
    expect(await has(launchId, 'agent-failed')).toMatchObject({
      step,
      error: expect.stringMatching(words),
    })
    await server.until(() =>
      server
        .factsOf(launchId)
        .some(({ type }) => type === 'process-exited' || type === 'start-failed'),
    )
    const [started] = server.factsOf(launchId, 'process-started')
    if (started?.type === 'process-started') expect(isRunning(started.pid)).toBe(false)
    expect(server.factsOf(launchId, 'agent-failed').length).toBe(1)
  }
})

test('[AG2] an agent that goes while it starts: its code, and all that it wrote, are there when its failure is told', async () => {
  const { server, has } = await begin()
  const dies = "process.stderr.write('no key in the environment\\n', () => process.exit(3))"
  const launchId = server.order(acpAgent({ onInitialize: dies }))
  expect(await has(launchId, 'agent-failed')).toMatchObject({
    step: 'initialize',
    exitCode: 3,
    signal: null,
  })
  const received = server
    .factsOf(launchId)
    .map((fact) => (fact.type === 'process-output' ? fact.text.trim() : fact.type))
  expect(received.slice(1, 4)).toEqual([
    'process-started',
    'no key in the environment',
    'agent-failed',
  ])
})

test('[AG3] an agent that is stopped while it is being started ends, without having failed', async () => {
  const { server, has } = await begin()
  const launchId = server.order(acpAgent({ onInitialize: '' }))
  await has(launchId, 'process-started')
  server.stop(launchId)
  expect(await has(launchId, 'process-exited')).toMatchObject({ stopped: true })
  expect(server.factsOf(launchId, 'agent-failed')).toEqual([])
})

test('[AC3] an agent that closes its output and stays is ended: nothing more can come of it', async () => {
  const { server, has } = await begin()
  const launchId = server.order(
    acpAgent({ onPrompt: "require('node:fs').closeSync(1); setInterval(() => {}, 1000)" }),
  )
  const { pid } = await has(launchId, 'process-started')
  await has(launchId, 'agent-ready')
  server.orderTurn(launchId, 't1', 'go')
  await has(launchId, 'process-exited')
  expect(isRunning(pid)).toBe(false)
})

test('[AC2] our own tools are passed in, with the launch token as their bearer, and the token is in no fact', async () => {
  const { server, has } = await begin()
  const launchId = server.order(
    acpAgent({
      onInitialize:
        'send({ id, result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } } })',
      onNew: "globalThis.tools = params.mcpServers; send({ id, result: { sessionId: 's1' } })",
      onPrompt: 'say(JSON.stringify(tools)); process.stderr.write(JSON.stringify(tools)); done()',
    }),
  )
  await has(launchId, 'agent-ready')
  server.orderTurn(launchId, 't1', 'show')
  await has(launchId, 'turn-ended')
  const said = JSON.stringify(server.facts)
  expect(said).toContain(`${server.url}/mcp`)
  expect(said).toContain('Bearer [masked]')
  expect(said).not.toContain(server.particulars.get(launchId)?.launchToken)
})

test('[RE9] an agent that floods is ended with the reason, an agent beside it is not disturbed', async () => {
  const { server, has, textOf } = await begin()
  const [calm, wild] = [
    server.order(demo()),
    server.order(
      acpAgent({
        onPrompt:
          "const piece = 'y\\n'.repeat(500000); const pour = () => { while (raw(piece)); process.stdout.once('drain', pour) }; pour()",
      }),
    ),
  ]
  await has(calm, 'agent-ready')
  await has(wild, 'agent-ready')
  server.orderTurn(wild, 'w1', 'go')
  server.orderTurn(calm, 'c1', '[[slow 50 20]]')
  await server.until(() => server.factsOf(wild, 'process-exited').length > 0)
  const output = server
    .factsOf(wild, 'process-output')
    .map((fact) => (fact.type === 'process-output' ? fact.text : ''))
  expect(output.join('')).toContain('too much output')
  await server.until(() => server.factsOf(calm, 'turn-ended').length > 0)
  expect(textOf('c1')).toContain('piece 50')
})

test('[WT2] a terminated agent leaves its worktree as it is', async () => {
  const { server, has } = await begin()
  const launchId = server.order(demo({}, makeRepository().folder))
  const { workspace } = await has(launchId, 'agent-ready')
  server.orderTurn(launchId, 't1', '[[write kept.txt x]]')
  await has(launchId, 'turn-ended')
  server.stop(launchId)
  await has(launchId, 'process-exited')
  expect(existsSync(join(workspace, 'kept.txt'))).toBe(true)
})

test('[SE7] a secret that a set-up prints is not seen where its words are cut, either', async () => {
  const { server, has } = await begin()
  const secret = 'q7'.repeat(100)
  // The last words begin in the middle of it, behind what says that it is one.
  const command = ['/bin/sh', '-c', `echo 'API_TOKEN=${secret} ${'x'.repeat(1900)}'; exit 3`]
  const place = {
    userSessionShort: '1c55ab10',
    role: 'auth',
    path: null,
    setUp: { copy: [], command },
  }
  const launchId = server.order(demo({ workspace: place }, makeRepository().folder))
  expect(await has(launchId, 'agent-failed')).toMatchObject({
    step: 'workspace',
    error: expect.stringContaining('xxx'),
  })
  await has(launchId, 'start-failed')
  expect(JSON.stringify(server.factsOf(launchId))).not.toContain('q7q7')
})

test('[CO5] a set-up that a dead coordinator would leave behind is found by the next, and ended', async () => {
  const { server, has, folderId } = await begin()
  const setUp = { copy: [], command: ['/bin/sh', '-c', 'echo $$; exec sleep 600'] }
  const place = { userSessionShort: '1c55ab10', role: 'auth', path: null, setUp }
  const launchId = server.order(demo({ workspace: place }, makeRepository().folder))
  const { text } = await has(launchId, 'process-output')
  expect(await endOrphans(new ProcessTable(machine), folderId, nowhere)).toEqual(
    new Set([launchId]),
  )
  expect(isRunning(Number(text))).toBe(false)
  expect(await has(launchId, 'agent-failed')).toMatchObject({
    step: 'workspace',
    error: expect.stringContaining('by a signal'),
  })
})

test('[AG3] stopped while what speaks to it is being loaded, it gets neither a place nor a set-up', async () => {
  const [folder, folderId] = [temporaryFolder(), 'nobody']
  const launch = particularsOf(demo({}, makeRepository().folder))
  const received: string[] = []
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const report = (fact: NewFact): void => {
    received.push(fact.type)
    if (fact.type === 'process-exited') resolve()
  }
  // Asked for when it is loaded, and before anybody has it.
  const serverUrl = (): string => {
    supervisor.stop(launch.launchId)
    return 'http://127.0.0.1:1'
  }
  const parts = {
    program: [process.execPath, main] as const,
    env: process.env,
    clock: systemClock,
    report,
    serverUrl,
  }
  const worktreesFolder = join(folder, 'worktrees')
  const asks = { fetchTurn: async () => undefined, fetchCredential: async () => null }
  const acpAgents = new AcpAgents({ ...parts, ...asks, version: '0', worktreesFolder, folderId })
  const supervisor = new Supervisor({
    ...parts,
    acpAgents,
    gateway: new Gateway({ env: {}, report }),
    folderId,
    launchesFolder: join(folder, 'launches'),
    table: new ProcessTable(machine),
    logger: nowhere,
    orphans: Promise.resolve(new Set<string>()),
  })
  supervisor.begin(launch)
  await over
  expect(received).toEqual(['process-exited'])
  expect(existsSync(worktreesFolder)).toBe(false)
})
