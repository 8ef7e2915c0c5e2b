/**
 * The output of a tool call, from the coordinator's link to the relay and to the route that has the
 * whole of it.
 */
import { expect, test } from 'vitest'
import { consoleKey } from '../../../src/domain/conversations/key.ts'
import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { openConsole, turnEnded, update } from '../../support/relay.ts'

const call: ToolCall = {
  toolCallId: 'call/1',
  title: 'npm test',
  toolKind: 'execute',
  status: 'completed',
  input: '{"command":"npm test"}',
  locations: [],
  content: [],
  cut: false,
  command: 'npm test',
  cwd: '/tmp/work/auth',
  output: 'first\n[… 9990 …]\nlast',
  outputLength: 10_000,
  exitCode: 1,
  durationMs: 1200,
}

test('[AC6] an update has the beginning and the end of the output and the exit status; the whole is read from the turn', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'Run the tests' })
  const { turnId } = await machine.turn()
  const output = (part: number, text: string) =>
    update(launchId, turnId, { kind: 'output', toolCallId: call.toolCallId, part, text })
  const short: ToolCall = { ...call, toolCallId: 'call 2', output: 'short', outputLength: 5 }
  await machine.tell(
    update(launchId, turnId, { kind: 'tool', call }),
    output(0, 'never seen'),
    output(0, 'a'.repeat(6000)),
    output(1, 'b'.repeat(4000)),
    update(launchId, turnId, { kind: 'tool', call: short }),
  )
  await client.next('agent:prompted')
  expect(await client.next()).toMatchObject({
    type: 'agent:update',
    update: { kind: 'tool', call },
  })
  // The pieces of the whole are not relayed.
  expect(await client.next()).toMatchObject({
    type: 'agent:update',
    update: { kind: 'tool', call: short },
  })

  const { server } = room
  const turn = `/api/conversations/${encodeURIComponent(consoleKey(inside.sessionId, 'auth'))}/turns/${turnId}`
  const read = async (id: string) => server.ask(`${turn}/output/${encodeURIComponent(id)}`)
  const whole = {
    toolCallId: 'call/1',
    title: 'npm test',
    status: 'completed',
    command: 'npm test',
    cwd: '/tmp/work/auth',
    output: 'a'.repeat(6000) + 'b'.repeat(4000),
    cut: false,
    exitCode: 1,
    durationMs: 1200,
  }
  expect((await read('call/1')).json).toEqual(whole)
  await machine.tell(turnEnded(launchId, turnId))
  await client.next('agent:response')
  expect((await read('call/1')).json).toEqual(whole)
  expect((await read('call 2')).json).toMatchObject({ output: 'short', cut: false })
  expect(await read('call 3')).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect((await server.ask(turn)).json.items.map(({ kind }: { kind: string }) => kind)).toEqual([
    'tool',
    'tool',
  ])
})
