/**
 * PX2, SE3: coordinators state what became of their own launches; what another's process does is
 * not theirs to say.
 */
import { expect, test } from 'vitest'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { connectMcp } from '../../support/mcp.ts'

test('[PX2] a coordinator ends only its own launches, over REST and MCP; who manages reports any by hand', async () => {
  const { server, room, machine, say, agentSessions } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine)
  await machine.turn()
  const { token } = (
    await server.ask('/api/tokens', {
      method: 'POST',
      body: { name: 'other', kind: 'coordinator' },
    })
  ).json
  const exit = { agentId: 'coder', projectId: room.projectId, remainingProcesses: 0 }
  const report = (as: string, more: object) =>
    server.ask('/api/coordinator/process-exits', {
      method: 'POST',
      body: { ...exit, ...more },
      token: as,
    })
  expect((await report(token, { launchId })).json).toMatchObject({ status: 404, code: 'not_found' })
  expect((await report(token, {})).json).toEqual({ decision: 'nothing', ended: [] })
  const tools = await connectMcp(server.url, token)
  const said = { agent_id: 'coder', project_id: room.projectId, remaining_processes: 0 }
  expect(await tools.failure('report_process_exit', { ...said, launch_id: launchId })).toBe(
    'not_found',
  )
  expect(await tools.call('report_process_exit', said)).toEqual({ decision: 'nothing', ended: [] })
  const { agent_id, project_id } = said
  expect(await tools.call('invalidate_session', { agent_id, project_id })).toEqual({
    decision: 'nothing',
    ended: [],
  })
  const [held] = await agentSessions()
  expect(held).toMatchObject({ launchId, state: 'active' })
  expect((await report(server.ownerToken, { launchId })).json).toEqual({
    decision: 'ended',
    ended: [held.id],
  })
})

test('[PX2] a coordinator’s own report is taken', async () => {
  const { room, server, machine, say, agentSessions } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine)
  await machine.turn()
  const body = { agentId: 'coder', projectId: room.projectId, remainingProcesses: 0, launchId }
  const { json } = await server.ask('/api/coordinator/process-exits', {
    method: 'POST',
    body,
    token: room.token,
  })
  expect(json).toMatchObject({ decision: 'ended' })
  expect(await agentSessions()).toMatchObject([{ state: 'ended', endReason: 'process_exited' }])
})
