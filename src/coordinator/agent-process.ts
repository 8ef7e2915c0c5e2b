/**
 * One agent process (CO4, SE4), started from a file and arguments, never through a shell, in its
 * own group and with a launch mark, so that everything it starts can be found and ended with it.
 */

import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { withoutInherited } from '../platform/processes/inherited-descriptors.ts'
import type { LaunchMark } from '../platform/processes/launch-mark.ts'
import type { LiveProcess, ProcessIdentity } from '../platform/processes/processes.ts'
import { type OwnProgram, programOf } from '../platform/processes/program-of.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'
import {
  type Detail,
  DetailError,
  detailOf,
  statusNotice,
  textOf,
} from '../protocol/status-texts.ts'
import { agentEnvironment, filledIn } from './agent-environment.ts'
import { AgentOutput } from './agent-output.ts'
import { giveGateway } from './gateway/agent-gateway.ts'
import type { OpenGateway } from './gateway/gateway.ts'
import {
  removeSecretFiles,
  secretFilesFolder,
  secretsInOutput,
  writeSecretFiles,
} from './launch-secrets.ts'
import { type ProcessTable, ProcessTree } from './process-tree.ts'
import { commandAllowing, type InSandbox } from './sandbox/agent-sandbox.ts'
import { type ControlGroup, openControlGroup } from './sandbox/control-group.ts'
import { openSandbox, type Sandboxed, type SandboxOptions } from './sandbox/sandbox.ts'
import { limitsHere, type SandboxWatch } from './sandbox/sandbox-watch.ts'

/**
 * Wait for the exit of an ACP agent whose input has ended; of those tried, two ignore it and one
 * takes 7 s.
 */
const inputEndMs = 300
const finalOutputMs = 200

export interface Exit {
  readonly exitCode: number | null
  readonly signal: string | null
}

export interface AgentProcessOptions {
  readonly particulars: LaunchParticulars
  readonly mark: LaunchMark
  readonly serverUrl: string
  /** The program that the command `holdfast` stands for: this one. */
  readonly program: OwnProgram
  /** Working folder for projects that have none on this machine. */
  readonly fallbackFolder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly table: ProcessTable
  readonly clock: Clock
  /** What a sandbox needs of its surroundings. */
  readonly sandbox: Pick<SandboxOptions, 'git' | 'dataFolder' | 'ask' | 'limits'> & {
    readonly watch: SandboxWatch
    /** SB13: it is ended for this. */
    readonly onLimit: (why: Detail) => void
  }
  /** GW1: its way to its model, if that goes through the gateway. */
  readonly gateway?: OpenGateway | undefined
  readonly onOutput: (text: string) => void
  /** Called when the process has exited; its children may still be ending. */
  readonly onExit: (exit: Exit) => void
}

/** A start failure, with a message for the person who entered the command. */
export class CannotStart extends DetailError {}

/** Standard input and output of an ACP agent. */
export interface Pipes {
  readonly to: Writable
  readonly from: Readable
}

export class AgentProcess {
  readonly pid: number
  readonly birth: string
  readonly folder: string
  /** Set for ACP agents. Must be read, or the agent blocks. */
  readonly pipes: Pipes | undefined
  /** Resolves with the processes that could not be ended, none if all have. */
  readonly gone: Promise<readonly LiveProcess[]>
  readonly inSandbox: InSandbox | undefined
  readonly #tree: ProcessTree
  readonly #output: AgentOutput
  readonly #end: () => void
  #isStopping = false
  #hasReachedLimit = false

  /** Rejects with CannotStart. */
  static async start(options: AgentProcessOptions): Promise<AgentProcess> {
    try {
      return await AgentProcess.#start(options)
    } catch (error) {
      options.gateway?.close()
      await removeLeftovers(options.fallbackFolder)
      throw error
    }
  }

