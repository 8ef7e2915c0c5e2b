/**
 * Agents in roles over a planned stop of Holdfast (AG16): they sleep in their roles, and the next
 * message wakes them.
 */
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import { type Console, openConsole, readyAgent, said, turnEnded } from '../../support/relay.ts'

const sweep = ({ server }: Console): Promise<void> => {
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  return userSessionLooks({ store: server.store, clock: server.clock, logger }).run()
}

test('[AG16] roles sleep over a stop on purpose; what ran is unknown, what waited goes on, and a message wakes the agent', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:spawn', ...inside, role: 'idle' })
  const idle = await machine.bringUp()
  await client.next('agent:ready')
  for (const content of ['slow', 'next'])
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  const slow = await machine.turn()
  const next = await client.next('agent:queued')
  await machine.tell(
    said(launchId, slow.turnId, 'so far'),
    exited(launchId, { stopped: true }),
    exited(idle, { stopped: true }),
  )
  expect(await client.next('agent:response')).toMatchObject({
    messageId: slow.turnId,
    content: 'so far',
    stopReason: 'process_gone',
  })
  expect(await client.next()).toMatchObject({ type: 'agent:asleep', role: 'auth' })
  expect(await client.next()).toMatchObject({ type: 'agent:asleep', role: 'idle' })
  const { agents } = (await room.server.ask(`/api/user-sessions/${inside.sessionId}`)).json
  expect(agents).toMatchObject([
    {
      role: 'auth',
      state: 'ACTIVE',
      asleep: true,
      error: null,
      turn: null,
      queue: [{ messageId: next.messageId }],
    },
    { role: 'idle', state: 'ACTIVE', asleep: true, error: null, queue: [] },
  ])
  const { items } = (await room.server.ask(`/api/user-sessions/${inside.sessionId}/turns`)).json
  expect(items).toMatchObject([{ messageId: slow.turnId, state: 'unknown', text: 'so far' }])
  await sweep(room)
  const { launchId: second } = await machine.order('launch-begun')
  const { acp } = machine.particulars(second)
  expect(acp).toMatchObject({ loadAcpSessionId: `acp of ${launchId}`, workspace: { role: 'auth' } })
  await machine.tell(started(second), readyAgent(second, 'loaded'))
  const begun = await machine.turn()
  expect(begun).toMatchObject({ launchId: second, turnId: next.messageId })
  await machine.tell(said(second, next.messageId, 'done'), turnEnded(second, next.messageId))
  client.send({ type: 'agent:message', ...inside, role: 'idle', content: 'wake up' })
  await client.next('agent:queued')
  await sweep(room)
  const third = await machine.bringUp()
  const woken = await machine.turn()
  expect([woken.launchId, woken.content.at(-1).text]).toEqual([third, 'wake up'])
})

test('[AG16] an agent that was being started when Holdfast was stopped is started by the next message', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.taken('auth')
  await machine.tell(started(launchId), exited(launchId, { stopped: true }))
  expect(await client.next('agent:asleep')).toMatchObject({ role: 'auth' })
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'hello' })
  await client.next('agent:queued')
  await sweep(room)
  const second = await machine.bringUp()
  const begun = await machine.turn()
  expect([begun.launchId, begun.content.at(-1).text]).toEqual([second, 'hello'])
})
