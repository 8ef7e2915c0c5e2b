/**
 * Detects which known agents are installed on this machine, their versions, and whether somebody
 * has signed in (AG5). Searches PATH, then the agents that Holdfast has installed, then the folders
 * npm installs programs to, and runs each program with a time limit and without a shell. Results
 * are cached for a minute, because programs take long to answer.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram } from '../../platform/processes/find-program.ts'
import { killGroup } from '../../platform/processes/signals.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { DetectedAgents } from '../../protocol/agents/detected-agent.ts'
import { holdSeconds, type KnownAgent } from '../../protocol/agents/known-agent.ts'
import { type KnownRecipe, knownRecipes } from '../../protocol/agents/known-agents.ts'
import { agentFolder, installedProgramFolders } from './agent-folders.ts'
import { asTyped, installArguments } from './install-command.ts'
import { type InstallableAgent, installable } from './installable.ts'
import { installedFromRegistry } from './registry.ts'

type DetectedAgent = DetectedAgents['items'][number]

const believedMs = 60_000
const defaultPatienceMs = 10_000
const maxVersionText = 16 * 1024

export interface DetectionOptions {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  /** The data folder, which has the agents that Holdfast has installed (AG18). */
  readonly data: string
  /** Time a program has to print its version. */
  readonly patienceMs?: number
}

export class AgentDetection {
  readonly #options: Required<DetectionOptions>
  #found: { readonly agents: Promise<DetectedAgents>; readonly until: number } | undefined

  constructor(options: DetectionOptions) {
    this.#options = { patienceMs: defaultPatienceMs, ...options }
  }

