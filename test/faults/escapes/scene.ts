/**
 * A machine in small for escape attempts: a home with keys, the data folder, a repository with two
 * worktrees, servers and sockets of others, a process with a secret. Everything that an agent must
 * not read says `secret`; everything it must not change is compared.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { AgentProcess, type Exit } from '../../../src/coordinator/agent-process.ts'
import { Gateway } from '../../../src/coordinator/gateway/gateway.ts'
import { ProcessTable } from '../../../src/coordinator/process-tree.ts'
import { SandboxWatch } from '../../../src/coordinator/sandbox/sandbox-watch.ts'
import { Git } from '../../../src/coordinator/worktrees/git.ts'
import type { Allowed, SandboxMode } from '../../../src/domain/agents/isolation.ts'
import { processes } from '../../../src/platform/processes/processes.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { LaunchParticulars, TranscriptOwner } from '../../../src/protocol/processes/link.ts'
import {
  type SandboxLimits,
  sandboxLimits,
} from '../../../src/protocol/processes/sandbox-limits.ts'
import type { Detail } from '../../../src/protocol/status-texts.ts'

export interface Scene {
  readonly secret: string
  readonly root: string
  readonly home: string
  readonly data: string
  readonly repository: string
  readonly worktree: string
  readonly otherWorktree: string
  readonly checkout: string
  readonly serverPort: number
  readonly otherPort: number
  /** A stand-in for a host of the internet, named in `allow` for the strict mode. */
  readonly allowedPort: number
  readonly abstractSocket: string
  readonly socket: string
  readonly lanAddress: string
  /** A file in the memory that programs share. */
  readonly sharedFile: string
  readonly hostPid: number
  git(folder: string, ...args: string[]): string
  close(): Promise<void>
}

/** Short, because paths of sockets are limited. */
export async function makeScene(): Promise<Scene> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'esc-')))
  const secret = `secret-${randomUUID()}`
  const home = join(root, 'home')
  const data = join(root, 'data')
  const repository = join(root, 'repo')
  const put = (path: string, text = `${secret}\n`): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode: 0o600 })
  }
  for (const name of [
    '.ssh/id_rsa',
    '.netrc',
    '.aws/credentials',
    '.config/gh/hosts.yml',
    '.gemini/settings.json',
    '.bashrc',
  ])
    put(join(home, name))
  put(join(home, '.claude/settings.json'), '{}\n')
  put(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.com\n')
  put(join(data, 'secrets/owner-token'))
  put(join(data, 'holdfast.db'))
  put(join(root, 'elsewhere/file'))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' }
  const identity = [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.com',
    '-c',
    'init.defaultBranch=main',
  ]
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', [...identity, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  mkdirSync(repository)
  git(repository, 'init', '-q')
  put(join(repository, 'README.md'), 'hello\n')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'first')
  const worktree = join(data, 'worktrees/p/u/a')
  const otherWorktree = join(data, 'worktrees/p/u/b')
  for (const [folder, branch] of [
    [worktree, 'holdfast/u/a'],
    [otherWorktree, 'holdfast/u/b'],
  ] as const)
    git(repository, 'worktree', 'add', '-q', '-b', branch, folder)
  put(join(otherWorktree, 'notes.txt'))
  for (const name of ['.holdfast/secrets/owner-token', 'servers/one/holdfast.db'])
    put(join(worktree, name))
  writeFileSync(join(repository, '.git/info/exclude'), '.holdfast\nservers\n')
  const says = (text: string) =>
    createHttpServer((asked, answer) => void answer.end(`${text} ${asked.url}\n`))
  const listening = async (
    server: Server,
    where: number | string,
    host = '127.0.0.1',
  ): Promise<number> => {
    await new Promise<void>((resolve) =>
      typeof where === 'string'
        ? server.listen(where, resolve)
        : server.listen(where, host, resolve),
    )
    return typeof where === 'string' ? 0 : (server.address() as AddressInfo).port
  }
  const lanAddress =
    Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? '127.0.0.1'
  const server = createHttpServer(
    (asked, answer) =>
      void answer.end(asked.url?.startsWith('/mcp') ? 'endpoint of the launch\n' : `${secret}\n`),
  )
  const other = says(secret)
  const lan = says(secret)
  const allowed = says('the internet')
  const lines = (): Server =>
    createServer((socket) => void socket.on('error', () => {}).end(`${secret}\n`))
  const [abstract, path] = [lines(), lines()]
  const abstractSocket = `holdfast-test-${randomUUID()}`
  const serverPort = await listening(server, 0)
  const otherPort = await listening(other, 0)
  const allowedPort = await listening(allowed, 0)
  await listening(lan, otherPort, lanAddress).catch(() => {})
  lan.on('error', () => {})
  await listening(abstract, `\0${abstractSocket}`)
  await listening(path, join(root, 'desktop.sock'))
  const sharedFile = join('/dev/shm', basename(root))
  put(sharedFile)
  const sleeper = spawn('sleep', ['600'], {
    env: { PATH: env.PATH, HELD_KEY: secret },
    stdio: 'ignore',
  })
  return {
    secret,
    root,
    home,
    data,
    repository,
    worktree,
    otherWorktree,
    checkout: repository,
    serverPort,
    otherPort,
    allowedPort,
    abstractSocket,
    socket: join(root, 'desktop.sock'),
    lanAddress,
    sharedFile,
    hostPid: sleeper.pid ?? 0,
    git,
    async close() {
      sleeper.kill('SIGKILL')
      for (const each of [server, other, lan, allowed, abstract, path]) each.close()
      for (const each of [server, other, lan, allowed]) each.closeAllConnections()
      for (const path of [root, sharedFile]) rmSync(path, { recursive: true, force: true })
    },
  }
}

