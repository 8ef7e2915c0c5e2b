/** SB13: an agent that its sandbox has ended is told why, once, when it is prompted again. */
import { expect, test } from 'vitest'
import { statusNotice } from '../../../src/domain/status-texts.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { openConsole, readyAgent, turnEnded } from '../../support/relay.ts'

test('[SB13] the next turn of an agent that was at a limit of its sandbox begins with the reason; the one after does not', async () => {
  const { client, machine, inside, launchId } = await (await openConsole()).ready()
  const say = (content: string): void =>
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  say('build it')
  const { turnId } = await machine.turn()
  const { text: error, notice } = statusNotice('sandboxProcesses', {
    most: '80',
    setting: 'sandbox.max_processes',
  })
  await machine.tell(
    turnEnded(launchId, turnId, { outcome: 'failed', error, notice }),
    exited(launchId, { signal: 'SIGKILL' }),
  )
  await client.next('agent:failed')
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', load: true })
  const { launchId: second } = await machine.order('launch-begun')
  await machine.tell(started(second), readyAgent(second, 'loaded'))
  await client.next('agent:ready')
  say('again')
  const next = await machine.turn()
  expect(JSON.stringify([next.content, next.context])).toContain(
    'Your last turn was cut off. It was ended: its sandbox reached its limit of 80',
  )
  await machine.tell(turnEnded(next.launchId, next.turnId))
  say('and once more')
  const last = await machine.turn()
  expect(JSON.stringify([last.content, last.context])).not.toContain('cut off')
})
