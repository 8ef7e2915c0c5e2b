/**
 * Runs an agent's process in a sandbox (SB3-SB6): its workplace and its own settings writable,
 * toolchains readable, everything else of the machine not there, and a network of its own behind a
 * bridge. Fails where there is no sandbox rather than run without one.
 */

import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { isBelow } from '../../platform/files/path-inside.ts'
import { findProgram } from '../../platform/processes/find-program.ts'
import type { LaunchMark } from '../../platform/processes/launch-mark.ts'
import { markVariables } from '../../platform/processes/launch-mark.ts'
import { probeSandbox, type SandboxAbility } from '../../platform/processes/sandbox-probe.ts'
import { knownAgentOf } from '../../protocol/agents/known-agents.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import type { SandboxLimits } from '../../protocol/processes/sandbox-limits.ts'
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'
import type { Git } from '../worktrees/git.ts'
import { personsSettings } from '../worktrees/git-settings.ts'
import { ownNeeds, placeIn, settingsOf } from './agent-settings.ts'
import { Bridge, type BridgeOptions, forwarder, proxyPort } from './bridge.ts'
import { dataFoldersIn, isHiddenIn, isInDataFolder } from './data-folders.ts'
import { ownHome } from './own-home.ts'
import { ownParts } from './own-parts.ts'
import { PrivateRepository, type RunInside } from './private-repository.ts'
import { bwrapArguments, type Mount, readable } from './profile.ts'
import { macProfile } from './profile-mac.ts'
import { isNarrow, ownFiles, programFolders, toolchains } from './program-folders.ts'
import { seccompFilter } from './seccomp.ts'

type Variables = Readonly<Record<string, string | undefined>>

export interface SandboxOptions
  extends Pick<BridgeOptions, 'serverUrl' | 'ask' | 'onRefused' | 'gateway'> {
  readonly isolation: NonNullable<LaunchParticulars['isolation']>
  readonly mark: LaunchMark
  readonly git: Git
  readonly dataFolder: string
  readonly limits: SandboxLimits
  readonly env: Variables
  readonly variables: Readonly<Record<string, string>>
  /** The command with its arguments, and the folder it starts in. */
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  /** The files of its secrets (SR3), if it has any. */
  readonly secretFiles: string
  readonly agentId: string
  /** For the agent's output. */
  readonly note: (text: string) => void
  /** The program begins by itself, so the way to the network must be open first. */
  readonly waits: boolean
}

export interface Sandboxed {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly inputs: readonly Buffer[]
  /** What it may write to besides what is in memory; the workplace first. */
  readonly writable: readonly string[]
  readonly sync: () => Promise<void>
  readonly close: () => void
}

/** A sandbox cannot be made, with a message for the person who chose it. */
class NoSandbox extends DetailError {}

const inside = { bridge: '/run/holdfast/bridge', ready: '/run/holdfast-ready' }
/** Not handed in: sockets that are not there, and proxies that cannot be reached. */
const leftOut = /^(SSH_AUTH_SOCK|XDG_RUNTIME_DIR|TMPDIR|(HTTPS?|ALL|NO)_PROXY)$/i
/** Starts the forwarder beside the agent, with `wait` first. */
const beside = [
  'node=$1 code=$2 socket=$3 ready=$4 ports=$5 wait=$6 blocks=$7 processes=$8; shift 8',
  // Shells name the limit of processes one way or the other. Root has none, and is counted outside
  // (SB13).
  'ulimit -f "$blocks" 2>/dev/null; ulimit -u "$processes" 2>/dev/null || ulimit -p "$processes" 2>/dev/null',
  '"$node" -e "$code" "$socket" "$ready" $ports </dev/null >/dev/null 2>&1 &',
  'while [ "$wait" -gt 0 ] && [ ! -e "$ready" ]; do sleep 0.02; wait=$((wait - 1)); done',
  'exec "$@"',
].join('\n')
/** Steps of 20 ms. */
const maxWaits = 500
/** POSIX counts the size of a file in these. */
const ulimitBlock = 512

const startBeside = (
  { file, args, waits, limits }: SandboxOptions,
  { ports }: Bridge,
  at: typeof inside,
): string[] => [
  ...['/bin/sh', '-c', beside, 'sh', process.execPath, forwarder, at.bridge, at.ready],
  ...[ports.join(' '), waits ? String(maxWaits) : '0'],
  ...[
    String((limits.maxFileMb * 1024 ** 2) / ulimitBlock),
    String(limits.maxProcesses),
    file,
    ...args,
  ],
]

let ability: Promise<SandboxAbility> | undefined

async function requireAbility(env: Variables): Promise<SandboxAbility> {
  ability ??= probeSandbox(env)
  const found = await ability
  if (found.works) return found
  // The tool may be installed meanwhile.
  ability = undefined
  const { problem, install } = found
  throw new NoSandbox(
    statusNotice('noSandbox', { problem: problem ?? '', install: install ?? '`holdfast doctor`' }),
  )
}

