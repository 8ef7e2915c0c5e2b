/**
 * Runs git without a shell or terminal, always in a git directory of ours (SE19,
 * private-directory.ts), with limits on time, output and concurrency.
 */
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from '../../platform/files/plain-file.ts'
import { Sequences } from '../../platform/for-each-settled.ts'
import { gitEnvironment } from '../../platform/processes/git-environment.ts'
import { killGroup } from '../../platform/processes/signals.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Detail, DetailError, statusNotice } from '../../protocol/status-texts.ts'
import { pipeIn, stillness } from './stillness.ts'

const gitTimeoutMs = 60_000
const maxOutputBytes = 4 * 1024 * 1024
const maxErrorBytes = 16 * 1024
/** Gits at once in one project. Others wait, but never for the git of another project. */
const slotsPerProject = 2

/** Where git runs. */
export interface GitPlace {
  /** A git directory of ours. */
  readonly dir: string
  /** Whose slots it takes: the repository's git folder. */
  readonly project: string
  /** The files that it works on; left out: none. */
  readonly workTree?: string
}

export interface GitOptions {
  readonly input?: string | Buffer
  /** An open file to read instead. */
  readonly inputFile?: number
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly config?: Readonly<Record<string, string>>
  /** Readable by git and what it starts, as its descriptor 3: for what must be in no argument. */
  readonly pipe?: string
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

export interface GitResult {
  readonly code: number
  readonly stdout: string
  /** Raw output, because file names need not be text. */
  readonly bytes: Buffer
  readonly stderr: string
  /** The output limit was reached and git was killed. */
  readonly cut: boolean
}

export class GitFailure extends DetailError {
  readonly code: number | 'missing' | 'timeout' | 'needs_filter'

  constructor(code: GitFailure['code'], detail: Detail) {
    super(detail)
    this.name = 'GitFailure'
    this.code = code
  }
}

export interface GitDependencies {
  readonly clock: Clock
  /** The coordinator's environment. git inherits what it needs to find its own programs. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Holds our git directories. Nothing that an agent writes lies below it. */
  readonly folder: string
}

export class Git {
  readonly #options: GitDependencies
  /** By project: how many run, and who waits. */
  readonly #slots = new Map<string, { running: number; readonly waiting: (() => void)[] }>()
  /**
   * What `.git` must be at the top of checkouts in which a sandboxed agent works: the text of a
   * file, or null for a folder.
   */
  readonly #guarded = new Map<string, string | null>()
  readonly #queues = new Sequences()

  constructor(options: GitDependencies) {
    this.#options = options
  }

  now(): number {
    return this.#options.clock.now()
  }

  /** A variable of the coordinator, for the few gits that need more than their own. */
  variable(name: string): string | undefined {
    return this.#options.env[name]
  }

  get home(): string | undefined {
    return this.#options.env['HOME']
  }

  /** The folder of what is ours of a checkout. */
  folderFor(common: string, top: string): string {
    return join(this.#options.folder, placeName(common, top))
  }

  get folder(): string {
    return this.#options.folder
  }

  /** SB6: from now on this checkout is not opened if its `.git` is another. Undefined ends it. */
  guard(top: string, expected: string | null | undefined): void {
    if (expected === undefined) this.#guarded.delete(top)
    else this.#guarded.set(top, expected)
  }

  requireSame(folder: string): void {
    for (const [top, expected] of this.#guarded) {
      if (folder !== top && !folder.startsWith(`${top}/`)) continue
      const file = join(top, '.git')
      const isSame =
        expected === null
          ? lstatSync(file, { throwIfNoEntry: false })?.isDirectory()
          : textOf(file, Buffer.byteLength(expected)) === expected
      if (!isSame) throw new GitFailure(-1, statusNotice('fileAltered', { file }))
    }
  }

  /** Runs tasks with the same key one at a time. */
  serialize<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    return this.#queues.run(what, work)
  }

  async run(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.bytes(place, args, options)).toString()
  }

  async bytes(place: GitPlace, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    const { code, bytes, stderr, cut } = await this.try(place, args, options)
    if (cut)
      throw new GitFailure(code, statusNotice('gitPrintedTooMuch', { command: args[0] ?? '' }))
    if (code !== 0)
      throw new GitFailure(
        code,
        stderr.trim() || statusNotice('gitEndedWith', { command: args[0] ?? '', code }),
      )
    return bytes
  }

