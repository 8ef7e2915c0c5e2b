/**
 * What an agent sends that nobody knows is counted by name (AC10), and one that does not reach our
 * tools is told of (AC11).
 */
import { expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { claude } from '../../../src/protocol/agents/known/claude.ts'
import { noteTools } from '../../../src/services/flows/turns/settle-turn.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { said, turnEnded } from '../../support/relay.ts'

test('[AC10] counts by kind and name are kept with the process and in /metrics', async () => {
  const { say, machine, server } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine)
  const sent = (name: string, count: number) =>
    machine.tell({
      type: 'process-output',
      launchId,
      text: `[Holdfast: ${name}]\n`,
      unknown: { kind: 'unknown_update', name, count },
    })
  await sent('from_the_future', 1)
  await sent('from_the_future', 9)
  await sent('other', 1)
  const { unknown, tools } = (await server.ask(`/api/processes/${launchId}`)).json
  expect(unknown).toEqual([
    { kind: 'unknown_update', name: 'from_the_future', count: 10 },
    { kind: 'unknown_update', name: 'other', count: 1 },
  ])
  expect(tools).toBeNull()
  const { text } = await server.ask('/metrics')
  expect(text).toContain(
    'holdfast_agent_unknown_total{kind="unknown_update",name="from_the_future"} 10\n',
  )
  for (let other = 0; other < 250; other++) await sent(`name ${other}`, 1)
  const series = (await server.ask('/metrics')).text.match(/^holdfast_agent_unknown_total\{/gm)
  expect(series).toHaveLength(200)
  expect((await server.ask(`/api/processes/${launchId}`)).json.unknown).toHaveLength(100)
})

test('[AC11] an agent known to connect at once, and that has not when its first turn ends, is told of in that turn, once', async () => {
  const { room, say, machine, server } = await openAcpChat()
  const turns = `/api/conversations/${encodeURIComponent(webKey(room.projectId, 'coder'))}/turns?items=true`
  await say('hello')
  const launchId = await bringUp(machine, claude.acpName ?? '')
  const answer = async () => {
    const { turnId } = await machine.turn()
    await machine.tell(said(launchId, turnId, 'yes'), turnEnded(launchId, turnId))
  }
  await answer()
  await say('again')
  await answer()
  const items = (await server.ask(turns)).json.items.map(
    (turn: { items: { kind: string; notice?: object }[] }) => turn.items,
  )
  expect(items).toEqual([
    [{ kind: 'text', text: 'yes' }],
    [
      { kind: 'text', text: 'yes' },
      expect.objectContaining({
        kind: 'notice',
        severity: 'warning',
        notice: { code: 'withoutTools', params: { agent: 'coder' } },
      }),
    ],
  ])
  expect((await server.ask(`/api/processes/${launchId}`)).json.tools).toBe('missing')
})

test('[AC11] nothing is told of one that has connected', async () => {
  const { room, say, machine, server } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine, claude.acpName ?? '')
  await server.store.run(noteTools, { launchId })
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'yes'), turnEnded(launchId, turnId))
  const at = `/api/conversations/${encodeURIComponent(webKey(room.projectId, 'coder'))}/turns/${turnId}`
  expect((await server.ask(at)).json.items).toEqual([{ kind: 'text', text: 'yes' }])
})