export async function openSandbox(options: SandboxOptions): Promise<Sandboxed> {
  const {
    isolation,
    env,
    variables,
    folder,
    file,
    args,
    mark,
    git,
    dataFolder,
    secretFiles,
    note,
  } = options
  const { tool, version } = await requireAbility(env)
  if (tool === 'sandbox-exec') return macSandbox(options)
  const home = variables['HOME'] ?? '/nonexistent'
  const top = realpathSync(folder)
  const data = realPath(dataFolder)
  // Another agent may have put a link in its place.
  if (
    top !== resolve(isBelow(dataFolder, folder) ? join(data, relative(dataFolder, folder)) : folder)
  )
    throw new NoSandbox(statusNotice('workplaceIsLink', { folder, place: top }))
  const hidden = [...new Set([home, realPath(home), dataFolder, data])]
  if (!isNarrow(top, [home, realPath(home), realPath(tmpdir())]))
    throw new NoSandbox(statusNotice('workplaceTooWide', { folder: top }))
  const modern = !/^0\.[0-7]\./.test(version ?? '')
  const runInside = insideRunner({ modern, env })
  const program = await findProgram(file, variables)
  const { agentInfo } = isolation
  const knownAgent =
    knownAgentOf({ command: isolation.command, args, agentInfo }) ??
    knownAgentOf({ command: program ?? null, args, agentInfo })
  const programs = [file, isolation.command, ...(isolation.wrapper ?? []).slice(0, 1)]
  const needs = knownAgent?.sandbox ?? ownNeeds(isolation)
  const { owner } = isolation
  const parts =
    needs && owner
      ? await ownParts({
          agent: { id: knownAgent?.id ?? 'holdfast', sandbox: needs },
          owner,
          home,
          root: join(dataFolder, 'transcripts'),
          placeOf: placeIn(variables, home),
        })
      : []
  const state = isolation.allow.state ?? []
  if (needs && state.length > 0)
    note('its settings are known, so it has no home of its own, and allow.state is not copied')
  const homes = [home, realPath(home)] as const
  const root = join(dataFolder, 'transcripts')
  const ownHomes =
    needs || !owner ? [] : await ownHome({ agentId: options.agentId, owner, root, homes, state })
  const settings = [
    ...settingsOf(needs, variables, home).filter(({ to }) => !parts.some((own) => own.to === to)),
    ...parts,
  ]
  // What it can replace by a link is seen already, and shows nothing else.
  const isItsOwn = (path: string): boolean =>
    [top, ...settings.map(({ to }) => to)].some((each) => isBelow(each, path))
  const wanted = [
    ...(
      await Promise.all(programs.map((each) => programFolders(each, variables, isItsOwn)))
    ).flat(),
    ...toolchains(variables, home),
    ...ownFiles().filter((path) => !isBelow(top, path)),
    ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].flatMap(
      (name) => variables[name] ?? [],
    ),
    // By no link: an agent that works above can have put it there.
    ...isolation.allow.folders.filter(
      (path) => realPath(path) === path && !isItsOwn(path) && !isInDataFolder(path),
    ),
  ]
  const there = wanted.filter((path) => isAbsolute(path) && existsSync(path) && !isOfSystem(path))
  const shown = there.filter((path) => !isHiddenIn(data, realPath(path)))
  const others = dataFoldersIn([top, ...shown]).filter((path) => path !== top)
  const [repository, person] = await Promise.all([
    PrivateRepository.open(
      { git, folder: top, root: join(dataFolder, 'sandboxes'), env, shown, note },
      runInside,
    ),
    identityOf(git),
  ])
  const bridge = await new Bridge({
    ...options,
    ...isolation.allow,
    strict: isolation.sandbox === 'strict',
  }).open()
  try {
    const isWider = repository && repository.top !== top && isNarrow(repository.top, hidden)
    const mounts: Mount[] = [
      ...hidden.map((to): Mount => ({ kind: 'empty', to })),
      ...ownHomes,
      ...(existsSync(secretFiles) ? [readable(secretFiles)] : []),
      ...[...new Set(shown)].map(readable),
      ...settings,
      ...(isWider ? [readable(repository.top)] : []),
      { kind: 'write', from: top, to: top },
      ...(repository?.mounts ?? []),
      ...others.map((to): Mount => ({ kind: 'empty', to })),
      { kind: 'read', from: bridge.socket, to: inside.bridge },
    ]
    const nested = knownAgent?.sandbox.userNamespaces === true
    const inner = { ...person, ...insideVariables(variables) }
    const plan = bwrapArguments({
      mounts,
      folder: top,
      nested,
      modern,
      env: inner,
      tmpMb: options.limits.maxTmpMb,
    })
    const filter = seccompFilter(nested)
    return {
      file: 'bwrap',
      args: [
        '--args',
        '3',
        ...(filter ? ['--seccomp', '4'] : []),
        '--',
        ...startBeside(options, bridge, inside),
      ],
      // What bubblewrap itself is given can be read inside as /proc/1/environ.
      env: { PATH: env['PATH'] ?? '/usr/bin:/bin', ...markVariables(mark) },
      folder: '/',
      inputs: [Buffer.from(`${plan.join('\0')}\0`), ...(filter ? [filter] : [])],
      writable: [
        top,
        ...mounts.flatMap((each) => (each.kind === 'write' && each.from !== top ? each.from : [])),
      ],
      sync: async () => repository?.sync(runInside),
      close: () => {
        bridge.close()
        repository?.close()
      },
    }
  } catch (error) {
    bridge.close()
    throw error
  }
}