  /** Returns any result. Throws only when git cannot be run or does not end. */
  async try(
    place: GitPlace,
    args: readonly string[],
    options: GitOptions = {},
  ): Promise<GitResult> {
    const slots = this.#slots.get(place.project) ?? { running: 0, waiting: [] }
    this.#slots.set(place.project, slots)
    if (slots.running >= slotsPerProject)
      await new Promise<void>((resolve) => slots.waiting.push(resolve))
    else slots.running++
    try {
      return await this.#spawn(place, args, options)
    } finally {
      const next = slots.waiting.shift()
      // The slot is handed on.
      if (next) next()
      else slots.running--
      if (slots.running === 0) this.#slots.delete(place.project)
    }
  }

  #spawn(
    { dir, workTree }: GitPlace,
    args: readonly string[],
    options: GitOptions,
  ): Promise<GitResult> {
    const { input, inputFile, timeoutMs = gitTimeoutMs, maxBytes = maxOutputBytes } = options
    const { promise, resolve, reject } = Promise.withResolvers<GitResult>()
    const where = { GIT_DIR: dir, ...(workTree !== undefined && { GIT_WORK_TREE: workTree }) }
    // A group of its own, so that what git starts is killed with it.
    const child = spawn('git', args, {
      cwd: dir,
      env: { ...gitEnvironment(this.#options.env, options.config), ...where, ...options.env },
      stdio: [
        inputFile ?? 'pipe',
        'pipe',
        'pipe',
        ...(options.pipe === undefined ? [] : ['pipe' as const]),
      ],
      detached: true,
      windowsHide: true,
    })
    const kill = (): void => killGroup(child)
    const out = collect(maxBytes, kill)
    const err = collect(maxErrorBytes, () => {})
    child.stdout?.on('data', out.add)
    child.stderr?.on('data', err.add)
    child.stdin?.on('error', () => {})
    const pipe = child.stdio[3] as NodeJS.WritableStream | undefined
    pipe?.on('error', () => {}).end(options.pipe ?? '')
    child.stdin?.end(input ?? '')
    let end: 'late' | 'still' | undefined
    const endedFor = (why: 'late' | 'still') => (): void => {
      end = why
      kill()
    }
    const stopWatching = stillness(this.#options.clock, child.pid, endedFor('still'))
    const stopWaiting = this.#options.clock.after(timeoutMs, endedFor('late'))
    const over = (): void => {
      stopWaiting()
      stopWatching()
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      over()
      reject(
        new GitFailure(
          'missing',
          statusNotice('gitNotRun', { folder: workTree ?? dir, code: error.code ?? '' }),
        ),
      )
    })
    child.on('close', async (code) => {
      over()
      if (end === undefined)
        return resolve(resultOf(code ?? -1, out.bytes(), err.bytes().toString(), out.full()))
      const inTheWay = end === 'still' && workTree !== undefined ? await pipeIn(workTree) : ''
      const command = args[0] ?? ''
      const late =
        end === 'still'
          ? statusNotice('gitStoodStill', { command })
          : statusNotice('gitTooSlow', { command, seconds: timeoutMs / 1000 })
      reject(
        new GitFailure(
          'timeout',
          inTheWay ? statusNotice('pipeInTheWay', { file: inTheWay }) : late,
        ),
      )
    })
    return promise
  }
}

export const placeName = (common: string, top: string): string =>
  hash('sha256', `${common}\0${top}`).slice(0, 32)

const resultOf = (code: number, bytes: Buffer, stderr: string, cut: boolean): GitResult => ({
  code,
  get stdout() {
    return bytes.toString()
  },
  bytes,
  stderr,
  cut,
})

function collect(maxBytes: number, onFull: () => void) {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    add: (chunk: Buffer): void => {
      const before = bytes
      bytes += chunk.length
      if (before <= maxBytes) chunks.push(chunk.subarray(0, maxBytes - before))
      if (before <= maxBytes && bytes > maxBytes) onFull()
    },
    full: (): boolean => bytes > maxBytes,
    bytes: (): Buffer => Buffer.concat(chunks),
  }
}
