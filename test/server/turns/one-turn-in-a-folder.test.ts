/**
 * One rule for turns of every kind (CX9): in a folder that several share one conversation's runs at
 * a time. The test plays machine and agents.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { consoleKey, webKey, workKey } from '../../../src/domain/conversations/key.ts'
import { started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import type { EngineName } from '../../support/either-store.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { connectMcp } from '../../support/mcp.ts'
import { newPostgresStoreUrl, usePostgres } from '../../support/postgres.ts'
import { openPostgres } from '../../support/postgres-store.ts'
import { readyAgent, said, turnEnded } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/store.ts'

usePostgres()

const kinds = ['chat', 'task', 'role', 'pulled'] as const
type Kind = (typeof kinds)[number]

/** Something that an agent is asked for. */
interface Work {
  readonly key: string
  /** Nothing of it was told yet. */
  waits(): Promise<void>
  begun(): Promise<void>
  end(): Promise<unknown>
}

async function openFolder(engine: EngineName = 'SQLite') {
  const clock = manualClock()
  const onPostgres = async () => ({
    testStore: {
      store: await openPostgres({ url: await newPostgresStoreUrl(), clock }),
      clock,
      folder: await temporaryFolder(),
    },
  })
  const chat = await openAcpChat({}, engine === 'SQLite' ? {} : await onPostgres())
  const { room, server, machine } = chat
  const { projectId } = room
  const folder = mkdtempSync(join(tmpdir(), 'hf-shared-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path: folder } })
  const post = async (path: string, body: object) =>
    (await server.ask(path, { method: 'POST', body })).json
  const client = await room.client()
  const inside = await room.created(client)
  const bringUp = async () => {
    const { launchId } = await machine.order('launch-begun')
    const ready = { ...readyAgent(launchId), workspace: folder, branch: null } as ReturnType<
      typeof readyAgent
    >
    await machine.tell(started(launchId), ready)
  }
  const prompted = (key: string): Work => {
    let turn: Awaited<ReturnType<typeof machine.turn>> | undefined
    return {
      key,
      waits: () => chat.dispatcher.settled(),
      async begun() {
        turn = await machine.turn()
      },
      end: async () =>
        turn &&
        machine.tell(
          said(turn.launchId, turn.turnId, 'done'),
          turnEnded(turn.launchId, turn.turnId),
        ),
    }
  }
  const asked: Record<Kind, (n: number) => Promise<Work>> = {
    async chat(n) {
      const agentId = n === 0 ? 'coder' : 'critic'
      await post('/api/chat', { projectId, toAgentId: agentId, content: 'do it' })
      await bringUp()
      return prompted(webKey(projectId, agentId))
    },
    async task(n) {
      const assignedTo = n === 0 ? 'coder' : 'critic'
      const { id } = await post(`/api/projects/${projectId}/tasks`, {
        title: 'do it',
        assignedTo,
        phase: 1,
        type: 'code',
      })
      await server.ask(`/api/projects/${projectId}/tasks/${id}`, {
        method: 'PATCH',
        body: { status: 'in_progress' },
      })
      await bringUp()
      await chat.dispatcher.settled()
      const { sessionId: workSessionId } = (
        await server.ask(`/api/projects/${projectId}/tasks/${id}`)
      ).json
      return prompted(workKey(workSessionId, assignedTo))
    },
    async role(n) {
      const role = `role${n}`
      client.send({ type: 'agent:spawn', ...inside, role, agentId: 'coder' })
      await bringUp()
      await client.next('agent:ready')
      client.send({ type: 'agent:message', ...inside, role, content: 'do it', requestId: role })
      await client.inbox.next((each: { requestId?: string }) => each.requestId === role)
      return prompted(consoleKey(inside.sessionId, role))
    },
    async pulled(n) {
      const id = `puller${n}`
      const { passkey } = await post('/api/agents', { id, name: id, protocol: 'mcp' })
      await server.ask(`/api/projects/${projectId}/agents/${id}`, { method: 'PUT', body: {} })
      await post('/api/chat', { projectId, toAgentId: id, content: 'do it' })
      const agent = await connectMcp(server.url, passkey)
      await agent.call('authenticate', { agent_id: id, project_id: projectId })
      return {
        key: webKey(projectId, id),
        async waits() {
          expect(await agent.call('get_next_action')).toMatchObject({ action: 'wait_for_messages' })
          expect((await agent.call('get_pending_messages')).messages).toEqual([])
        },
        async begun() {
          expect(await agent.call('get_next_action', { wait_seconds: 0 })).toMatchObject({
            action: 'get_pending_messages',
          })
          expect((await agent.call('get_pending_messages')).messages).toMatchObject([
            { content: 'do it' },
          ])
        },
        end: () => agent.call('respond_chat', { content: 'done' }),
      }
    },
  }
  const path = (key: string, more = '') => `/api/conversations/${encodeURIComponent(key)}${more}`
  const view = async ({ key }: Work) => (await server.ask(path(key))).json
  const begin = ({ key }: Work) => server.ask(path(key, '/begin'), { method: 'POST' })
  return { ...chat, asked, view, begin, projectId, folder }
}

const pairs = kinds.flatMap((first) => kinds.map((second) => [first, second, 'SQLite'] as const))

test.each([
  ...pairs,
  ['chat', 'task', 'PostgreSQL'],
  ['task', 'role', 'PostgreSQL'],
  ['role', 'pulled', 'PostgreSQL'],
] as const)(
  '[CX11] while a turn of the kind %s runs in a folder, one of the kind %s waits, is shown so, and begins when that ends (%s)',
  async (one, other, engine) => {
    const { asked, view } = await openFolder(engine)
    const first = await asked[one](0)
    await first.begun()
    expect(await view(first)).toMatchObject({ activity: 'working', waitsFor: null })
    const second = await asked[other](1)
    await second.waits()
    expect(await view(second)).toMatchObject({ activity: 'waiting', waitsFor: 'checkout' })
    await first.end()
    await second.begun()
    expect(await view(second)).toMatchObject({ activity: 'working', waitsFor: null })
    await second.end()
    // Idle, it is in nobody's way.
    expect((await view(second)).waitsFor).toBeNull()
  },
)

test.each(kinds)(
  '[CX11] a turn of the kind %s that waits begins at once when a person says so',
  async (kind) => {
    const { asked, view, begin } = await openFolder()
    const first = await asked.chat(0)
    await first.begun()
    const second = await asked[kind](1)
    await second.waits()
    expect(await begin(second)).toMatchObject({ status: 200, json: { waitsFor: null } })
    await second.begun()
    expect(await view(first)).toMatchObject({ activity: 'working' })
    expect(await begin(second)).toMatchObject({ status: 409 })
  },
)