export interface RanInScene {
  readonly output: string
  readonly exit: Exit
  readonly left: number
  /** From the order to the exit. */
  readonly ms: number
}

let launches = 0

export interface RunOptions {
  readonly folder?: string
  readonly allow?: Allowed
  /** Stands in the place of the agent's program. */
  readonly command?: string
  readonly wrapper?: readonly string[]
  /** What it answered when it was tried. */
  readonly agentInfo?: { readonly name: string; readonly version: string }
  /** SB12: whose its transcripts are. */
  readonly owner?: TranscriptOwner
  /** SB13: other than the usual ones. */
  readonly limits?: Partial<SandboxLimits>
  readonly onLimit?: (why: Detail) => void
  /** As an agent that is prompted, which does not begin by itself. */
  readonly isPrompted?: boolean
  /** GW1: a model behind the gateway, with its key. */
  readonly model?: { readonly upstream: string; readonly key: string }
}

/** Runs a shell script as an agent of the scene, to its end. */
export async function runInScene(
  scene: Scene,
  sandbox: SandboxMode,
  script: string,
  options: RunOptions = {},
): Promise<RanInScene> {
  const { home, data, worktree, serverPort, secret } = scene
  if (!processes) throw new Error('Processes cannot be told apart on this system.')
  const {
    folder = worktree,
    allow = { folders: [], hosts: [] },
    command = '/bin/sh',
    isPrompted = false,
    wrapper = null,
    model,
    owner,
    agentInfo,
    limits,
    onLimit = () => {},
  } = options
  const startedAt = performance.now()
  const launchId = `escape-${process.pid}-${++launches}`
  const particulars: LaunchParticulars = {
    type: 'coordinator:launch',
    launchId,
    agentId: 'helper',
    projectId: 'p1',
    protocol: isPrompted ? 'acp' : 'mcp',
    acp: null,
    folder,
    env: {},
    secrets: { environment: {}, files: {} },
    command,
    args: ['-c', script],
    launchToken: `hf_launch_${'x'.repeat(43)}`,
    isolation: {
      sandbox,
      allow,
      wrapper,
      gateway: model ? { upstream: model.upstream, secret: 'KEY' } : null,
      command,
      ...(owner && { owner }),
      ...(agentInfo && { agentInfo }),
    },
    ...(model && { gatewayKey: model.key }),
  }
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    USER: 'ada',
    PLANTED_KEY: secret,
    SSH_AUTH_SOCK: scene.socket,
  }
  const pieces: string[] = []
  const table = new ProcessTable(processes)
  const bounded = {
    limits: { ...sandboxLimits(), ...limits },
    watch: new SandboxWatch(table, systemClock),
    onLimit,
  }
  const { promise, resolve } = Promise.withResolvers<Exit>()
  const gateway = new Gateway({ env: {}, report: () => {} })
  const { launchToken } = particulars
  const open = { launchId, launchToken, turn: () => null, refuse: () => undefined }
  const agent = await AgentProcess.start({
    ...(model && { gateway: await gateway.open({ ...open, ...model }) }),
    particulars,
    env,
    clock: systemClock,
    table,
    onExit: resolve,
    mark: { launchId, folderId: `keeper-${process.pid}` },
    serverUrl: `http://127.0.0.1:${serverPort}`,
    program: [process.execPath],
    fallbackFolder: join(data, 'launches', launchId),
    sandbox: {
      git: new Git({ clock: systemClock, env, folder: join(data, 'worktrees/.states') }),
      dataFolder: data,
      ask: async () => false,
      ...bounded,
    },
    onOutput: (text) => pieces.push(text),
  })
  const exit = await promise
  const ms = performance.now() - startedAt
  const left = await agent.gone
  gateway.close()
  return { output: pieces.join(''), exit, left: left.length, ms }
}

export const textAt = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined
