/**
 * The first start of a server, killed with -9 on its way: the next start must have the demo
 * project, with a repository that has its commit. Either at a chosen call of git, behind the first
 * write of the coordinator's token, or at any moment.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { chance } from './random.ts'
import { startServer } from './server-process.ts'

/** A first start is done by then. */
const latestKillMs = 2500

/** Calls of git that a first start makes, by their first argument. */
export type GitCall = 'init' | 'add' | 'commit'

interface Moment {
  readonly name: string
  /** A folder with the program `git` that kills its caller at this call; a time when left out. */
  readonly at: { readonly call: GitCall; readonly when: 'before' | 'after' } | number
}

export const gitCalls: readonly Moment[] = (['init', 'add', 'commit'] as const).flatMap((call) =>
  (['before', 'after'] as const).map((when) => ({
    name: `${when} git ${call}`,
    at: { call, when },
  })),
)

/** Times spread over a first start. */
export function anyMoments(seed: string, count: number): Moment[] {
  const dice = chance(seed)
  return Array.from({ length: count }, () => {
    const ms = dice.below(latestKillMs)
    return { name: `${ms} ms after its begin`, at: ms }
  })
}

interface Patience {
  /**
   * How long the demo may take to show after the server is ready: only for what hangs, and for a
   * build that is to fail.
   */
  readonly patienceMs?: number
}

export async function killedFirstStarts(
  build: string,
  moments: readonly Moment[],
  { patienceMs = 60_000 }: Patience = {},
): Promise<Tally> {
  const tally = newTally()
  for (const moment of moments) {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-first-start-'))
    const data = join(folder, 'data')
    try {
      await killFirst(build, folder, data, moment)
      addTo(tally, await findingsOfSecond(build, data, patienceMs), moment.name)
    } finally {
      await endCoordinator(data)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  return tally
}

async function killFirst(
  build: string,
  folder: string,
  data: string,
  { at }: Moment,
): Promise<void> {
  const env = typeof at === 'number' ? {} : await withKillingGit(folder, data, at)
  const server = await startServer(build, data, 0, env, 'up')
  if (typeof at === 'number') {
    await new Promise((resolve) => setTimeout(resolve, at))
    server.child.kill('SIGKILL')
  }
  await server.exited
}

/**
 * A git that does what git does and, at the chosen call, kills who called it, once the
 * coordinator's token is written.
 */
async function withKillingGit(
  folder: string,
  data: string,
  at: { call: GitCall; when: string },
): Promise<Record<string, string>> {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const kill = `[ "$1" = "${at.call}" ] && { while [ ! -f '${join(data, 'coordinator-id')}' ]; do sleep 0.02; done; kill -9 $PPID; }`
  const steps =
    at.when === 'before'
      ? [kill, `exec '${real}' "$@"`]
      : [`'${real}' "$@"`, 'code=$?', kill, 'exit $code']
  const program = join(folder, 'bin', 'git')
  await mkdir(join(folder, 'bin'))
  await writeFile(program, `#!/bin/sh\n${steps.join('\n')}\n`)
  await chmod(program, 0o755)
  return { PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` }
}

async function findingsOfSecond(
  build: string,
  data: string,
  patienceMs: number,
): Promise<ReturnType<typeof noFindings>> {
  const findings = noFindings()
  const server = await startServer(build, data, 0, {}, 'up')
  try {
    const client = createClient(await server.ready)
    const isShown = async (): Promise<string | null | undefined> => {
      const { items } = await client.get('/api/projects', {})
      if (items.length > 1) findings.doubled.push(`${items.length} projects`)
      return items.find(({ name, agentIds }) => name === 'demo' && agentIds.length === 2)?.path
    }
    const giveUpAt = performance.now() + patienceMs
    let path = await isShown()
    while (path === undefined && performance.now() < giveUpAt) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      path = await isShown()
    }
    if (path === undefined) findings.lost.push('the demo project is not there')
    else if (path === null || !isWhole(path))
      findings.torn.push(`its repository is not whole: ${path}`)
    if (
      existsSync(join(data, 'run')) &&
      (await readdir(join(data, 'run'))).includes('demo-unfinished')
    )
      findings.torn.push('an unfinished repository was left')
    return findings
  } finally {
    server.child.kill('SIGTERM')
    await server.exited
  }
}

function isWhole(repository: string): boolean {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: 'pipe' })
    return git('status', '--porcelain') === '' && git('log', '--format=%s').trim() === 'Begin'
  } catch {
    return false
  }
}
