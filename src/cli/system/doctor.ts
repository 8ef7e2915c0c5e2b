/**
 * `holdfast doctor`: checks the installation and says what to do about each problem (CL3). Changes
 * nothing.
 */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Client, createClient } from '../../client/client.ts'
import type { DeepCheck } from '../../offline/deep-check.ts'
import type { CheckedConfig, LoadedConfig } from '../../platform/config/config.ts'
import { configFileName } from '../../platform/config/config-file.ts'
import { mayEnter } from '../../platform/files/data-folder.ts'
import { findPackageRoot } from '../../platform/files/package-root.ts'
import { mask, masked } from '../../platform/log/mask.ts'
import { visible } from '../../platform/log/visible.ts'
import { probeSandbox, type SandboxAbility } from '../../platform/processes/sandbox-probe.ts'
import { StartFailure } from '../../platform/processes/start-failure.ts'
import { type ConfigKey, configKeys, configRules } from '../../protocol/config.ts'
import { counted } from '../amounts.ts'
import { command, option } from '../command.ts'
import { type Connection, isOurMachine, serverAddress } from '../connect.ts'
import type { CommandContext } from '../context.ts'
import { padTo } from '../display-width.ts'
import { CommandFailure, failed, usage } from '../failure.ts'
import { ofOlderServer } from '../older-server.ts'
import { coordinatorsOf } from '../processes/processes.ts'
import { asTyped, startCommand } from '../program-name.ts'
import { beginStep } from '../step.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { checkAgents, checkCoordinators, checkCredential } from './doctor/agents.ts'
import { bad, type Check, good, warning } from './doctor/check.ts'
import { checkDatabase, checkFolder, checkSecrets } from './doctor/folder.ts'
import { checkProjects } from './doctor/projects.ts'
import { checkServer } from './doctor/server.ts'

const name = 'Deep check'
const next = 'Make a copy of the data folder as it is, then restore the last good backup.'

/** Checks all data of the database (`--deep`); takes as long as reading it. Changes nothing. */
export async function checkDeep(
  terminal: Terminal,
  { values }: LoadedConfig,
): Promise<{ check: Check; deep: DeepCheck | null }> {
  const { checkDeeply } = await import('../../offline/deep-check.ts')
  const step = beginStep(terminal, 'Looking through everything')
  try {
    const deep = await checkDeeply(values, (rows) => step.update(counted(rows, 'row')))
    const { rows, findings } = deep
    const check =
      findings.length === 0
        ? good(
            name,
            `${counted(rows, 'row')} read: the file is whole, streams are dense, state is what the events say`,
          )
        : bad(
            name,
            `${counted(findings.length, 'thing')} found in ${counted(rows, 'row')}, listed below`,
            next,
          )
    return { check, deep }
  } catch (error) {
    if (!(error instanceof StartFailure))
      return { check: bad(name, (error as Error).message, next), deep: null }
    return { check: bad(name, error.message, error.next), deep: null }
  } finally {
    step.end()
  }
}

const oldestNode = 24
const gitTimeoutMs = 5_000
/**
 * SE20: the newest git that the traps of a repository were tried with
 * (test/coordinator/worktrees/git-traps.test.ts).
 */
const newestTried = { major: 2, minor: 55 }

export function checkNode(version: string = process.versions.node): Check {
  const major = Number(version.split('.')[0])
  return major >= oldestNode
    ? good('Node', version)
    : bad(
        'Node',
        `${version} is too old`,
        `Install Node ${oldestNode} or later; in a clone \`npm start\` brings its own.`,
      )
}

/** Checks git, needed for checkpoints and worktrees, not for the server. */
export async function checkGit(env: NodeJS.ProcessEnv): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], {
      timeout: gitTimeoutMs,
      env,
    })
    const version = stdout.trim().replace(/^git version /, '')
    const [major = 0, minor = 0] = version.split('.').map(Number)
    if (major < newestTried.major || (major === newestTried.major && minor <= newestTried.minor))
      return good('git', version)
    const next =
      'Holdfast was not tried against what a repository can make this git do. Look for a newer Holdfast.'
    return warning(
      'git',
      `${version} is newer than ${newestTried.major}.${newestTried.minor}`,
      next,
    )
  } catch {
    return warning('git', 'cannot be run', 'Install git: agents work in git worktrees.')
  }
}

