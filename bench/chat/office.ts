/**
 * The real server with agents that are signed in to a project, and the person who writes to them,
 * each on an open connection.
 */
import { openHoldfast } from '../harness/holdfast.ts'
import { KeepAlive, requestBytes } from '../harness/keep-alive.ts'
import type { ServerProcess } from '../harness/server-process.ts'

const both = 'application/json, text/event-stream'
/** So many sign in at a time. */
const atOnce = 50

export interface BenchAgent {
  readonly id: string
  readonly passkey: string
  readonly connection: KeepAlive
  /** The bytes of a call of a tool, for its own connection. */
  call(tool: string, args?: object): Buffer
  /** Calls it; answers what it told. */
  tell<Answer>(tool: string, args?: object): Promise<Answer>
}

export interface Office {
  readonly server: ServerProcess
  readonly projectId: string
  readonly token: string
  readonly person: KeepAlive
  readonly agents: readonly BenchAgent[]
  /** The bytes of a message to an agent. */
  message(agentId: string, content: string): Buffer
  /** Resolves when the server holds so many calls. */
  holds(calls: number): Promise<void>
  close(): Promise<void>
}

export async function openOffice(data: string, agentCount = 1, watched = false): Promise<Office> {
  const { server, token, person, asked } = await openHoldfast(data, watched)
  const { port } = server
  const { id: projectId } = await asked<{ id: string }>('POST', '/api/projects', { name: 'bench' })
  const message = (agentId: string, content: string): Buffer =>
    requestBytes('POST', '/api/chat', { projectId, toAgentId: agentId, content }, { token })(port)

  const ids = Array.from({ length: agentCount }, (_, nth) => `agent-${nth}`)
  const passkeys = new Map<string, string>()
  for (const id of ids) {
    passkeys.set(
      id,
      (await asked<{ passkey: string }>('POST', '/api/agents', { id, name: id, protocol: 'mcp' }))
        .passkey,
    )
    await asked('PUT', `/api/projects/${projectId}/agents/${id}`, {})
    await person.ask(message(id, 'hello'))
  }
  const agents: BenchAgent[] = []
  while (agents.length < agentCount) {
    const next = ids.slice(agents.length, agents.length + atOnce)
    agents.push(
      ...(await Promise.all(next.map((id) => signIn(port, id, passkeys.get(id) ?? '', projectId)))),
    )
  }

  return {
    server,
    projectId,
    token,
    person,
    agents,
    message,
    holds: async (calls) => {
      const figures = requestBytes('GET', '/metrics', undefined, { token })(port)
      while (!(await person.ask(figures)).includes(`\nholdfast_held_calls ${calls}\n`)) await turn()
    },
    close: async () => {
      for (const { connection } of agents) connection.close()
      person.close()
      await server.stop()
    },
  }
}

/** Signed in, with nothing unread. */
async function signIn(
  port: number,
  id: string,
  passkey: string,
  projectId: string,
): Promise<BenchAgent> {
  const connection = await KeepAlive.open(port)
  let calls = 0
  const call = (name: string, args: object = {}): Buffer => {
    const body = {
      jsonrpc: '2.0',
      id: ++calls,
      method: 'tools/call',
      params: { name, arguments: args },
    }
    return requestBytes('POST', '/mcp', body, { token: passkey, accept: both })(port)
  }
  const tell = async <Answer>(tool: string, args?: object): Promise<Answer> => {
    const { result } = JSON.parse(await connection.ask(call(tool, args)))
    if (result.isError) throw new Error(`${tool}: ${result.content[0].text}`)
    return result.structuredContent
  }
  await tell('authenticate', { project_id: projectId })
  const agent = { id, passkey, connection, call, tell }
  await answerAll(agent, 'hi')
  return agent
}

export async function answerAll(
  { tell }: Pick<BenchAgent, 'tell'>,
  content: string,
): Promise<void> {
  await tell('get_pending_messages')
  await tell('respond_chat', { content })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