  static async #start(options: AgentProcessOptions): Promise<AgentProcess> {
    const { particulars, program, mark, serverUrl, env, table } = options
    const secretPaths = await writeSecretFiles(options.fallbackFolder, particulars.secrets.files)
    const inherited = agentEnvironment(env, particulars, mark, serverUrl, secretPaths)
    const { command, isolation } = particulars
    const { wrapper, sandbox } = isolation ?? { wrapper: null, sandbox: 'off' }
    const way = await gatewayFor(options, inherited)
    const variables = { ...inherited, ...way.env }
    const [own, ownArgs] = programOf(command, filledIn(way.args, variables), program)
    const [file = own, ...args] = [...(wrapper ?? []), own, ...ownArgs]
    const cwd = workingFolder(options)
    const box =
      sandbox === 'off'
        ? undefined
        : await sandboxed(options, { variables, file, args, folder: cwd })
    // Pulling agents read no input.
    const named = [
      particulars.protocol === 'acp' ? 'pipe' : 'ignore',
      'pipe',
      'pipe',
      ...pipesFor(box),
    ] as const
    const start = (stdio: StdioOptions): Promise<ChildProcess> =>
      spawned(box?.file ?? file, box?.args ?? args, {
        cwd: box?.folder ?? cwd,
        env: box?.env ?? variables,
        // A process group and terminal session of its own.
        detached: true,
        stdio,
        windowsHide: true,
      })
    const child = await (box ? withoutInherited([...named], start) : start([...named])).catch(
      (error: unknown) => {
        box?.close()
        throw error
      },
    )
    const group = box && openControlGroup(mark.launchId, limitsHere(options.sandbox.limits))
    // Bubblewrap reads the plan first, and starts nothing before.
    if (child.pid !== undefined) group?.add(child.pid)
    for (const [index, bytes] of (box?.inputs ?? []).entries())
      (child.stdio[index + 3] as Writable | undefined)?.on('error', () => {}).end(bytes)
    const { pid } = child
    const birth = pid === undefined ? undefined : table.source.birthOf(pid, 'or-dead')
    return new AgentProcess(
      options,
      child,
      cwd,
      { pid: pid ?? 0, birth: birth ?? '' },
      box && { ...box, group },
    )
  }

  private constructor(
    options: AgentProcessOptions,
    child: ChildProcess,
    folder: string,
    { pid, birth }: ProcessIdentity,
    box: (Sandboxed & { readonly group: ControlGroup | undefined }) | undefined,
  ) {
    const { particulars, mark, table, clock, onOutput, sandbox } = options
    this.folder = folder
    this.pid = pid
    this.birth = birth
    this.#tree = new ProcessTree(mark, { pid, birth }, box !== undefined)
    this.inSandbox = box && { sync: box.sync, freeze: () => this.#tree.freeze(table) }
    this.#output = new AgentOutput({
      clock,
      secrets: secretsInOutput(particulars),
      onPiece: onOutput,
    })
    if (child.stderr) this.#output.read(child.stderr)
    const { stdin, stdout } = child
    this.pipes = particulars.acp && stdin && stdout ? { to: stdin, from: stdout } : undefined
    if (stdout && particulars.protocol === 'mcp') this.#output.read(stdout)
    else if (!this.pipes) stdout?.resume()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#end = resolve
    const limits = limitsHere(sandbox.limits)
    const onLimit = (why: Detail): void => this.#endForLimit(why, options)
    const onFull = (what: Detail): void => onOutput(`[Holdfast: ${textOf(what)}]\n`)
    const unwatch =
      box && sandbox.watch.watch({ ...box, limits, pid, tree: this.#tree, onLimit, onFull })
    this.gone = promise
      .then(() => this.#tree.end(table))
      .finally(async () => {
        unwatch?.()
        box?.group?.close()
        await box?.sync().catch((error: unknown) => onOutput(`[Holdfast: ${String(error)}]\n`))
        box?.close()
        options.gateway?.close()
        await removeLeftovers(options.fallbackFolder)
      })
    // Handled where it is awaited, which may be later.
    this.gone.catch(() => {})
    void this.#watch(options, child)
  }

  /**
   * Ends the process and everything it has started. An ACP agent is first told by the end of its
   * input, on which some remove their files; those that ignore it are signalled soon after.
   */
  stop(): void {
    if (this.#isStopping) return
    this.#isStopping = true
    if (!this.pipes) return this.#end()
    this.pipes.to.end()
    const timer = setTimeout(this.#end, inputEndMs)
    void this.gone.finally(() => clearTimeout(timer)).catch(() => {})
  }

  kill(): void {
    this.#tree.skipGrace()
    this.#end()
  }

  #endForLimit(why: Detail, { onOutput, sandbox }: AgentProcessOptions): void {
    if (this.#hasReachedLimit) return
    this.#hasReachedLimit = true
    onOutput(`[Holdfast: ${textOf(why)}]\n`)
    sandbox.onLimit(why)
    this.kill()
  }

  pauseOutput(): void {
    this.#output.pause()
  }

  resumeOutput(): void {
    this.#output.resume()
  }

  async #watch({ onExit }: AgentProcessOptions, child: ChildProcess): Promise<void> {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const { exitCode, signalCode } = child
    const [code, signal] =
      exitCode === null && signalCode === null ? await once(child, 'exit') : [exitCode, signalCode]
    // CO5: also ends children of a process that exits by itself.
    this.#end()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, finalOutputMs)
    await Promise.race([closed, late])
    clearTimeout(timer)
    this.#output.end()
    onExit({ exitCode: code, signal })
  }
}

const pipesFor = (box: Sandboxed | undefined): 'pipe'[] => (box?.inputs ?? []).map(() => 'pipe')

const cannotStart = (error: unknown): never => {
  throw new CannotStart(detailOf(error))
}

/** The settings that lead the agent to the gateway. */
async function gatewayFor(
  { particulars, gateway, sandbox }: AgentProcessOptions,
  env: Record<string, string>,
) {
  const { isolation, command, args } = particulars
  if (!gateway || !isolation) return { env: {}, args }
  const foldersRoot = join(sandbox.dataFolder, 'gateways')
  const { agentInfo } = isolation
  const about = {
    ...particulars,
    ...gateway,
    command,
    agentInfo,
    model: isolation.gateway?.model,
    foldersRoot,
    env,
  }
  return giveGateway(about).catch(cannotStart)
}

type Started = Pick<SandboxOptions, 'variables' | 'file' | 'args' | 'folder'>

async function sandboxed(
  options: AgentProcessOptions,
  started: Started,
): Promise<Sandboxed | undefined> {
  const { particulars, mark, serverUrl, env, sandbox, gateway, onOutput } = options
  const { isolation, protocol } = particulars
  if (!isolation) return undefined
  const onRefused: SandboxOptions['onRefused'] = ({ host, port }, why) => {
    if (why === 'unknown-name')
      return onOutput(
        `[Holdfast: ${host} is not known by that name on this machine, so it is not reached]\n`,
      )
    // Nobody is asked about this machine, nor for an agent that pulls its work.
    const isHere = why === 'this-machine'
    const command =
      isHere || protocol === 'mcp'
        ? commandAllowing(particulars, [isHere ? `${host}:${port}` : host])
        : ''
    const what = isHere ? `${host}:${port}, which is a port of this machine` : `${host}:${port}`
    onOutput(`[Holdfast: the sandbox refused ${what}${command && `; to allow it: ${command}`}]\n`)
  }
  const secretFiles = secretFilesFolder(options.fallbackFolder)
  const note = (text: string): void => onOutput(`[Holdfast: ${text}]\n`)
  const outside = {
    mark,
    serverUrl,
    env,
    ...sandbox,
    gateway,
    onRefused,
    note,
    secretFiles,
    waits: protocol === 'mcp',
    agentId: particulars.agentId,
  }
  return openSandbox({ ...outside, isolation, ...started }).catch(cannotStart)
}

function workingFolder({ particulars: { folder }, fallbackFolder }: AgentProcessOptions): string {
  if (folder === null) {
    mkdirSync(fallbackFolder, { recursive: true, mode: 0o700 })
    return fallbackFolder
  }
  requireFolder(folder)
  return folder
}

/**
 * Throws CannotStart for a missing project folder. It is not created, because it would lack the
 * files to work on.
 */
export function requireFolder(folder: string | null): void {
  if (folder !== null && !isFolder(folder))
    throw new CannotStart(statusNotice('folderGone', { folder }))
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Keeps files that the agent left in its fallback folder. */
async function removeLeftovers(folder: string): Promise<void> {
  await removeSecretFiles(folder)
  await rmdir(folder).catch(() => {})
}

async function spawned(
  file: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  try {
    const child = spawn(file, args, options)
    await once(child, 'spawn')
    return child
  } catch (error) {
    throw new CannotStart(startErrorText(file, error))
  }
}

function startErrorText(file: string, error: unknown): Detail {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return file.includes('/')
        ? statusNotice('noProgram', { file })
        : statusNotice('noProgramOnPath', { file })
    case 'EACCES':
      return statusNotice('mayNotRun', { file })
    case 'E2BIG':
      return statusNotice('tooLongToStart', { file })
    case 'EAGAIN':
    case 'ENOMEM':
      return statusNotice('noRoom', { code })
    default:
      return statusNotice('programNotStarted', { file, why: message })
  }
}
