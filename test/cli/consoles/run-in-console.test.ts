/**
 * `holdfast run --console`: a prompt to a role of a console that is open already (CL1): a real
 * server and relay, a machine that the test plays.
 */
import { expect, test } from 'vitest'
import { runCommand } from '../../support/command-line.ts'
import { type Console, openConsole, said, turnEnded } from '../../support/relay.ts'

const holdfast = ({ server }: Console, argv: readonly string[]) =>
  runCommand(argv, { env: { HOLDFAST_URL: server.url, HOLDFAST_TOKEN: server.ownerToken } })

test('[CL1] run --console fills a role of an open console or speaks to its agent', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const { id } = (await room.server.ask('/api/user-sessions', { method: 'POST', body: {} })).json
  const first = holdfast(room, ['run', 'coder', 'Say one', '--console', id, '--role', 'auth'])
  const launchId = await machine.bringUp()
  const one = await machine.turn()
  await machine.tell(said(launchId, one.turnId, 'One.'), turnEnded(launchId, one.turnId))
  expect(await first).toMatchObject({ code: 0, stdout: 'One.\n' })
  const second = holdfast(room, [
    'run',
    'coder',
    'Say two',
    '--console',
    id.slice(-8),
    '--role',
    'auth',
  ])
  const two = await machine.turn()
  expect([two.launchId, two.content]).toEqual([launchId, [{ type: 'text', text: 'Say two' }]])
  await machine.tell(said(launchId, two.turnId, 'Two.'), turnEnded(launchId, two.turnId))
  expect(await second).toMatchObject({ code: 0, stdout: 'Two.\n' })
  const { items } = (await room.server.ask('/api/user-sessions')).json
  expect(items).toMatchObject([
    { id, state: 'ACTIVE', agents: [{ role: 'auth', state: 'ACTIVE', launchId }] },
  ])
})

test('[CL1] run --console waits for what others asked and prints only its own answer', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'of the page' })
  const theirs = await machine.turn()
  const outcome = holdfast(room, [
    'run',
    'coder',
    'of the script',
    '--console',
    inside.sessionId,
    '--role',
    'auth',
  ])
  await client.next('agent:queued')
  await machine.tell(
    said(launchId, theirs.turnId, 'For the page.'),
    turnEnded(launchId, theirs.turnId),
  )
  const ours = await machine.turn()
  expect(ours.content).toEqual([{ type: 'text', text: 'of the script' }])
  await machine.tell(
    said(launchId, ours.turnId, 'For the script.'),
    turnEnded(launchId, ours.turnId),
  )
  expect(await outcome).toMatchObject({ code: 0, stdout: 'For the script.\n' })
})

test('[CL1] run --console refuses another agent, a missing console and an ended one', async () => {
  const room = await openConsole()
  const { inside } = await room.ready()
  const run = (agent: string, id: string) =>
    holdfast(room, ['run', agent, 'hi', '--console', id, '--role', 'auth'])
  expect(await run('critic', inside.sessionId)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('held by coder'),
  })
  expect((await run('coder', 'nowhere')).code).not.toBe(0)
  const { id } = (await room.server.ask('/api/user-sessions', { method: 'POST', body: {} })).json
  await room.server.ask(`/api/user-sessions/${id}`, { method: 'DELETE' })
  expect(await run('coder', id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has ended'),
  })
})
