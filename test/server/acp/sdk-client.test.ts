/**
 * The SDK's own client at `/acp`: it checks every frame against the protocol's schema, so what it
 * takes is what editors can take.
 */
import {
  type AnyMessage,
  type ClientNotificationParamsByMethod,
  client,
  methods,
  type Stream,
} from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { openEditorRoom } from '../../support/editor-room.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { asks, question, said, turnEnded, update } from '../../support/relay.ts'
import type { TestServer } from '../../support/server.ts'

interface Opened {
  readonly sessionId: string
}
interface Stopped {
  readonly stopReason: string
}

async function streamTo({ port, ownerToken }: TestServer): Promise<Stream> {
  const { webSocket } = await openSocket({ port, token: ownerToken, path: '/acp' })
  return {
    readable: new ReadableStream<AnyMessage>({
      start: (controller) => {
        webSocket.on('message', (data) => controller.enqueue(JSON.parse(String(data))))
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write: (message) => webSocket.send(JSON.stringify(message)),
    }),
  }
}

test('[EC1] the client of the SDK begins, allows, is updates everything, loads and cancels', async () => {
  const { server, folder, bringUp, machine } = await openEditorRoom()
  const updates: ClientNotificationParamsByMethod['session/update']['update'][] = []
  const app = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => ({
      outcome: { outcome: 'selected' as const, optionId: params.options[0]?.optionId ?? '' },
    }))
  const connection = app.connect(await streamTo(server))
  const door = connection.agent
  const about = await door.request(methods.agent.initialize, {
    protocolVersion: 65535,
    clientCapabilities: {
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
    },
  })
  expect(about).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
  await door.request(methods.agent.authenticate, { methodId: 'holdfast' })
  const opened = { cwd: folder, mcpServers: [] }
  const { sessionId: key } = await door.request<Opened>(methods.agent.session.new, opened)
  const prompt = [{ type: 'text' as const, text: 'hello' }]
  const answered = door.request<Stopped>(methods.agent.session.prompt, { sessionId: key, prompt })
  const { launchId, turnId } = await bringUp()
  const { call } = question()
  await machine.tell(
    update(launchId, turnId, { kind: 'thought', text: 'hm' }),
    asks(launchId, turnId, 'ask 1'),
    update(launchId, turnId, { kind: 'tool', call: { ...call, output: 'so\n', exitCode: 1 } }),
    update(launchId, turnId, { kind: 'plan', entries: [] }),
    update(launchId, turnId, {
      kind: 'media',
      media: 'image',
      mimeType: 'image/png',
      data: 'aGk=',
    }),
    update(launchId, turnId, {
      kind: 'notice',
      severity: 'info',
      title: 'Noted',
      description: null,
    }),
  )
  await machine.order('permission-settled')
  await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  expect((await answered).stopReason).toBe('end_turn')
  const kinds = new Set(updates.map((each) => each.sessionUpdate))
  for (const kind of ['agent_thought_chunk', 'tool_call', 'plan', 'notice', 'agent_message_chunk'])
    expect(kinds).toContain(kind)
  updates.length = 0
  await door.request(methods.agent.session.load, { sessionId: key, ...opened })
  expect(updates[0]).toMatchObject({ sessionUpdate: 'user_message_chunk' })
  const list = await door.request(methods.agent.session.list, { cwd: folder })
  expect(list).toMatchObject({ sessions: [{ sessionId: key }] })
  const cut = door.request<Stopped>(methods.agent.session.prompt, { sessionId: key, prompt })
  const next = await machine.turn()
  await door.notify(methods.agent.session.cancel, { sessionId: key })
  await machine.order('cancel-ordered')
  await machine.tell(turnEnded(next.launchId, next.turnId, { outcome: 'cancelled' }))
  expect((await cut).stopReason).toBe('cancelled')
  connection.close()
})
