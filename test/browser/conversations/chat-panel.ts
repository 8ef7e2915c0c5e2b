/** A chat with an agent that others wrote, over MCP, as the tests of the panel meet it. */
import type { Page } from 'playwright-core'
import { connectMcp, type McpAgent } from '../../support/mcp.ts'
import type { Visit } from '../visit.ts'

/** A project with one agent, and what the agent signs in with. */
export async function openChatRoom(here: Visit, agentId: string) {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: `with-${agentId}` },
  })
  const body = { id: agentId, name: `Agent ${agentId}`, protocol: 'mcp' } as const
  const { passkey } = await here.elsewhere.post('/api/agents', { body })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
  })
  const write = (content: string) =>
    here.elsewhere.post('/api/chat', { body: { projectId, toAgentId: agentId, content } })
  const path = '/api/projects/{projectId}/agents/{agentId}/messages'
  const said = async () =>
    (await here.elsewhere.get(path, { params: { projectId, agentId } })).items.map(
      ({ content }) => content,
    )
  const signIn = async (): Promise<McpAgent & { token: string }> => {
    const agent = await connectMcp(here.server.url, passkey)
    const { session_token } = await agent.call('authenticate', {
      agent_id: agentId,
      passkey,
      project_id: projectId,
    })
    return { ...agent, token: session_token }
  }
  return {
    projectId,
    agentId,
    write,
    said,
    signIn,
    address: `/projects/${projectId}/chat/${agentId}`,
  }
}

export const presence = (page: Page, state: string) =>
  page.locator(`[data-presence="${state}"]`).waitFor()
export const composer = (page: Page) => page.getByRole('textbox', { name: /^Write to/ })

/** The states of the agent's sessions, newest first. */
export async function agentThere(
  here: Visit,
  room: Awaited<ReturnType<typeof openChatRoom>>,
  page: Page,
) {
  await presence(page, 'waiting')
  await room.signIn()
  await presence(page, 'ready')
  const query = { projectId: room.projectId, agentId: room.agentId }
  return async () =>
    (await here.elsewhere.get('/api/agent-sessions', { query })).items.map(({ state }) => state)
}
