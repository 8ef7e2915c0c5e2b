/**
 * Tries whether an agent runs in a sandbox of this machine (SB8): its program is asked for its
 * version inside. Only for agents whose data say what they need; others have settings that nobody
 * knows, and would lose them.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { findProgram } from '../../platform/processes/find-program.ts'
import { probeSandbox } from '../../platform/processes/sandbox-probe.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { knownAgentOf } from '../../protocol/agents/known-agents.ts'
import type { SandboxProbe } from '../../protocol/agents/sandbox-probe.ts'
import { sandboxLimits } from '../../protocol/processes/sandbox-limits.ts'
import { inheritedFrom } from '../agent-environment.ts'
import { Git } from '../worktrees/git.ts'
import { openSandbox } from './sandbox.ts'

const tryMs = 20_000

type Variables = Readonly<Record<string, string | undefined>>

interface Tried {
  readonly command: string
  readonly args: readonly string[]
  /** Put in front, as at a start. */
  readonly wrapper?: readonly string[] | null | undefined
}

export const sandboxTrial =
  (env: Variables, dataFolder: string) =>
  async (agent: Tried): Promise<SandboxProbe> => {
    const machine = await probeSandbox(env)
    const knownAgent = knownAgentOf(agent)
    const recipe =
      knownAgent &&
      [knownAgent.acp, knownAgent.pulls].find(
        (each) => each && (each.command ?? each.program) === agent.command,
      )
    // npx would install it anew at each start: its cache is not seen inside.
    const isKnown = knownAgent !== undefined && basename(agent.command) !== 'npx'
    const runs =
      machine.works &&
      isKnown &&
      (await runsInside(recipe?.program ?? agent.command, agent.wrapper ?? [], env, dataFolder))
    return { machine, agent: { known: isKnown, runs }, choose: runs ? 'workplace' : 'off' }
  }

async function runsInside(
  program: string,
  wrapper: readonly string[],
  env: Variables,
  dataFolder: string,
): Promise<boolean> {
  const found = await findProgram(program, env)
  if (found === undefined) return false
  const [file = found, ...args] = [...wrapper, found, '--version']
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-try-'))
  try {
    const box = await openSandbox({
      isolation: {
        sandbox: 'workplace',
        allow: { folders: [], hosts: [] },
        wrapper,
        gateway: null,
        command: program,
      },
      env,
      dataFolder,
      file,
      folder,
      args,
      variables: inheritedFrom(env),
      secretFiles: '',
      waits: false,
      mark: { launchId: 'try', folderId: 'try' },
      git: new Git({
        clock: systemClock,
        env,
        folder: join(folder, '..', `${basename(folder)}-git`),
      }),
      limits: sandboxLimits(),
      agentId: 'try',
      serverUrl: 'http://127.0.0.1:1',
      ask: async () => false,
      onRefused: () => {},
      note: () => {},
    })
    const stdio = ['ignore', 'ignore', 'ignore', ...box.inputs.map(() => 'pipe' as const)] as const
    const child = spawn(box.file, box.args, {
      cwd: box.folder,
      env: box.env,
      stdio: [...stdio],
      timeout: tryMs,
      killSignal: 'SIGKILL',
    })
    for (const [index, bytes] of box.inputs.entries())
      (child.stdio[index + 3] as NodeJS.WritableStream).on('error', () => {}).end(bytes)
    const code = await new Promise((resolve) =>
      child.once('error', () => resolve(null)).once('close', resolve),
    )
    box.close()
    return code === 0
  } catch {
    return false
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
