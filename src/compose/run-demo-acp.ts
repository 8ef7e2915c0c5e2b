/** Runs the ACP demo agent as this process until its input closes. */
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { DemoAcpAgent } from '../demo/acp/demo-agent.ts'
import { findPackageRoot } from '../platform/files/package-root.ts'

/** Time after which an agent told to stay exits anyway. */
const maxStayMs = 600_000

export async function runDemoAcp(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { stdin, stdout } = process
  const demo = new DemoAcpAgent({
    input: Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
    output: Writable.toWeb(stdout),
    writeRaw: async (text) => {
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    version: findPackageRoot().version,
    stateFolder: join(
      env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'),
      'holdfast',
      'demo-agent',
    ),
    ignoreSigterm: () => void process.on('SIGTERM', () => {}),
  })
  await demo.run()
  if (!demo.habits.leavesAtEnd) await pause(maxStayMs)
}
