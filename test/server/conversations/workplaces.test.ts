/**
 * Where conversations work (CX9): chosen, shown, and one at a time in a folder that several share.
 * The test plays the machine.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { readyAgent, said, turnEnded } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const path = (key: string, more = '') => `/api/conversations/${encodeURIComponent(key)}${more}`

/** Two agents in a project that has a folder. */
async function openShared(settings: object = {}) {
  const chat = await openAcpChat(settings)
  const { room, server, machine } = chat
  const { projectId } = room
  const folder = mkdtempSync(join(tmpdir(), 'hf-shared-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'src'))
  const given = await server.ask(`/api/projects/${projectId}`, {
    method: 'PATCH',
    body: { path: join(folder, 'src') },
  })
  expect(given.status).toBe(200)
  const write = (toAgentId: string, content: string, more: object = {}) =>
    server.ask('/api/chat', { method: 'POST', body: { projectId, toAgentId, content, ...more } })
  const view = async (agentId: string) => (await server.ask(path(webKey(projectId, agentId)))).json
  const start = async () => {
    const { launchId } = await machine.order('launch-begun')
    const { acp } = machine.particulars(launchId)
    return { launchId, acp }
  }
  const bringUp = async () => {
    const { launchId } = await start()
    await machine.tell(started(launchId), readyAgent(launchId))
    return launchId
  }
  const answer = ({ launchId, turnId }: { launchId: string; turnId: string }) =>
    machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  const settled = async () => {
    await chat.dispatcher.settled()
  }
  return {
    ...chat,
    projectId,
    folder: join(folder, 'src'),
    write,
    view,
    start,
    bringUp,
    answer,
    settled,
  }
}

const made = (launchId: string, folder: string, more: object = {}) => ({
  type: 'workspace-made' as const,
  launchId,
  kind: 'worktree' as const,
  folder,
  top: folder,
  branch: 'holdfast/chat/x',
  baseBranch: 'main',
  note: null,
  setUp: null,
  ...more,
})

test('[CX11] in the project’s folder one conversation works at a time: the second is shown as waiting and begins when the first ends', async () => {
  const { machine, write, view, bringUp, answer, settled, server, projectId, folder } =
    await openShared()
  await write('coder', 'first')
  const coder = await bringUp()
  const first = await machine.turn()
  expect(await view('coder')).toMatchObject({
    activity: 'working',
    waitsFor: null,
    workplace: { kind: 'checkout', folder, branch: null },
  })
  await write('critic', 'second')
  const critic = await bringUp()
  await settled()
  expect(await view('critic')).toMatchObject({ activity: 'waiting', waitsFor: 'checkout' })
  const { state } = (
    await server.ask(`/api/snapshot?streams=conversation:${webKey(projectId, 'critic')}`)
  ).json
  expect(Object.values(state)).toMatchObject([{ conversation: { waitsFor: 'checkout' } }])
  await answer(first)
  const second = await machine.turn()
  expect(second).toMatchObject({ launchId: critic })
  expect(await view('critic')).toMatchObject({ activity: 'working', waitsFor: null })
  await answer(second)
  // Idle, neither is in the other's way.
  await write('coder', 'third')
  expect(await machine.turn()).toMatchObject({ launchId: coder, content: [{ text: 'third' }] })
})

test('[CX11] a person has it begin at once; where nothing waits that is refused', async () => {
  const { machine, write, view, bringUp, server, projectId, settled } = await openShared()
  const begin = (agentId: string) =>
    server.ask(path(webKey(projectId, agentId), '/begin'), { method: 'POST' })
  await write('coder', 'first')
  await bringUp()
  await machine.turn()
  await write('critic', 'second')
  const critic = await bringUp()
  await settled()
  expect(await begin('coder')).toMatchObject({ status: 409, json: { code: 'wrong_state' } })
  expect(await begin('nobody')).toMatchObject({ status: 404 })
  expect(await begin('critic')).toMatchObject({ status: 200, json: { waitsFor: null } })
  expect(await machine.turn()).toMatchObject({ launchId: critic })
  expect(await view('critic')).toMatchObject({ activity: 'working' })
  expect(await begin('critic')).toMatchObject({ status: 409 })
})

test('[CX9] a conversation with a worktree of its own waits for nobody; its place is made with its context, registered and shown', async () => {
  const { machine, write, view, start, bringUp, server, projectId } = await openShared()
  await write('coder', 'first')
  await bringUp()
  await machine.turn()
  expect(await write('critic', 'second', { workplace: 'worktree' })).toMatchObject({ status: 201 })
  const { launchId, acp } = await start()
  expect(acp).toMatchObject({
    workspace: {
      userSessionShort: 'chat',
      role: expect.stringMatching(/^[0-9a-f]{8}$/),
      orFolder: true,
    },
  })
  expect(await view('critic')).toMatchObject({
    workplace: { kind: 'worktree', folder: null, branch: null },
  })
  await machine.tell(made(launchId, '/w/critic'), started(launchId), readyAgent(launchId))
  expect(await machine.turn()).toMatchObject({ launchId })
  const key = webKey(projectId, 'critic')
  expect(await view('critic')).toMatchObject({
    waitsFor: null,
    workplace: { kind: 'worktree', folder: '/w/critic', branch: 'holdfast/chat/x' },
  })
  const { items } = (await server.ask(`/api/projects/${projectId}/worktrees`)).json
  expect(items).toMatchObject([
    { conversation: key, userSessionId: null, agentId: 'critic', branch: 'holdfast/chat/x' },
  ])
  expect(await view('critic')).toMatchObject({ workplace: { worktreeId: items[0].id } })
})

test('[CX10] a place is chosen until the first message; then the same is taken, another refused', async () => {
  const { write, start, server, projectId, view } = await openShared({
    'chat.workplace': 'worktree',
  })
  const opened = async (workplace: string) =>
    (
      await server.ask(
        `/api/projects/${projectId}/chat/start?agentId=coder&workplace=${workplace}`,
        { method: 'POST' },
      )
    ).status
  expect(await opened('garden')).toBe(400)
  expect(await opened('worktree')).toBe(200)
  expect(await opened('checkout')).toBe(200)
  expect(await view('coder')).toMatchObject({ workplace: { kind: 'checkout' } })
  expect(await write('coder', 'first', { workplace: 'worktree' })).toMatchObject({ status: 201 })
  expect(await opened('worktree')).toBe(200)
  expect(await opened('checkout')).toBe(409)
  expect(await write('coder', 'more', { workplace: 'checkout' })).toMatchObject({
    status: 409,
    json: { code: 'wrong_state' },
  })
  expect((await start()).acp).toMatchObject({ workspace: { userSessionShort: 'chat' } })
  expect(await view('coder')).toMatchObject({ workplace: { kind: 'worktree' }, messageCount: 1 })
  // By the project's setting.
  await write('critic', 'hello')
  expect((await start()).acp).toMatchObject({ workspace: { userSessionShort: 'chat' } })
})

test('[CX9] where there is no git it works in the project’s folder, and takes its turn there', async () => {
  const { machine, write, view, start, bringUp, settled, server, projectId, folder } =
    await openShared()
  await write('coder', 'first', { workplace: 'worktree' })
  const { launchId } = await start()
  const plain = { kind: 'plain' as const, branch: null, baseBranch: null, note: 'No git here' }
  await machine.tell(made(launchId, folder, plain), started(launchId), readyAgent(launchId))
  await machine.turn()
  expect(await view('coder')).toMatchObject({ workplace: { kind: 'plain', folder } })
  // The folder is not ours to remove.
  expect((await server.ask(`/api/projects/${projectId}/worktrees`)).json.items).toEqual([])
  await write('critic', 'second')
  await bringUp()
  await settled()
  expect(await view('critic')).toMatchObject({ waitsFor: 'checkout' })
  await machine.tell(exited(launchId, { exitCode: 1 }))
  expect(await machine.turn()).toMatchObject({ content: expect.anything() })
})

test('[CX10] a project that is created with git has its chats in worktrees, unless it says otherwise; one without git has not', async () => {
  const { server } = await openShared()
  const create = async (path: string | undefined, settings?: object) =>
    (
      await server.ask('/api/projects', {
        method: 'POST',
        body: { name: 'p', ...(path && { path }), settings },
      })
    ).json.settings
  const folders = [makeRepository(), makeRepository()].map(({ folder }) => folder)
  mkdirSync(join(folders[1] ?? '', 'below'))
  expect(await create(folders[0])).toMatchObject({ 'chat.workplace': 'worktree' })
  expect(
    await create(join(folders[1] ?? '', 'below'), { 'chat.workplace': 'checkout' }),
  ).toMatchObject({
    'chat.workplace': 'checkout',
  })
  expect(await create(undefined)).toMatchObject({ 'chat.workplace': 'checkout' })
  expect(await create(temporaryFolder())).toMatchObject({ 'chat.workplace': 'checkout' })
})

test('[CX9] a conversation that cannot have a worktree is refused one in words, and nothing is written', async () => {
  const { write, server, projectId } = await openShared()
  await server.ask(`/api/agents`, {
    method: 'POST',
    body: { id: 'puller', name: 'puller', protocol: 'mcp', command: 'x' },
  })
  await server.ask(`/api/projects/${projectId}/agents/puller`, { method: 'PUT', body: {} })
  const refused = await write('puller', 'hello', { workplace: 'worktree' })
  expect(refused).toMatchObject({
    status: 409,
    json: { code: 'wrong_state', detail: expect.stringContaining('puller') },
  })
  expect(await write('coder', 'hello', { workplace: 'plain' })).toMatchObject({ status: 400 })
  const { json: other } = await server.ask('/api/projects', {
    method: 'POST',
    body: { name: 'no folder' },
  })
  await server.ask(`/api/projects/${other.id}/agents/coder`, { method: 'PUT', body: {} })
  const body = { projectId: other.id, toAgentId: 'coder', content: 'hello', workplace: 'worktree' }
  expect(await server.ask('/api/chat', { method: 'POST', body })).toMatchObject({ status: 409 })
  expect(await server.ask(path(webKey(other.id, 'coder')))).toMatchObject({ status: 404 })
  expect(await server.ask(path(webKey(projectId, 'puller')))).toMatchObject({ status: 404 })
})
