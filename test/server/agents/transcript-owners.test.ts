/** SB12: whose the transcripts of a sandboxed launch are, as its coordinator is told. */
import { expect, test } from 'vitest'
import { openConsole, readyAgent } from '../../support/relay.ts'

test('[SB12] a console is its person’s, a chat its project’s, and each launch names the sessions of its owner alone', async () => {
  const { server, projectId, machine: connect } = await openConsole()
  const { ask } = server
  await ask('/api/agents/coder', { method: 'PATCH', body: { sandbox: 'strict' } })
  const machine = await connect()
  const me = (await ask('/api/me')).json
  const { token } = (
    await ask('/api/people', { method: 'POST', body: { name: 'ben', role: 'member' } })
  ).json
  const bens = (await ask('/api/me', { token })).json
  const next = async (): Promise<string> => (await machine.order('launch-begun')).launchId
  const owner = async (launchId: string) => machine.particulars(launchId).isolation.owner
  const lives = async (launchId: string): Promise<void> => {
    await machine.tell(
      { type: 'process-started', launchId, pid: 7, birth: '1' },
      readyAgent(launchId),
    )
    await machine.tell({
      type: 'process-exited',
      launchId,
      exitCode: 0,
      signal: null,
      found: null,
      stopped: false,
    })
  }
  const chat = () => ask(`/api/projects/${projectId}/chat/start?agentId=coder`, { method: 'POST' })
  await chat()
  const first = await next()
  expect(await owner(first)).toEqual({ id: `project-${projectId}`, acpSessions: [] })
  await lives(first)
  const console = async (as: { token?: string }) => {
    const { id } = (await ask('/api/user-sessions', { method: 'POST', body: { projectId }, ...as }))
      .json
    await ask(`/api/user-sessions/${id}/agents`, {
      method: 'POST',
      body: { role: 'auth', agentId: 'coder' },
      ...as,
    })
    return next()
  }
  expect(await owner(await console({}))).toEqual({ id: `person-${me.id}`, acpSessions: [] })
  expect(await owner(await console({ token }))).toEqual({
    id: `person-${bens.id}`,
    acpSessions: [],
  })
  await chat()
  expect(await owner(await next())).toEqual({
    id: `project-${projectId}`,
    acpSessions: [`acp of ${first}`],
  })
})
