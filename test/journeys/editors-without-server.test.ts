/** An editor that finds no server, and what to enter in editors (EC11). */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readRunFile } from '../../src/platform/files/run-file.ts'
import { initialize, startAcp } from '../support/acp-command.ts'
import { main } from '../support/built-product.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { storeOf } from '../support/store-of-journeys.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('[EC11] without a server one is started, which outlives the editor', async () => {
  const data = temporaryFolder()
  const env = { ...(await storeOf(data)), HOLDFAST_PORT: '0' }
  onTestFinished(async () => {
    const found = await readRunFile(data)
    if (found) process.kill(found.pid, 'SIGKILL')
    await endCoordinator(data)
  })
  const [one, two] = [startAcp({ data, env }), startAcp({ data, env })]
  const answers = await Promise.all([initialize(one), initialize(two)])
  expect(answers).toMatchObject([{ result: { protocolVersion: 1 } }, { result: {} }])
  expect(one.notes()).toContain(join(data, 'run', 'up.log'))
  expect(readFileSync(join(data, 'run', 'up.log'), 'utf8')).toContain('Holdfast is ready at')
  const found = await readRunFile(data)
  await Promise.all([one.kill(), two.kill()])
  const later = startAcp({ data, env })
  expect((await initialize(later)).result.protocolVersion).toBe(1)
  expect(later.notes()).toBe('')
  expect((await readRunFile(data))?.pid).toBe(found?.pid)
})

test('[EC11] the settings of an editor are printed, and nothing else', () => {
  const args = [main, 'acp', '--print', 'zed', '--agent', 'claude']
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status).toBe(0)
  expect(JSON.parse(stdout).agent_servers.Holdfast).toMatchObject({
    command: process.execPath,
    args: [main, 'acp', '--agent', 'claude'],
  })
})
