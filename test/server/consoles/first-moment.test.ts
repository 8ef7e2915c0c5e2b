/**
 * An agent asked for in the first moment of a server, before its own coordinator is there (AG2).
 */
import { expect, test } from 'vitest'
import { createToken } from '../../../src/services/access/change-access.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { openConsole, pass, playMachine } from '../../support/relay.ts'

test('[AG2] where a coordinator is expected, a spawn waits for it; where none comes within 5 s, it fails and says so', async () => {
  const room = await openConsole({ expectsCoordinator: true })
  const client = await room.client()
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'early' })
  const machine = await room.machine()
  await machine.bringUp()
  expect(await client.next('agent:ready')).toMatchObject({ role: 'early' })
  await machine.tell({ type: 'goodbye' })
  await client.next('agent:asleep')
  client.send({ type: 'agent:spawn', ...inside, role: 'lonely' })
  let isAnswered = false
  const answers = ['agent:failed', 'agent:ready', 'error']
  const answer = client.inbox
    .next(({ type }) => answers.includes(type))
    .finally(() => {
      isAnswered = true
    })
  while (!isAnswered) await pass(room, 1000, client)
  const error = expect.stringContaining('No coordinator')
  expect(await answer).toMatchObject({
    type: 'agent:failed',
    role: 'lonely',
    step: 'process',
    error,
  })
})

test('[AG2] a server that has no coordinator of its own says at once that there is none', async () => {
  const room = await openConsole()
  const client = await room.client()
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'lonely' })
  expect(await client.next('agent:failed')).toMatchObject({ role: 'lonely', step: 'process' })
})

test('[RS2] a role whose worktree is on a machine that is away is not begun anew on another', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready('auth')
  const tree = {
    kind: 'worktree',
    folder: '/w/auth',
    top: '/w/auth',
    branch: 'holdfast/1/auth',
    baseBranch: 'main',
  } as const
  await machine.tell(
    { type: 'workspace-made', launchId, ...tree, note: null, setUp: null },
    exited(launchId),
    {
      type: 'goodbye',
    },
  )
  await client.next('agent:failed')
  const { server } = room
  const { token, id } = await server.store.run(createToken, {
    name: 'desktop',
    kind: 'coordinator',
    by: ownerWho,
  })
  const other = await playMachine(server, id, token, 'second', 'desktop')
  client.send({ type: 'agent:spawn', ...inside, role: 'auth' })
  expect(await client.next('agent:failed')).toMatchObject({
    error: 'Its worktree is on the machine laptop, which is not connected',
  })
  client.send({ type: 'agent:spawn', ...inside, role: 'other' })
  expect(await other.order('launch-begun')).toMatchObject({ agentId: 'coder' })
})