/** Checks what agents can be isolated with (SB2). */
function checkSandbox({ tool, version, works, problem, install }: SandboxAbility): Check {
  if (works) return good('Sandbox', `${tool} ${version}`)
  const next = install
    ? `Install it: ${install}`
    : 'Agents can run without one; see docs/operating/sandbox.md.'
  return warning('Sandbox', `agents cannot be run in one: ${problem}`, next)
}

/** Checks that daily notes are in their files (DC4). Reports only problems. */
export async function checkNotes(client: Client): Promise<Check[]> {
  const { items } = await client.get('/api/notes', { query: { state: 'pending', limit: 200 } })
  const failed = items.filter(({ problem }) => problem !== null)
  const [newest] = failed
  if (!newest) return []
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  const detail = `the note of ${newest.date}${others} cannot be written: ${visible(newest.problem ?? '')}`
  return [
    warning(
      'Notes',
      detail,
      'Make the folder writable; it is tried again by itself, and nothing is lost.',
    ),
  ]
}

/**
 * Finds files of work sessions that were edited by hand and could not be taken in (AR3), among the
 * newest of each project.
 */
async function checkWorkFiles(client: Client): Promise<Check[]> {
  const checks: Check[] = []
  for await (const { id: projectId, name } of client.pages('/api/projects')) {
    const { items } = await client.get('/api/projects/{projectId}/sessions', {
      params: { projectId },
      query: { limit: 200 },
    })
    for (const { id, fileProblem } of items)
      if (fileProblem !== null)
        checks.push(
          warning(
            `Work session ${id}`,
            visible(fileProblem),
            `Correct the file in the project ${visible(name)}.`,
          ),
        )
  }
  return checks
}

function namedServer(
  typed: string | undefined,
  inEnvironment: string | undefined,
): string | undefined {
  if (typed !== undefined) return serverAddress(typed, '--server')
  return inEnvironment ? serverAddress(inEnvironment, 'HOLDFAST_URL') : undefined
}

function checkConfiguration({ file, problems }: CheckedConfig, cwd: string): Check[] {
  const ignored = join(cwd, configFileName)
  if (problems.length > 0)
    return problems.map((problem) => bad('Configuration', problem, 'Correct it where it was said.'))
  if (file === ignored || !existsSync(ignored))
    return [good('Configuration', file ?? 'no file; defaults, environment and flags')]
  const why =
    'Files in the working directory are not trusted; name it with --config, or move it to the data folder.'
  return [warning('Configuration', `${ignored} is not read`, why)]
}

async function checkWithCredential(context: CommandContext, url: string): Promise<Check[]> {
  let token: string
  try {
    token = (await context.connection()).token
  } catch (error) {
    return [
      bad(
        'Credential',
        (error as Error).message,
        error instanceof CommandFailure ? error.next : 'Set HOLDFAST_TOKEN.',
      ),
    ]
  }
  const client = createClient({ url, token })
  const credential = await checkCredential(client)
  if (credential.state === 'bad') return [credential]
  const looks: Record<string, () => Promise<Check[]>> = {
    'Coordinator and agents': async () => {
      const coordinators = await coordinatorsOf(client)
      const connected = coordinators
        .filter(({ state }) => state === 'connected')
        .map(({ machine }) => machine)
      const machines = { connected, here: hostname(), serverElsewhere: !isOurMachine(url) }
      return [
        checkCoordinators(coordinators),
        ...(await checkAgents(client, context.terminal.env, machines)),
      ]
    },
    Projects: () => checkProjects(client),
    Notes: () => checkNotes(client),
    'Work sessions': () => checkWorkFiles(client),
  }
  const checks = [credential]
  for (const [name, look] of Object.entries(looks))
    checks.push(...(await look().catch((error) => failedCheck(name, error, { url, token }))))
  return checks
}

/** Reports a check that failed to run, so that the others still run. */
async function failedCheck(name: string, error: unknown, connection: Connection): Promise<Check[]> {
  const older = await ofOlderServer(error, connection)
  const words = error instanceof Error ? error.message : String(error)
  return [
    warning(
      name,
      `could not be looked at: ${older?.message ?? words}`,
      older?.next ?? 'Try again.',
    ),
  ]
}