  /** Concurrent callers share one detection. */
  readonly detect = (): Promise<DetectedAgents> => {
    const { clock, ...options } = this.#options
    if (!this.#found || clock.now() >= this.#found.until)
      this.#found = { agents: detectAgents(options), until: clock.now() + believedMs }
    return this.#found.agents
  }

  /** Something was installed or signed in: the next caller looks again. */
  forget(): void {
    this.#found = undefined
  }
}

interface Detection extends Required<Omit<DetectionOptions, 'clock'>> {
  /** Versions by file: a program with several recipes is run once. */
  readonly versions: Map<string, Promise<string | null>>
  readonly npmFolders: readonly string[]
  readonly ownFolders: readonly string[]
}

async function detectAgents(
  options: Omit<Detection, 'versions' | 'npmFolders' | 'ownFolders'>,
): Promise<DetectedAgents> {
  const detection = {
    ...options,
    versions: new Map(),
    npmFolders: await npmProgramFolders(options.env),
    ownFolders: installedProgramFolders(options.data),
  }
  const looked = await Promise.all(knownRecipes.map((recipe) => lookFor(recipe, detection)))
  const items = [
    ...looked.filter((each) => each !== undefined),
    ...installedFromRegistry(options.data, options.env['PATH']),
  ]
  const missing = installable
    .filter(({ id }) => !items.some((item) => item.agent === id))
    .map((agent) => missingAgent(agent, options.data))
  return { items, missing }
}

function missingAgent({ id, name, install }: InstallableAgent, data: string) {
  if (!('npm' in install)) return { id, name, install: install.command, installs: null }
  const args = installArguments(agentFolder(data, id), install.npm)
  return {
    id,
    name,
    install: `npm install -g ${install.npm.join(' ')}`,
    installs: asTyped({ file: 'npm', args }),
  }
}

async function lookFor(
  recipe: KnownRecipe,
  detection: Detection,
): Promise<DetectedAgent | undefined> {
  const { id, protocol, program, command, args, env, triedWith, agent } = recipe
  const onPath = await findProgram(program, detection.env)
  const file = onPath ?? (await findInstalled(program, detection))
  if (file === undefined) return undefined
  const version = detection.versions.get(file) ?? versionOf(file, detection)
  detection.versions.set(file, version)
  const { name } = agent
  // A program outside of PATH is named by its file, and its folder comes first on its PATH: there
  // is the Node it was installed with.
  const elsewhere: Record<string, string> =
    onPath === undefined ? { PATH: `${dirname(file)}:${detection.env['PATH'] ?? ''}` } : {}
  const started = command ?? (onPath === undefined ? file : program)
  const draft = {
    id,
    name,
    protocol,
    command: started,
    args: [...args],
    env: { ...env, ...elsewhere },
    holdSeconds,
  }
  const { command: signIn, keys, press } = agent.signIn
  const presses = press && (await findAnywhere(press.program, detection)) !== undefined
  return {
    id,
    agent: agent.id,
    name,
    file,
    version: await version,
    triedWith,
    draft,
    signedIn: isSignedIn(agent, detection.env),
    signIn,
    keys: [...keys],
    signsIn: presses ? asTyped({ file: press.program, args: press.args }) : null,
  }
}

/** Whether a file shows that somebody has signed in; null where no file would show it. */
function isSignedIn({ signIn }: KnownAgent, { HOME }: DetectionOptions['env']): boolean | null {
  if (signIn.files.length === 0 || HOME === undefined) return null
  return signIn.files.some((file) => existsSync(join(HOME, file)))
}

const findAnywhere = async (program: string, detection: Detection): Promise<string | undefined> =>
  (await findProgram(program, detection.env)) ?? (await findInstalled(program, detection))

async function findInstalled(
  program: string,
  { npmFolders, ownFolders }: Detection,
): Promise<string | undefined> {
  for (const folder of [...ownFolders, ...npmFolders]) {
    const file = await findProgram(join(folder, program), {})
    if (file !== undefined) return file
  }
  return undefined
}

/**
 * Where npm puts programs of global packages: its prefix as configured, its usual places, and those
 * of nvm.
 */
async function npmProgramFolders(env: DetectionOptions['env']): Promise<string[]> {
  const { HOME, npm_config_prefix: configured, NVM_DIR } = env
  const home = (...path: string[]): string[] => (HOME === undefined ? [] : [join(HOME, ...path)])
  const npm = await findProgram('npm', env)
  const nvm = join(NVM_DIR ?? home('.nvm')[0] ?? '', 'versions', 'node')
  const prefixes = [
    ...(configured ? [configured] : []),
    ...prefixIn(home('.npmrc')[0]),
    ...home('.npm-global'),
    ...home('.local'),
    ...(npm === undefined ? [] : [dirname(dirname(npm))]),
    ...namesIn(nvm).map((version) => join(nvm, version)),
  ]
  return [...new Set(prefixes.map((prefix) => join(prefix, 'bin')))]
}

function prefixIn(npmrc: string | undefined): string[] {
  try {
    const [, prefix] = /^\s*prefix\s*=\s*(.+?)\s*$/m.exec(readFileSync(npmrc ?? '', 'utf8')) ?? []
    return prefix === undefined ? [] : [prefix.replace(/^(~|\$\{HOME\})/, dirname(npmrc ?? ''))]
  } catch {
    return []
  }
}

/** The names in a folder, the last first; none where there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort().reverse()
  } catch {
    return []
  }
}

/** Returns the first part of its output that looks like a version. */
async function versionOf(file: string, { env, patienceMs }: Detection): Promise<string | null> {
  const detached = process.platform !== 'win32'
  const child = spawn(file, ['--version'], {
    env: minimalEnvironment(env),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached,
  })
  const end = (): void => killGroup(child)
  const timer = setTimeout(end, patienceMs)
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
    if (written.length > maxVersionText) end()
  })
  await new Promise<void>((resolve) => child.once('close', resolve).once('error', () => resolve()))
  clearTimeout(timer)
  return /\d+\.\d+[\w.+-]{0,40}/.exec(written.slice(0, maxVersionText))?.[0] ?? null
}

/**
 * A minimal environment without the server's secrets, because a program found on PATH is not
 * trusted with them.
 */
function minimalEnvironment({ PATH, HOME, LANG }: DetectionOptions['env']): NodeJS.ProcessEnv {
  return { PATH, HOME, LANG, TERM: 'dumb' }
}
