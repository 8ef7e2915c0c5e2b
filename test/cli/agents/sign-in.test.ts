/** `holdfast agents login` and `logout` with a scripted agent (AC9). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'
import { hostile } from '../../support/hostile-agent.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ways = [
  { id: 'key', name: 'API key', description: 'Takes the key' },
  { type: 'terminal', id: 'terminal', name: 'In a terminal', args: ['--', '--login'] },
  { type: 'terminal', id: 'broken', name: 'Broken', args: ['--', '--broken'] },
]

async function openWithAgent(authMethods: object[], agentCapabilities: object) {
  const notes = join(temporaryFolder(), 'notes')
  const { file, args } = hostile({
    onInitialize: `send({ id, result: { protocolVersion: 1, agentCapabilities: ${JSON.stringify(agentCapabilities)}, authMethods: ${JSON.stringify(authMethods)} } })`,
    atStart: `const note = (text) => require('node:fs').appendFileSync(${JSON.stringify(notes)}, text + '\\n')
      if (process.argv.includes('--broken')) process.exit(3)
      if (process.argv.includes('--login')) { note('in a terminal'); process.exit(0) }
      act.authenticate = ({ id, params }) => { note('by ' + params.methodId); send({ id, result: {} }) }
      act.logout = ({ id }) => { note('out'); send({ id, result: {} }) }
      process.stdin.on('end', () => note('gone'))`,
  })
  const { holdfast } = await openInstallation()
  await holdfast(['agents', 'add', 'mine', '--sandbox', 'off', '--', file, ...args])
  return { holdfast, noted: () => readFileSync(notes, 'utf8').trim().split('\n') }
}

test('[AC9] an agent is signed in by itself or in a terminal, and out again; nothing of it stays', async () => {
  const { holdfast, noted } = await openWithAgent(ways, { auth: { logout: {} } })
  const several = await holdfast(['agents', 'login', 'mine'])
  expect(several.code).not.toBe(0)
  expect(several.stderr).toMatch(/mine has several ways[\s\S]*--method key +API key: Takes the key[\s\S]*--method terminal/)
  expect((await holdfast(['agents', 'login', 'mine', '--method', 'other'])).stderr).toContain('has no way other')
  expect((await holdfast(['agents', 'login', 'mine', '--method', 'key', '--json'])).json()).toEqual({
    ...{ id: 'mine', method: 'key', signedIn: true },
  })
  expect((await holdfast(['agents', 'login', 'mine', '--method', 'terminal'])).stderr).toContain('--login')
  const broken = await holdfast(['agents', 'login', 'mine', '--method', 'broken'])
  expect([broken.code === 0, broken.stderr]).toEqual([false, expect.stringContaining('is not signed in')])
  expect((await holdfast(['agents', 'logout', 'mine', '--json'])).json()).toEqual({ id: 'mine', signedIn: false })
  const looked = 'gone'
  const [bySelf, inTerminal, failed, out] = [['by key', 'gone'], ['in a terminal'], [], ['out', 'gone']]
  expect(noted()).toEqual([looked, looked, looked, ...bySelf, looked, ...inTerminal, looked, ...failed, ...out])
})

test('[AC9] what an agent does not offer, or one that does not start, is said', async () => {
  const { holdfast } = await openWithAgent([], {})
  expect((await holdfast(['agents', 'login', 'mine'])).stderr).toContain('offers no way to sign in')
  expect((await holdfast(['agents', 'logout', 'mine'])).stderr).toContain('cannot be signed out from here')
  await holdfast(['agents', 'add', 'none', '--sandbox', 'off', '--', 'no-such-program-anywhere'])
  expect((await holdfast(['agents', 'login', 'none'])).stderr).toContain('ENOENT')
  await holdfast(['agents', 'add', 'puller', '--protocol', 'mcp'])
  expect((await holdfast(['agents', 'login', 'puller'])).stderr).toContain('is not prompted over ACP')
})
