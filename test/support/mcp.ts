/**
 * Agents as others write them: the official MCP client against a real server, in a project with
 * work to be done.
 */
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { openTestServer, type TestServer, type TestServerOptions } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
export type ToolResult = any

export interface McpAgent {
  readonly client: Client
  /** What a tool gave; one with `isError` too. */
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>
  /** The code of a result with `isError`. */
  failure(name: string, args?: Record<string, unknown>): Promise<string>
}

export type CallOptions = Parameters<Client['callTool']>[1]

export async function connectMcp(
  url: string,
  token: string,
  options: ClientOptions = {},
): Promise<McpAgent> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  )
  onTestFinished(() => client.close())
  const result = async (
    name: string,
    args: Record<string, unknown> = {},
    callOptions?: CallOptions,
  ) => {
    const { content, structuredContent, isError } = await client.callTool(
      { name, arguments: args },
      callOptions,
    )
    const [text] = content as { text: string }[]
    // A client that reads only the text reads the same.
    if (JSON.stringify(JSON.parse(text?.text ?? '')) !== JSON.stringify(structuredContent))
      throw new Error('The text says something else')
    return { isError, structured: structuredContent as ToolResult }
  }
  return {
    client,
    call: async (name, args, callOptions) => (await result(name, args, callOptions)).structured,
    failure: async (name, args) => {
      const { isError, structured } = await result(name, args)
      if (!isError || !structured.message || !structured.next)
        throw new Error(`It did not fail as it should: ${JSON.stringify(structured)}`)
      return structured.code
    },
  }
}

export interface Workplace {
  readonly server: TestServer
  readonly projectId: string
  /** By agent id. */
  readonly passkeys: Readonly<Record<string, string>>
  /** A connection that carries the agent's own credential. */
  agent(agentId?: string, options?: ClientOptions): Promise<McpAgent>
  /** The same, signed in: there must be work for it. */
  signedIn(agentId?: string): Promise<McpAgent>
  /** A person writes to an agent. */
  write(content: string, more?: Record<string, unknown>): Promise<ToolResult>
  /** What stands in the chat with an agent, oldest first. */
  chat(agentId?: string): Promise<ToolResult[]>
  post(path: string, body: unknown): Promise<ToolResult>
}

/** A project with agents `ann` and `bob`, and its owner. */
export async function openWorkplace(options: TestServerOptions = {}): Promise<Workplace> {
  const server = await openTestServer(options)
  const post = async (path: string, body: unknown): Promise<ToolResult> => {
    const answer = await server.ask(path, { method: 'POST', body })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.json
  }
  const { id: projectId } = await post('/api/projects', { name: 'work' })
  const passkeys: Record<string, string> = {}
  for (const id of ['ann', 'bob']) {
    passkeys[id] = (await post('/api/agents', { id, name: id, protocol: 'mcp' })).passkey
    await server.ask(`/api/projects/${projectId}/agents/${id}`, { method: 'PUT', body: {} })
  }
  const agent = (agentId = 'ann', clientOptions?: ClientOptions) =>
    connectMcp(server.url, passkeys[agentId] ?? '', clientOptions)
  return {
    server,
    projectId,
    passkeys,
    agent,
    post,
    async signedIn(agentId = 'ann') {
      const connected = await agent(agentId)
      const answer = await connected.call('authenticate', {
        agent_id: agentId,
        project_id: projectId,
      })
      if (answer.status !== 'ok')
        throw new Error(`There is no work for ${agentId}: ${JSON.stringify(answer)}`)
      return connected
    },
    write: (content, more = {}) =>
      post('/api/chat', { projectId, toAgentId: 'ann', content, ...more }),
    async chat(agentId = 'ann') {
      const { json } = await server.ask(`/api/projects/${projectId}/agents/${agentId}/messages`)
      return json.items.reverse()
    },
  }
}

/** Gives ann a task that is in progress. */
export async function giveTask(
  { post, server, projectId }: Workplace,
  title = 'Write the parser',
): Promise<string> {
  const { id: workSessionId } = await post(`/api/projects/${projectId}/sessions`, {})
  const draft = { ['sessionId']: workSessionId, phase: 1, type: 'code', title, assignedTo: 'ann' }
  const { id } = await post(`/api/projects/${projectId}/tasks`, draft)
  await server.ask(`/api/projects/${projectId}/tasks/${id}`, {
    method: 'PATCH',
    body: { status: 'in_progress' },
  })
  return id
}
