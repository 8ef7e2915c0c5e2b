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
]

async function openWithAgent(authMethods: object[], agentCapabilities: object) {
  const notes = join(temporaryFolder(), 'notes')
  const { file, args } = hostile({
    onInitialize: `send({ id, result: { protocolVersion: 1, agentCapabilities: ${JSON.stringify(agentCapabilities)}, authMethods: ${JSON.stringify(authMethods)} } })`,
    atStart: `const note = (text) => require('node:fs').appendFileSync(${JSON.stringify(notes)}, text + '\\n')
      if (process.argv.includes('--login')) { note('in a terminal'); process.exit(0) }
      act.authenticate = ({ id, params }) => { note('by ' + params.methodId); send({ id, result: {} }) }
      act.logout = ({ id }) => { note('out'); send({ id, result: {} }) }
      process.stdin.on('end', () => note('gone'))`,
  })
  const { holdfast } = await openInstallation()
  await holdfast(['agents', 'add', 'mine', '--sandbox', 'off', '--', file, ...args])
  return { holdfast, noted: () => readFileSync(notes, 'utf8').trim().split('\n') }
}

test('[AC9] an agent is signed in and out by itself, and a terminal command is named', async () => {
  const { holdfast, noted } = await openWithAgent(ways, { auth: { logout: {} } })
  const several = await holdfast(['agents', 'login', 'mine'])
  expect(several.code).not.toBe(0)
  expect(several.stderr).toMatch(
    /mine has several ways[\s\S]*--method key +API key: Takes the key[\s\S]*--method terminal/,
  )
  expect((await holdfast(['agents', 'login', 'mine', '--method', 'other'])).stderr).toContain(
    'has no way other',
  )
  expect((await holdfast(['agents', 'login', 'mine', '--method', 'key', '--json'])).json()).toEqual(
    {
      id: 'mine',
      method: 'key',
      signedIn: true,
    },
  )
  // Named, and not run: the agent wrote it.
  const terminal = await holdfast(['agents', 'login', 'mine', '--method', 'terminal'])
  expect([terminal.code === 0, terminal.stderr]).toEqual([
    false,
    expect.stringMatching(/at a terminal[\s\S]*Run: .*--login/),
  ])
  expect((await holdfast(['agents', 'logout', 'mine', '--json'])).json()).toEqual({
    id: 'mine',
    signedIn: false,
  })
  const looked = 'gone'
  expect(noted()).toEqual([looked, looked, looked, 'by key', 'gone', looked, 'out', 'gone'])
})

test('[AC9] what an agent does not offer, or one that does not start, is said', async () => {
  const { holdfast } = await openWithAgent([], {})
  expect((await holdfast(['agents', 'login', 'mine'])).stderr).toContain('offers no way to sign in')
  expect((await holdfast(['agents', 'logout', 'mine'])).stderr).toContain(
    'cannot be signed out from here',
  )
  await holdfast(['agents', 'add', 'none', '--sandbox', 'off', '--', 'no-such-program-anywhere'])
  expect((await holdfast(['agents', 'login', 'none'])).stderr).toContain('ENOENT')
  await holdfast(['agents', 'add', 'puller', '--protocol', 'mcp'])
  expect((await holdfast(['agents', 'login', 'puller'])).stderr).toContain(
    'is not prompted over ACP',
  )
})
