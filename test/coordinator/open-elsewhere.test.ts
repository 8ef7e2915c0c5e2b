/**
 * A session that another program has open goes on in a copy, or told in a new one (IM14): real
 * processes hold it, and scripted agents are asked.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isOpenElsewhere } from '../../src/coordinator/open-elsewhere.ts'
import { startCoordinator, startLinkServer } from '../support/coordinator.ts'
import { hostile } from '../support/hostile-agent.ts'
import { runScript } from '../support/script-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const id = '0199c0de-1111-4222-8333-444455556666'
const folderId = 'a-data-folder'
const onLinux = process.platform === 'linux'

async function holder(file: string, redirection: string, mark?: { folderId: string }) {
  writeFileSync(file, '')
  const held = await runScript(`exec 5${redirection}"$1"; echo open; exec sleep 600`, {
    args: [file],
    ...(mark && { mark: { launchId: 'l1', ...mark } }),
  })
  onTestFinished(() => held.kill())
  return held
}

test('[IM14] a file is open elsewhere if another process writes it, not if ours does', async () => {
  const home = temporaryFolder()
  const isOpen = () =>
    isOpenElsewhere(id, { env: { HOME: home }, folderId, particulars: { env: {} } })
  const file = join(home, `rollout-${id}.jsonl`)
  await holder(file, '<')
  await holder(file, '>>', { folderId })
  expect(await isOpen()).toBe(false)
  await holder(file, '>>')
  expect(await isOpen()).toBe(onLinux)
})

test('[IM14] Claude Code says which process has a session; a killed one has none', async () => {
  const config = temporaryFolder()
  mkdirSync(join(config, 'sessions'))
  const { pid, birth } = await runScript('echo here; exec sleep 600')
  const say = (procStart: string) =>
    writeFileSync(
      join(config, 'sessions', `${pid}.json`),
      JSON.stringify({ pid, sessionId: id, procStart }),
    )
  const isOpen = () =>
    isOpenElsewhere(id, { env: {}, folderId, particulars: { env: { CLAUDE_CONFIG_DIR: config } } })
  say('1')
  expect(await isOpen()).toBe(false)
  say(birth)
  expect(await isOpen()).toBe(true)
})

const agentThat = (canFork: boolean) => {
  const can = { sessionCapabilities: { resume: {}, ...(canFork && { fork: {} }) } }
  const answer = JSON.stringify({ protocolVersion: 1, agentCapabilities: can })
  const { file, args } = hostile({
    onInitialize: `send({ id, result: ${answer} })`,
    atStart: `act['session/resume'] = ({ id }) => send({ id, result: {} })
      act['session/fork'] = ({ id }) => send({ id, result: { sessionId: 'copy' } })`,
  })
  return { protocol: 'acp', command: file, args: [...args] } as const
}

test('[IM14] its agent goes on in a fork of it, or anew where it has none, and the turn says which', async () => {
  const config = temporaryFolder()
  mkdirSync(join(config, 'sessions'))
  const { pid, birth } = await runScript('echo here; exec sleep 600')
  const held = { pid, sessionId: id, procStart: birth }
  writeFileSync(join(config, 'sessions', `${pid}.json`), JSON.stringify(held))
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const folder = temporaryFolder()
  for (const [canFork, how, acpSessionId, code] of [
    [true, 'resumed', 'copy', 'copyOfOpenElsewhere'],
    [false, 'new', 's1', 'openElsewhere'],
  ] as const) {
    const acp = {
      workspace: null,
      loadAcpSessionId: id,
      lastOpenedAt: null,
      contextId: 'first',
      startWithinMs: 20_000,
      turnWithinMs: 60_000,
    }
    const launchId = server.order({
      ...agentThat(canFork),
      env: { CLAUDE_CONFIG_DIR: config },
      folder,
      acp,
    })
    await server.until(() => server.factsOf(launchId, 'agent-ready').length > 0)
    expect(server.factsOf(launchId, 'agent-ready')).toMatchObject([{ how, acpSessionId }])
    const turnId = `t-${how}`
    server.orderTurn(launchId, turnId, 'go on')
    await server.until(() => server.factsOf(launchId, 'turn-ended').length > 0)
    expect(server.factsOf(launchId, 'turn-update')).toContainEqual(
      expect.objectContaining({
        turnId,
        update: expect.objectContaining({
          kind: 'notice',
          notice: expect.objectContaining({ code }),
        }),
      }),
    )
  }
})
