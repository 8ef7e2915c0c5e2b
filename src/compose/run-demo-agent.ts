/**
 * Runs the MCP demo agent as this process until it is told to exit or a signal stops it; then it
 * logs out.
 */
import { DemoAgent, type DemoAgentOptions } from '../demo/mcp/demo-agent.ts'
import { stopOnSignal } from '../platform/processes/signals.ts'

export async function runDemoAgent(
  options: Omit<DemoAgentOptions, 'ignoreSigterm'>,
): Promise<void> {
  const { log } = options
  let stopping = false
  const stopListening = stopOnSignal({
    stop: () => {
      stopping = true
      return agent.stop()
    },
    onTrouble: (message, error) =>
      log(`${message}${error instanceof Error ? ` ${error.message}` : ''}`),
  })
  const ignoreSigterm = (): void => {
    stopListening()
    process.on('SIGTERM', () => {})
  }
  const agent = new DemoAgent({ ...options, ignoreSigterm })
  try {
    await agent.run()
  } catch (error) {
    // The signal handler ends the process.
    if (stopping) return new Promise(() => {})
    throw error
  } finally {
    if (!stopping) stopListening()
  }
}
