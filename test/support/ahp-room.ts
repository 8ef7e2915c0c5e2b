/**
 * A project with an agent, whose machine the test plays, and clients of the Agent Host Protocol
 * with tokens of their own.
 */
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { openAcpChat } from './acp-chat.ts'
import { type AhpTestClient, ahpClient } from './ahp-client.ts'
import { AhpMirror, plain } from './ahp-mirror.ts'
import { said, turnEnded } from './relay.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const uri = 'coder:/8d8ae541-ff60-4c86-b646-fafc3c9733ea'
export const started = (turnId: string, text: string) => ({
  type: 'chat/turnStarted',
  turnId,
  startedAt: '2026-03-01T09:00:00.000Z',
  message: { text, origin: { kind: 'user' } },
})

let seq = 0

export const nextSeq = (): number => ++seq

export async function openAhpRoom(scopes = ['read', 'write', 'approve']) {
  const chat = await openAcpChat()
  const { server, room } = chat
  const path = temporaryFolder()
  const project = `/api/projects/${room.projectId}`
  expect((await server.ask(project, { method: 'PATCH', body: { path } })).status).toBe(200)
  const connect = async (chosen = scopes, clientId = 'c1') => {
    const body = { name: `door ${++seq}`, kind: 'door', scopes: chosen }
    const { token } = (await server.ask('/api/tokens', { method: 'POST', body })).json
    const client = await ahpClient({ port: server.port, token })
    await client.initialize({ clientId })
    return client
  }
  const client = await connect()
  const folder = pathToFileURL(path).href
  return { ...chat, connect, client, folder, path, mirror: new AhpMirror(client) }
}

export type AhpRoom = Awaited<ReturnType<typeof openAhpRoom>>

export async function begin({ client, mirror, folder }: AhpRoom) {
  const created = { channel: uri, provider: 'coder', workingDirectories: [folder] }
  await client.result('createSession', created)
  const state = await mirror.subscribe(uri)
  const chat: string = state.defaultChat
  await mirror.subscribe(chat)
  return { state, chat }
}

export const dispatch = (
  client: AhpTestClient,
  channel: string,
  action: object,
  clientSeq = ++seq,
) => {
  client.send({
    jsonrpc: '2.0',
    method: 'dispatchAction',
    params: { channel, clientSeq, action },
  })
  return client.until(
    ({ method, params }) => method === 'action' && params.origin?.clientSeq === clientSeq,
  )
}

export const actionOf = (
  client: AhpTestClient,
  type: string,
  fits: (action: never) => boolean = () => true,
) =>
  client
    .until(
      ({ method, params }) =>
        method === 'action' && params.action.type === type && fits(params.action as never),
    )
    .then(({ params }) => params.action)

export async function isFresh(
  { connect, mirror }: Pick<AhpRoom, 'connect' | 'mirror'>,
  channels: readonly string[],
) {
  const other = new AhpMirror(await connect())
  mirror.follow()
  for (const channel of channels) {
    const fresh = await other.subscribe(channel)
    const strip = (state: { status: number }) => ({ ...state, status: state.status & ~31 })
    expect(plain(strip(mirror.states.get(channel)))).toEqual(plain(strip(fresh)))
  }
  other.client.close()
}

const tree = (n: number): string => String(n).repeat(40)

/** The state of files with this number, as their machine tells it. */
export const filesAt = (top: string, n: number) => ({
  top,
  state: { tree: tree(n), leftOut: null, head: tree(9) },
  leftOut: [],
})

/** Answers the next request to the machine; returns what was asked. */
export async function answerMachine({ machine }: Pick<AhpRoom, 'machine'>, value: unknown) {
  const { questionId, ask } = await machine.order('question-asked')
  const text = JSON.stringify({ ok: true, value })
  await machine.tell({ type: 'question-answered', questionId, part: 0, text, last: true })
  return ask
}

/** A turn that was prompted, up to its answer, with its files before and after it. */
export async function runTurn(
  { machine, path, clock }: Pick<AhpRoom, 'machine' | 'path' | 'clock'>,
  launchId: string,
  { before, after, text = 'done' }: { before: number; after: number; text?: string },
): Promise<string> {
  const { turnId } = await machine.turn()
  await machine.tell({ type: 'turn-files', launchId, turnId, before: filesAt(path, before) })
  clock.advance(1000)
  const end = turnEnded(launchId, turnId)
  const files = { ...filesAt(path, after), changes: { files: 1, added: 1, removed: 0 } }
  await machine.tell(said(launchId, turnId, text), { ...end, files } as typeof end)
  return turnId
}
