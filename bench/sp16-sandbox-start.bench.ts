/**
 * SP16: the start of an agent's process in a sandbox until it is heard, beside the same without.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { AgentProcess, type Exit } from '../src/coordinator/agent-process.ts'
import { ProcessTable } from '../src/coordinator/process-tree.ts'
import { SandboxWatch } from '../src/coordinator/sandbox/sandbox-watch.ts'
import { Git } from '../src/coordinator/worktrees/git.ts'
import type { SandboxMode } from '../src/domain/agents/isolation.ts'
import { processes } from '../src/platform/processes/processes.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import type { LaunchParticulars } from '../src/protocol/processes/link.ts'
import { sandboxLimits } from '../src/protocol/processes/sandbox-limits.ts'
import { makeScene, type Scene } from '../test/faults/escapes/scene.ts'
import { setup as wantBubblewrap } from '../test/support/bubblewrap.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { median } from './harness/statistics.ts'

const startsPerRound = 11

function starts(sandbox: SandboxMode, { home, data, worktree }: Scene, git: Git): Contender {
  if (!processes) throw new Error('Processes cannot be told apart on this system.')
  const table = new ProcessTable(processes)
  const env = { PATH: process.env['PATH'], HOME: home }
  let count = 0
  const start = async (): Promise<number> => {
    const launchId = `bench-${sandbox}-${++count}`
    const command = '/bin/sh'
    const particulars = {
      type: 'coordinator:launch',
      launchId,
      agentId: 'a',
      projectId: 'p',
      protocol: 'acp',
      acp: {},
      folder: worktree,
      env: {},
      secrets: { environment: {}, files: {} },
      command,
      args: ['-c', 'echo ready'],
      launchToken: 'hf_launch_bench',
      isolation: {
        sandbox,
        allow: { folders: [], hosts: [] },
        wrapper: null,
        gateway: null,
        command,
      },
    } as unknown as LaunchParticulars
    const { promise, resolve } = Promise.withResolvers<Exit>()
    const from = performance.now()
    const agent = await AgentProcess.start({
      particulars,
      env,
      table,
      clock: systemClock,
      program: [process.execPath],
      onExit: resolve,
      onOutput: () => {},
      mark: { launchId, folderId: 'bench' },
      serverUrl: 'http://127.0.0.1:1',
      fallbackFolder: join(data, 'launches', launchId),
      sandbox: {
        git,
        dataFolder: data,
        ask: async () => false,
        limits: sandboxLimits(),
        watch: new SandboxWatch(table, systemClock),
        onLimit: () => {},
      },
    })
    if (!agent.pipes) throw new Error('The agent has no pipes.')
    await once(agent.pipes.from, 'data')
    const took = performance.now() - from
    await promise
    await agent.gone
    return took
  }
  return {
    name: sandbox === 'off' ? 'without' : sandbox,
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < startsPerRound; nth++) times.push(await start())
      return median(times)
    },
  }
}

export const sandboxStart: readonly Comparison[] = (['workplace', 'strict'] as const).map(
  (mode) => ({
    title: `[SP16] start in the sandbox ${mode}`,
    unit: 'ms',
    goal: { kind: 'over', limit: 50 },
    prepare: async () => {
      await wantBubblewrap()
      const scene = await makeScene()
      const git = new Git({
        clock: systemClock,
        env: { PATH: process.env['PATH'], HOME: scene.home },
        folder: join(scene.data, 'worktrees/.states'),
      })
      return {
        ours: starts(mode, scene, git),
        yardstick: starts('off', scene, git),
        close: () => scene.close(),
      }
    },
  }),
)
