/** `holdfast mcp`: MCP on standard input and output, for clients that start a program rather than open an address (MC1). */
import { StringDecoder } from 'node:string_decoder'
import type { CommandSpec } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { McpBridge } from '../mcp-bridge.ts'

/** The server takes 1 MiB; a line that is longer than this is no message at all. */
const longestLine = 2 * 1024 * 1024

export const mcp: CommandSpec = {
  name: 'mcp',
  summary: 'Speak MCP on standard input and output, for clients that start a program',
  examples: [
    ['mcp', 'what to enter as the command of an MCP server; HOLDFAST_TOKEN holds the passkey of the agent'],
    ['mcp --token-file passkey.txt --server https://holdfast.example.com', 'with a server elsewhere'],
  ],
  run: async (context) => {
    const { url, token } = await context.connection()
    context.end()
    const { stdin, stdout, env } = context.terminal
    const bridge = new McpBridge({
      url: `${url}/mcp`,
      token: env['HOLDFAST_LAUNCH_TOKEN'] || token,
      write: (message) => void stdout.write(`${message}\n`),
    })
    const decoder = new StringDecoder('utf8')
    let rest = ''
    for await (const bytes of stdin) {
      const lines = (rest + decoder.write(bytes as Buffer)).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > longestLine)
        throw new CommandFailure('failed', 'A line of standard input is too long.', 'Send one message a line.')
      for (const line of lines) if (line.trim() !== '') bridge.receive(line)
    }
    await bridge.close()
  },
}
