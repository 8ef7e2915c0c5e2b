/** `holdfast mcp`: MCP on standard input and output, for clients that start a program rather than open an address (MC1). */
import { StringDecoder } from 'node:string_decoder'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { failed } from '../failure.ts'
import { McpBridge } from './mcp-bridge.ts'

/** Longer lines are refused; the server accepts 1 MiB. */
const maxLine = 2 * 1024 * 1024

async function speakMcp(context: CommandContext): Promise<void> {
  const { stdin, stdout } = context.terminal
  const target = launched(context) ?? (await connected(context))
  context.end()
  const bridge = new McpBridge({ ...target, write: (message) => void stdout.write(`${message}\n`) })
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const bytes of stdin) {
    const lines = (rest + decoder.write(bytes as Buffer)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLine) throw failed('A line of standard input is too long.', 'Send one message a line.')
    for (const line of lines) if (line.trim() !== '') bridge.receive(line)
  }
  await bridge.close()
}

/** Reads URL and token of a launch from the environment only (CO4), because it must not use other credentials. */
function launched({ terminal: { env } }: CommandContext): { url: string; token: string } | undefined {
  const { HOLDFAST_MCP_URL: url, HOLDFAST_LAUNCH_TOKEN: token } = env
  return url && token ? { url, token } : undefined
}

async function connected(context: CommandContext): Promise<{ url: string; token: string }> {
  const { url, token } = await context.connection()
  return { url: `${url}/mcp`, token: context.terminal.env['HOLDFAST_LAUNCH_TOKEN'] || token }
}

export const mcp = command(speakMcp)`
  Speak MCP on standard input and output, for clients that start a program
  $ mcp  what to enter as the command of an MCP server; HOLDFAST_TOKEN holds the passkey of the agent
  $ mcp --token-file passkey.txt --server https://holdfast.example.com  with a server elsewhere`
