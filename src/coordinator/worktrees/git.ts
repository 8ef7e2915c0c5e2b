/**
 * Runs git without a shell or terminal, with limits on time, output and concurrency. Programs named in a repository's
 * configuration are disabled (platform/processes/git-environment.ts, repository.ts).
 */
import { execFile, spawn } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sequences } from '../../platform/for-each-settled.ts'
import { gitEnvironment } from '../../platform/processes/git-environment.ts'
import { killGroup } from '../../platform/processes/signals.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Detail, DetailError, statusNotice } from '../../protocol/status-texts.ts'

const gitTimeoutMs = 60_000
/** Longer, and it is looked whether git waits for a pipe that lies where it reads its rules: an agent may have put one there. */
const slowMs = 5000
const maxOutputBytes = 4 * 1024 * 1024
const maxErrorBytes = 16 * 1024
/** More would only wait for each other's locks. */
const maxConcurrent = 8

export interface GitOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  readonly config?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly maxBytes?: number
  /** Reads only NUL-terminated words with this prefix. */
  readonly wordPrefix?: string
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
  readonly code: number | 'missing' | 'timeout'

  constructor(code: number | 'missing' | 'timeout', detail: Detail) {
    super(detail)
    this.name = 'GitFailure'
    this.code = code
  }
}

export interface GitDependencies {
  readonly clock: Clock
  /** The coordinator's environment. git inherits what it needs to find its configuration. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export class Git {
  readonly #options: GitDependencies
  readonly #waiting: (() => void)[] = []
  /** What `.git` must be at the top of checkouts in which a sandboxed agent works: the text of a file, or null for a folder. */
  readonly #guarded = new Map<string, string | null>()
  readonly #queues = new Sequences()
  #running = 0

  constructor(options: GitDependencies) {
    this.#options = options
  }

  now(): number {
    return this.#options.clock.now()
  }

  /** SB6: from now on nothing runs in this checkout if its `.git` is another. Undefined ends it. */
  guard(top: string, expected: string | null | undefined): void {
    if (expected === undefined) this.#guarded.delete(top)
    else this.#guarded.set(top, expected)
  }

  #requireSame(folder: string): void {
    for (const [top, expected] of this.#guarded) {
      if (folder !== top && !folder.startsWith(`${top}/`)) continue
      const file = join(top, '.git')
      const found = lstatSync(file, { throwIfNoEntry: false })
      const isSame = expected === null ? found?.isDirectory() : found?.isFile() && readFileSync(file, 'utf8') === expected
      if (!isSame) throw new GitFailure(-1, statusNotice('fileAltered', { file }))
    }
  }

  /** Runs tasks with the same key one at a time: git's worktree list must not be read while it changes. */
  serialize<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    return this.#queues.run(what, work)
  }

  async run(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.bytes(folder, args, options)).toString()
  }

  async bytes(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    const { code, bytes, stderr, cut } = await this.try(folder, args, options)
    if (cut) throw new GitFailure(code, statusNotice('gitPrintedTooMuch', { command: args[0] ?? '' }))
    if (code !== 0) throw new GitFailure(code, stderr.trim() || statusNotice('gitEndedWith', { command: args[0] ?? '', code }))
    return bytes
  }

  /** Returns any result. Throws only when git cannot be run or does not end. */
  async try(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    if (this.#running >= maxConcurrent) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running++
    try {
      this.#requireSame(folder)
      return await this.#spawn(folder, args, options)
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  #spawn(folder: string, args: readonly string[], options: GitOptions): Promise<GitResult> {
    const { input, timeoutMs = gitTimeoutMs, maxBytes = maxOutputBytes, wordPrefix } = options
    const { promise, resolve, reject } = Promise.withResolvers<GitResult>()
    // A group of its own, so that filters started by git are killed with it.
    const child = spawn('git', args, {
      cwd: folder,
      env: { ...gitEnvironment(this.#options.env, options.config), ...options.env },
      stdio: 'pipe',
      detached: true,
      windowsHide: true,
    })
    const kill = (): void => killGroup(child)
    const out = collect(maxBytes, kill)
    const err = collect(maxErrorBytes, () => {})
    child.stdout.on('data', wordPrefix === undefined ? out.add : onlyWords(wordPrefix, out.add))
    child.stderr.on('data', err.add)
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
    let late = false
    let pipe = ''
    const stopLooking = this.#options.clock.after(slowMs, async () => {
      pipe = await pipeIn(folder)
      if (pipe !== '') kill()
    })
    const stopWaiting = this.#options.clock.after(timeoutMs, () => {
      late = true
      kill()
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      stopWaiting()
      stopLooking()
      reject(new GitFailure('missing', statusNotice('gitNotRun', { folder, code: error.code ?? '' })))
    })
    child.on('close', (code) => {
      stopWaiting()
      stopLooking()
      if (pipe !== '') reject(new GitFailure('timeout', statusNotice('pipeInTheWay', { file: pipe })))
      else if (late)
        reject(new GitFailure('timeout', statusNotice('gitTooSlow', { command: args[0] ?? '', seconds: timeoutMs / 1000 })))
      else resolve(resultOf(code ?? -1, out.bytes(), err.bytes().toString(), out.full()))
    })
    return promise
  }
}

/** The first pipe that git would wait for; empty: none. */
const pipeIn = (folder: string): Promise<string> =>
  new Promise((resolve) => {
    const args = ['(', '-name', '.gitignore', '-o', '-name', '.gitattributes', ')', '-type', 'p', '-print', '-quit']
    execFile('find', [folder, '-xdev', ...args], { timeout: gitTimeoutMs }, (_, found) => resolve(found.trim()))
  })

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

function onlyWords(beginning: string, add: (word: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.of()
  return (chunk) => {
    const bytes = Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(0); end >= 0; from = end + 1, end = bytes.indexOf(0, from))
      if (bytes.toString('latin1', from, from + beginning.length) === beginning) add(bytes.subarray(from, end + 1))
    rest = bytes.subarray(from)
  }
}
