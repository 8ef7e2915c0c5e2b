/**
 * Runs the command that must succeed before anything is landed (LD6): in the workplace, with the
 * isolation of the conversation's agent, because what it runs was written by that agent.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mask } from '../../platform/log/mask.ts'
import { killGroup } from '../../platform/processes/signals.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import { sandboxLimits } from '../../protocol/processes/sandbox-limits.ts'
import type { StepAnswer } from '../../protocol/review/landing-requests.ts'
import { inheritedFrom } from '../agent-environment.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import type { Git } from '../worktrees/git.ts'

const checkMs = 600_000
const maxOutput = 8 * 1024

export interface CheckOptions {
  readonly folder: string
  readonly command: readonly string[]
  readonly isolation: NonNullable<LaunchParticulars['isolation']> | null
  readonly git: Git
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly dataFolder: string
}

export async function runCheck(options: CheckOptions): Promise<StepAnswer> {
  const { command, folder, isolation, env } = options
  const [file = 'true', ...args] = [...(isolation?.wrapper ?? []), ...command]
  if (!existsSync(folder)) return { outcome: 'refused', code: 'check_failed', why: folder }
  const variables = inheritedFrom(env)
  if (!isolation || isolation.sandbox === 'off')
    return ended(options, { file, args, env: variables, folder, inputs: [] })
  const box = await openSandbox({
    isolation,
    env,
    variables,
    file,
    args,
    folder,
    dataFolder: options.dataFolder,
    secretFiles: '',
    waits: false,
    mark: { launchId: 'check', folderId: 'check' },
    git: options.git,
    limits: sandboxLimits(),
    agentId: 'check',
    serverUrl: 'http://127.0.0.1:1',
    ask: async () => false,
    onRefused: () => {},
    note: () => {},
  })
  try {
    return await ended(options, box)
  } finally {
    box.close()
  }
}

interface Started {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly inputs: readonly Buffer[]
}

async function ended({ clock }: CheckOptions, started: Started): Promise<StepAnswer> {
  const pipes = started.inputs.map(() => 'pipe' as const)
  const child = spawn(started.file, [...started.args], {
    cwd: started.folder,
    env: { ...started.env },
    stdio: ['ignore', 'pipe', 'pipe', ...pipes],
    detached: true,
  })
  for (const [index, bytes] of started.inputs.entries())
    (child.stdio[index + 3] as NodeJS.WritableStream).on('error', () => {}).end(bytes)
  let output = ''
  const add = (bytes: Buffer): void => {
    output = (output + bytes.toString()).slice(-2 * maxOutput)
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  let isLate = false
  const stopWaiting = clock.after(checkMs, () => {
    isLate = true
    killGroup(child)
  })
  const code = await new Promise<number | string | null>((resolve) =>
    child
      .once('error', (error) => resolve(error.message))
      .once('exit', (exitCode) => resolve(exitCode)),
  )
  stopWaiting()
  // What it has left running ends with it.
  killGroup(child)
  const shown = mask(output).slice(-maxOutput).trim()
  if (code === 0) return { outcome: 'done', output: shown }
  const how = isLate ? `It was ended after ${checkMs / 60_000} minutes.` : `It ended with ${code}.`
  return { outcome: 'refused', code: 'check_failed', why: `${shown}\n${how}`.trim() }
}