/** As it is where it does not exist. */
const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/** Already visible inside; shared memory is not, and folders may lie there. */
const isOfSystem = (path: string): boolean =>
  /^\/(usr|bin|sbin|lib\w*|etc|proc|dev(?!\/shm\/)|run|sys)(\/|$)/.test(path) || path === '/'

function insideVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  const proxy = `http://127.0.0.1:${proxyPort}`
  const passed = Object.entries(variables).filter(([name]) => !leftOut.test(name))
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [
    name,
    proxy,
  ])
  const local = ['NO_PROXY', 'no_proxy'].map((name) => [name, 'localhost,127.0.0.1,::1'])
  return {
    ...Object.fromEntries([...passed, ...proxies, ...local]),
    TMPDIR: '/tmp',
    NODE_USE_ENV_PROXY: '1',
  }
}

/** The person's identity for git, whose file in home is not shown. */
async function identityOf(git: Git): Promise<Record<string, string>> {
  const { settings } = await personsSettings(git)
  const found: Record<string, string> = {}
  for (const name of ['name', 'email']) {
    const value = settings.get(`user.${name}`)
    if (value)
      for (const who of ['AUTHOR', 'COMMITTER']) found[`GIT_${who}_${name.toUpperCase()}`] = value
  }
  return found
}

function insideRunner({
  modern,
  env,
}: {
  readonly modern: boolean
  readonly env: Variables
}): RunInside {
  return (mounts, folder, args, [input, output]) => {
    // The agent may have written what git reads here.
    const off = { GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: '', GIT_NO_LAZY_FETCH: '1' }
    const variables = { PATH: '/usr/bin:/bin:/usr/local/bin', HOME: '/tmp', LC_ALL: 'C', ...off }
    const plan = Buffer.from(
      `${bwrapArguments({ mounts, folder, nested: false, modern, env: variables }).join('\0')}\0`,
    )
    const inputs = [plan, ...[seccompFilter(false)].filter((each) => each !== undefined)]
    const filter = inputs.length > 1 ? ['--seccomp', '4'] : []
    const child = spawn(
      'bwrap',
      ['--args', '3', ...filter, '--', 'git', '-c', 'safe.directory=*', ...args],
      {
        cwd: '/',
        env: { PATH: env['PATH'] ?? '/usr/bin:/bin' },
        stdio: ['pipe', output, 'ignore', ...inputs.map(() => 'pipe' as const)],
        timeout: 120_000,
        killSignal: 'SIGKILL',
      },
    )
    child.stdin?.on('error', () => {}).end(input)
    for (const [index, bytes] of inputs.entries())
      (child.stdio[index + 3] as NodeJS.WritableStream).on('error', () => {}).end(bytes)
    return new Promise((resolve, reject) =>
      child.once('error', reject).once('close', (code) => resolve(code ?? -1)),
    )
  }
}

/**
 * Built after the system's documentation, and not tried. The network stays the machine's own,
 * without its loopback.
 */
async function macSandbox(options: SandboxOptions): Promise<Sandboxed> {
  const { isolation, variables, folder, file, args, dataFolder } = options
  const home = variables['HOME'] ?? '/nonexistent'
  const knownAgent = knownAgentOf({ ...isolation, args })
  const writable = [
    realpathSync(folder),
    ...settingsOf(knownAgent?.sandbox ?? ownNeeds(isolation), variables, home).map(({ to }) => to),
  ]
  const tools = [...toolchains(variables, home), ...ownFiles()]
  const shown = [...(await programFolders(file, variables)), ...tools, ...isolation.allow.folders]
  const bridge = await new Bridge({
    ...options,
    ...isolation.allow,
    strict: isolation.sandbox === 'strict',
  }).open()
  const { socket, ports } = bridge
  const profile = macProfile({
    writable,
    readable: shown,
    hidden: [home, dataFolder],
    bridge: socket,
    ports,
  })
  return {
    file: 'sandbox-exec',
    args: [
      '-p',
      profile,
      ...startBeside(options, bridge, { bridge: bridge.socket, ready: `${bridge.socket}-ready` }),
    ],
    env: insideVariables(variables),
    folder,
    inputs: [],
    writable: [],
    sync: async () => {},
    close: () => bridge.close(),
  }
}
