/**
 * An agent that pulls its work, as somebody else would write one: the official MCP client, and a
 * model that is sent what it was handed and all it has said and heard since. MODEL says where that
 * is.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

type Fields = Record<string, unknown>

const { env } = process
const wait = { wait_seconds: 30 }
const headers = { authorization: `Bearer ${env['HOLDFAST_LAUNCH_TOKEN']}` }
const client = new Client({ name: 'pulling', version: '1.0.0' })
await client.connect(
  new StreamableHTTPClientTransport(new URL(String(env['HOLDFAST_MCP_URL'])), {
    requestInit: { headers },
  }),
)

async function call(name: string, args: Fields): Promise<Fields> {
  const { structuredContent, isError } = await client.callTool({ name, arguments: args })
  if (isError) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`)
  return structuredContent as Fields
}

/** What the model is sent, and what it says is added. */
const talk: { role: string; content: string }[] = []

async function think(): Promise<string> {
  const tools = [
    { type: 'function', function: { name: 'get_history', parameters: { type: 'object' } } },
  ]
  const body = JSON.stringify({ model: 'scripted-1', messages: talk, tools })
  const response = await fetch(`${env['MODEL']}/v1/chat/completions`, { method: 'POST', body })
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  const content = choices[0]?.message.content ?? ''
  talk.push({ role: 'assistant', content })
  return content
}

const whoami = {
  agent_id: env['HOLDFAST_AGENT_ID'],
  project_id: env['HOLDFAST_PROJECT_ID'],
  launch_id: env['HOLDFAST_LAUNCH_ID'],
}
const { session_token } = await call('authenticate', whoami)
for (;;) {
  const { action } = await call('get_next_action', { session_token, ...wait })
  if (action === 'exit') break
  if (action !== 'get_pending_messages') continue
  const { messages, history } = await call('get_pending_messages', { session_token })
  if (history) talk.push({ role: 'system', content: String(history) })
  for (const { content } of messages as { content: string }[]) talk.push({ role: 'user', content })
  await call('respond_chat', { session_token, content: await think() })
}
process.exit(0)