const findingsTable = ({ paint }: CommandContext, findings: DeepCheck['findings']): string =>
  table(
    findings,
    [
      { title: 'FOUND IN', of: (each) => each.check, style: 'red' },
      { title: 'WHERE', of: (each) => each.where },
      { title: 'WHAT', of: (each) => each.what },
    ],
    paint,
  )

/** Hides tokens, and the password of an address. */
function shownValue(key: ConfigKey, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return /^(?:bot|app)-token$/.test(configRules[key].kind) ? masked : mask(value)
}

const marks = { good: ['green', '✓'], warning: ['yellow', '!'], bad: ['red', '✗'] } as const

function line(
  { paint, terminal: { env } }: CommandContext,
  { name, state, detail, next }: Check,
  all: readonly Check[],
): string {
  const [style, mark] = marks[state]
  const width = Math.max(...all.map((check) => check.name.length))
  const first = `  ${paint(style, mark)} ${padTo(name, width)}  ${visible(detail)}`
  return next
    ? `${first}\n    ${' '.repeat(width)}  ${paint('dim', `→ ${visible(asTyped(next, env))}`)}`
    : first
}

export const doctor = command({
  summary: 'Check everything and say what to do',
  options: {
    deep: option.flag(
      'also read everything in the database and say what does not fit together; takes a while',
    ),
  },
  examples: [
    ['doctor', 'Node, git, folder, store, port, agents, and where each setting came from'],
    [
      'doctor --deep',
      'also integrity, dense streams, and state against events; works beside a running server',
    ],
    ['doctor --json', 'for a program'],
  ],
  async run(context, given) {
    const { version } = findPackageRoot()
    const { env, cwd } = context.terminal
    const config = context.checkedConfig()
    const named = namedServer(context.shared.server, env['HOLDFAST_URL'])
    if (named && given.deep)
      throw usage(
        '--deep reads the database itself, not through a server.',
        'Leave out --server and HOLDFAST_URL, there where the data is.',
      )
    const sandbox = await probeSandbox(env)
    const checks: Check[] = [
      checkNode(),
      await checkGit(env as NodeJS.ProcessEnv),
      checkSandbox(sandbox),
      ...checkConfiguration(config, cwd),
      await checkFolder(config.values.data),
      ...(await checkSecrets(config.values.data)),
    ]
    if (named && !isOurMachine(named))
      checks.push(good('This machine', `all above is about ${hostname()}, below about ${named}`))
    // Nothing can be checked in a folder without access.
    if (named || mayEnter(config.values.data)) {
      const server = await checkServer(config, named, version, startCommand(env))
      checks.push(...server.checks)
      if (server.url) checks.push(...(await checkWithCredential(context, server.url)))
      else if (!named) checks.push(await checkDatabase(config.values))
    }
    const looked = given.deep ? await checkDeep(context.terminal, config) : undefined
    if (looked) checks.push(looked.check)

    const values = configKeys.map((key) => ({
      key,
      value: config.values[key],
      origin: config.origins[key],
    }))
    const shown = values.map((each) => ({ ...each, value: shownValue(each.key, each.value) }))
    const deep = looked ? { deep: looked.deep } : {}
    context.answer(
      { version, checks, sandbox, ...deep, config: { file: config.file, values: shown } },
      () => {
        const { paint } = context
        const rows = shown.map(({ key, value, origin }) => ({
          key,
          value: value === null ? '–' : String(value),
          origin,
        }))
        const list = context.table(rows, {
          empty: '',
          columns: [
            { title: 'SETTING', of: (row) => row.key },
            {
              title: 'VALUE',
              of: (row) => row.value,
              style: (row) => (row.origin === 'default' ? 'reset' : 'bold'),
              shrinks: true,
            },
            { title: 'FROM', of: (row) => row.origin, style: 'dim', shrinks: true },
          ],
        })
        const found = looked?.deep?.findings.length
          ? `${findingsTable(context, looked.deep.findings)}\n\n`
          : ''
        return `${paint('bold', `Holdfast ${version}`)}\n\n${checks.map((check) => line(context, check, checks)).join('\n')}\n\n${found}${list}`
      },
    )
    const wrong = checks.filter(({ state }) => state === 'bad').length
    if (wrong > 0)
      throw failed(
        wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`,
        'The lines with ✗ say what to do.',
      )
  },
})
