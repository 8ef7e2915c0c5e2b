/** An agent's process as the coordinator starts it, and what became of it. */
import { onTestFinished } from 'vitest'
import {
  AgentProcess,
  type AgentProcessOptions,
  type Exit,
} from '../../src/coordinator/agent-process.ts'
import { ProcessTable } from '../../src/coordinator/process-tree.ts'
import { SandboxWatch } from '../../src/coordinator/sandbox/sandbox-watch.ts'
import { Git } from '../../src/coordinator/worktrees/git.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import type { LaunchParticulars } from '../../src/protocol/processes/link.ts'
import { sandboxLimits } from '../../src/protocol/processes/sandbox-limits.ts'
import { particularsOf } from './launch-particulars.ts'
import { machine } from './script-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface StartedAgent {
  readonly agent: AgentProcess
  readonly exit: Promise<Exit>
  readonly pieces: readonly string[]
  output(): string
  /** Resolves when this was written. */
  wrote(text: string): Promise<void>
}

/** The usual limits, which nothing reaches. */
const unlimited = (
  table: ProcessTable,
): Pick<AgentProcessOptions['sandbox'], 'limits' | 'watch' | 'onLimit'> => ({
  limits: sandboxLimits(),
  watch: new SandboxWatch(table, systemClock),
  onLimit: () => {},
})

export async function startAgent(
  changes: Partial<LaunchParticulars>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<StartedAgent> {
  const particulars = particularsOf(changes)
  const dataFolder = temporaryFolder()
  const pieces: string[] = []
  const table = new ProcessTable(machine)
  let heard = (): void => {}
  const { promise: exit, resolve } = Promise.withResolvers<Exit>()
  const agent = await AgentProcess.start({
    particulars,
    mark: { launchId: particulars.launchId, folderId: 'keeper-of-this-test' },
    serverUrl: 'http://127.0.0.1:1',
    program: [process.execPath, '-e', 'console.log("it is I:", ...process.argv.slice(1))', '--'],
    fallbackFolder: `${dataFolder}/launches/${particulars.launchId}`,
    sandbox: {
      git: new Git({ clock: systemClock, env, folder: `${dataFolder}/worktrees/.states` }),
      dataFolder,
      ask: async () => false,
      ...unlimited(table),
    },
    env,
    table,
    clock: systemClock,
    onOutput: (text) => {
      pieces.push(text)
      heard()
    },
    onExit: resolve,
  })
  onTestFinished(async () => {
    agent.kill()
    await agent.gone
  })
  const output = (): string => pieces.join('')
  return {
    agent,
    exit,
    pieces,
    output,
    async wrote(text) {
      while (!output().includes(text)) await new Promise<void>((resolve) => (heard = resolve))
    },
  }
}
