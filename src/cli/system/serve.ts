/**
 * Runs the server until a signal stops it: `up`, `server`, and the program without a command.
 * Prints exactly two lines to standard output when ready; the log goes to standard error.
 */
import type { Kind, RunningHoldfast } from '../../compose/start-server.ts'
import { type ConfigFlags, loadConfig } from '../../platform/config/config.ts'
import { stopOnSignal } from '../../platform/processes/signals.ts'
import { signInLink } from '../../protocol/access/sign-in-link.ts'
import type { Terminal } from '../terminal.ts'

export async function serve(kind: Kind, flags: ConfigFlags, terminal: Terminal): Promise<never> {
  const { env, cwd, stdout, stderr } = terminal
  const config = loadConfig({ flags, env, cwd, logToTerminal: stderr.isTTY === true })
  const { startServer } = await import('../../compose/start-server.ts')
  let starting: Promise<RunningHoldfast> | undefined
  let running: RunningHoldfast | undefined
  const stopping = new AbortController()
  // Registered before the start, so that a signal during it stops in order too.
  const stopListening = stopOnSignal({
    stop: async () => {
      // For the person at the terminal; not needed in a service manager's log.
      if (stderr.isTTY)
        stderr.write('\nStopping: agents are ended first. Ctrl-C again ends everything at once.\n')
      stopping.abort()
      // A failed start has cleaned up and reported itself.
      const server = await starting?.catch(() => undefined)
      await server?.stop()
    },
    hurry: () => {
      running?.hurry()
      return 'exit'
    },
    onTrouble: (message, error) =>
      stderr.write(`${message}${error instanceof Error ? ` ${error.message}` : ''}\n`),
  })
  try {
    const started = startServer(config.values, env, kind, stopping.signal)
    starting = started
    const server = await started
    running = server
    stdout.write(`Holdfast is ready at ${server.url}\n`)
    stdout.write(`Sign in: ${signInLink(server.url, await server.signInCode())}\n`)
  } catch (error) {
    // Failures caused by the stop are not reported.
    if (!stopping.signal.aborted) {
      stopListening()
      throw error
    }
  }
  return new Promise(() => {})
}
