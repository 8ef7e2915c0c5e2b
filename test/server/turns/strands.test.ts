/** Sub-agents in a turn as the server tells and keeps them (AC16). The test plays the machine. */
import { expect, test } from 'vitest'
import type { Strand } from '../../../src/protocol/turns/agent-update.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { said, turnEnded, update } from '../../support/relay.ts'

test('[AC16] a sub-agent is counted while it works; its words are kept and are no answer', async () => {
  const { server, room, say, machine, chat } = await openAcpChat()
  const key = `web:${room.projectId}.coder`
  await say('look around')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  const strand = (state: Strand['state']) =>
    update(launchId, turnId, {
      kind: 'strand',
      strand: { id: 's', callId: null, title: 'Search', state, background: false },
    })
  await machine.tell(
    said(launchId, turnId, 'I ask somebody. '),
    strand('running'),
    update(launchId, turnId, { kind: 'text', text: 'found it', strand: 's' }),
  )
  const doing = async () => {
    const { items } = (await server.ask(`/api/conversations?live=true`)).json
    return items.find((each: { key: string }) => each.key === key)?.doing
  }
  expect(await doing()).toMatchObject({ turnId, step: 'text', subAgents: 1 })
  await machine.tell(strand('done'), said(launchId, turnId, 'There it is.'))
  expect((await doing()).subAgents).toBeUndefined()
  await machine.tell(turnEnded(launchId, turnId))
  expect((await chat()).at(-1)).toBe('coder: I ask somebody. There it is.')
  const { items } = (await server.ask(`/api/conversations/${key}/turns/${turnId}`)).json
  expect(items).toMatchObject([
    { kind: 'text', text: 'I ask somebody. ' },
    { kind: 'strand', strand: { id: 's', state: 'done' } },
    { kind: 'text', text: 'found it', strand: 's' },
    { kind: 'text', text: 'There it is.' },
  ])
})
