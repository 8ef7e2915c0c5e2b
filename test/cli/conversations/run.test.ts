/**
 * `holdfast run` begins a session (CL8): a real server, a machine that the test plays.
 */
import { expect, test } from 'vitest'
import { exited } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { openCuttableProxy } from '../../support/bearer-proxy.ts'
import { runCommand } from '../../support/command-line.ts'
import { asks, said, turnEnded } from '../../support/relay.ts'
import { sitDown as sitDownWith } from '../../support/typed-terminal.ts'

async function openRoom() {
  const chat = await openAcpChat()
  const { server, machine } = chat
  const env = { HOLDFAST_URL: server.url, HOLDFAST_TOKEN: server.ownerToken }
  const holdfast = (...argv: string[]) => runCommand(argv, { env })
  const sitDown = (...argv: string[]) => sitDownWith(argv, env)
  const begin = async () => {
    await machine.bringUp()
    return machine.turn()
  }
  const listed = async () => (await server.ask('/api/conversations')).json.items
  return { ...chat, holdfast, sitDown, begin, listed }
}

test('[CL8] run begins a session, prints only what its agent says, and the session stays', async () => {
  const { holdfast, begin, machine, listed, server } = await openRoom()
  const outcome = holdfast('run', 'coder', 'Say hello')
  const { launchId, turnId, content } = await begin()
  expect(JSON.stringify(content)).toContain('Say hello')
  await machine.tell(said(launchId, turnId, 'Hello '), said(launchId, turnId, 'there.'))
  await machine.tell(turnEnded(launchId, turnId))
  const { code, stdout, stderr } = await outcome
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello there.\n' })
  const [found] = await listed()
  expect(found).toMatchObject({ kind: 'session', agentId: 'coder', title: 'Say hello' })
  expect(stderr).toContain(`holdfast sessions show ${found.key}`)
  expect((await server.ask('/api/user-sessions')).json.items).toEqual([])
})

test.each([
  ['--allow', 'allowed'],
  ['--json', 'denied'],
] as const)(
  '[CL8] what its agent asks is answered (%s: %s), without a person',
  async (flag, how) => {
    const { holdfast, begin, machine } = await openRoom()
    const outcome = holdfast('run', 'coder', 'go', flag)
    const { launchId, turnId } = await begin()
    await machine.tell(asks(launchId, turnId, 'ask 1'))
    const settled = await machine.order('permission-settled')
    expect(settled.optionId).toBe(how === 'allowed' ? 'yes' : 'no')
    await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
    const { code, stdout } = await outcome
    expect(code).toBe(0)
    if (flag === '--json')
      expect(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).type),
      ).toContain('permission:resolved')
  },
)

test('[CL8] Ctrl-C stops the turn and ends with 130', async () => {
  const { sitDown, begin, machine, listed } = await openRoom()
  const person = sitDown('run', 'coder', 'go')
  const { launchId, turnId } = await begin()
  await machine.tell(said(launchId, turnId, 'Working'))
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  await person.sees('3 Deny', 'stderr')
  person.press('\u0003')
  await machine.order('cancel-ordered')
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  expect(await person.exit).toBe(130)
  expect(await listed()).toHaveLength(1)
})

test('[CL8] a turn that ends while the connection is lost is told from the record', async () => {
  const { server, begin, machine } = await openRoom()
  const proxy = await openCuttableProxy(server.url, server.ownerToken)
  const env = { HOLDFAST_URL: proxy.url, HOLDFAST_TOKEN: server.ownerToken }
  const person = sitDownWith(['run', 'coder', 'go'], env)
  const { launchId, turnId } = await begin()
  await machine.tell(said(launchId, turnId, 'Hello '))
  await person.sees('Hello ')
  proxy.cut()
  await machine.tell(said(launchId, turnId, 'there.'))
  await machine.tell(turnEnded(launchId, turnId))
  proxy.mend()
  expect(await person.exit).toBe(0)
  // The words that the connection is lost have ended the line.
  expect(person.written.stdout).toBe('Hello \nthere.\n')
})

test('[CL8] a turn that fails ends with 1 in words; an agent that cannot be started, too', async () => {
  const { holdfast, begin, machine } = await openRoom()
  const outcome = holdfast('run', 'coder', 'go')
  const { launchId, turnId } = await begin()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: 'It broke' }))
  expect(await outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('It broke') })
  await machine.tell(exited(launchId, { exitCode: 0 }))
  expect(await holdfast('run', 'coder')).toMatchObject({ code: 2, stdout: '' })
  expect((await holdfast('run', 'nobody', 'go')).code).not.toBe(0)
})
