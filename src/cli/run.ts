/**
 * The command line: does what was typed and reports how it went. `up` and `server` are recognised without the parser's library,
 * because the server's start is measured (SP1); everything that is not plainly one of them goes through the parser.
 */
import { parseServerFlags } from './system/server-flags.ts'
import type { Terminal } from './terminal.ts'

/** Gives the exit code. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const server = parseServerFlags(argv)
    if (server) {
      const { serve } = await import('./system/serve.ts')
      return await serve(server.kind, server.flags, terminal)
    }
    const { runParsed } = await import('./run-parsed.ts')
    return await runParsed(argv, terminal)
  } catch (error) {
    const { report } = await import('./report.ts')
    return report(error, terminal, argv.includes('--json'))
  }
}
