/**
 * Runs the command line. `up` and `server` are recognised without the parser: the start time is
 * measured (SP1).
 */
import { parseServerFlags } from './system/server-flags.ts'
import type { Terminal } from './terminal.ts'

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
