/** A session that was taken in is shared while it has a process and a worktree (IM10). */
import { expect, test } from 'vitest'
import { started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { readyAgent, turnEnded } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const worktreeMade = (launchId: string) => ({
  type: 'workspace-made' as const,
  launchId,
  kind: 'worktree' as const,
  folder: '/tmp/work/old',
  top: '/tmp/work/old',
  branch: 'holdfast/chat/old',
  baseBranch: 'main',
  note: null,
  setUp: null,
})

test('[IM10] nothing runs in it while it is shared; its process ends, its worktree is shared', async () => {
  const { server, room, machine } = await openAcpChat()
  const { projectId } = room
  const post = async (path: string, body: object) => {
    const { status, json, text } = await server.ask(path, { method: 'POST', body })
    expect(status, text).toBeLessThan(300)
    return json
  }
  const path = temporaryFolder()
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path } })
  const command = 'claude-agent-acp'
  await post('/api/agents', { id: 'claude', name: 'Claude', protocol: 'acp', command })
  await server.ask(`/api/projects/${projectId}/agents/claude`, { method: 'PUT', body: {} })
  const bob = (await post('/api/people', { name: 'Bob', role: 'member' })).token
  const none = { folder: null, branch: null, version: null, forkOf: null, machine: null }
  const about = { title: 'Old', archived: false, updatedAt: '2026-01-02T03:04:05.000Z' }
  const source = { agent: 'claude', id: 'old', ...none, ...about }
  const { key } = await post('/api/imported-sessions', { source, turns: [], mark: null })
  const change = (body: object) =>
    server.ask(`/api/conversations/${key}`, { method: 'PATCH', body })
  expect((await change({ projectId })).json).toMatchObject({ agentId: 'claude' })

  const said = { projectId, conversationKey: key, content: 'go on', workplace: 'worktree' }
  await post('/api/chat', said)
  expect(await change({ shared: true })).toMatchObject({ status: 409 })
  const { launchId } = await machine.order('launch-begun')
  await machine.tell(started(launchId), worktreeMade(launchId), readyAgent(launchId))
  const { turnId } = await machine.turn()
  expect(await change({ shared: true })).toMatchObject({
    status: 409,
    json: { code: 'wrong_state' },
  })
  await machine.tell(turnEnded(launchId, turnId))
  const places = async (): Promise<unknown[]> =>
    (await server.ask(`/api/projects/${projectId}/worktrees`, { token: bob })).json.items
  expect(await places()).toEqual([])
  expect((await change({ shared: true })).json).toMatchObject({ shared: true })
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId })
  expect(await places()).toMatchObject([{ conversation: key }])
})
