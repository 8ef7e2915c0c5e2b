/**
 * Sets up a new worktree (WT5): copies ignored files such as `.env` from the project's checkout,
 * then runs the project's set-up command. Both are configured by an owner. Failures are returned,
 * not thrown.
 */

import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { lstat, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { openInside, PathRefused, realPathInside } from '../../platform/files/path-inside.ts'
import { KnownSecrets } from '../../platform/log/known-secrets.ts'
import { mask } from '../../platform/log/mask.ts'
import { killGroup } from '../../platform/processes/signals.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Detail, statusNotice, withOutput } from '../../protocol/status-texts.ts'
import { maxCopiedFiles, setUpWithinMs } from '../../protocol/worktrees/worktree.ts'
import { AgentOutput } from '../agent-output.ts'
import type { Repository } from './repository.ts'

const maxCopiedBytes = 64 * 1024 * 1024
const maxOutput = 64 * 1024
/** Wait for the last output. A background process may keep the pipe open for ever. */
const finalOutputMs = 200

export interface CopyResult {
  readonly copied: readonly string[]
  readonly left: readonly { readonly path: string; readonly why: Detail }[]
}

/** Never overwrites a file, and never copies one that git would see as new. */
export async function copyIgnored(
  from: string,
  worktree: Repository,
  paths: readonly string[],
): Promise<CopyResult> {
  const copied: string[] = []
  const left: { path: string; why: Detail }[] = []
  for (const [index, path] of paths.entries()) {
    const why =
      index < maxCopiedFiles
        ? await copyOne(from, worktree, path)
        : statusNotice('copiesTooMany', { count: maxCopiedFiles })
    if (why === undefined) copied.push(path)
    else left.push({ path, why })
  }
  return { copied, left }
}

async function copyOne(
  source: string,
  worktree: Repository,
  path: string,
): Promise<Detail | undefined> {
  const { top } = worktree.facts
  try {
    const from = await realPathInside(source, path)
    const to = await realPathInside(top, path)
    const found = await lstat(from).catch(() => undefined)
    if (!found) return statusNotice('copyMissing')
    if (!found.isFile()) return statusNotice('copyNoFile')
    if (found.size > maxCopiedBytes)
      return statusNotice('copyTooLarge', { size: maxCopiedBytes / 1024 / 1024 })
    if (await lstat(to).catch(() => undefined)) return statusNotice('copyThere')
    if ((await worktree.try(['check-ignore', '--quiet', '--', path])).code !== 0)
      return statusNotice('copyNotIgnored')
    await mkdir(dirname(to), { recursive: true })
    const reading = await openInside(source, from, constants.O_RDONLY)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const writing = await openInside(top, to, flags).catch(async (error: unknown) => {
      await reading.close()
      throw error
    })
    await writing.chmod(found.mode & 0o777)
    await pipeline(reading.createReadStream(), writing.createWriteStream())
    return undefined
  } catch (error) {
    return error instanceof PathRefused
      ? error.detail
      : statusNotice('copyFailed', { code: String((error as NodeJS.ErrnoException).code) })
  }
}

export interface SetUpCommand {
  readonly argv: readonly [file: string, ...args: string[]]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
  /** Receives the output, masked, at most once a second. */
  readonly onOutput: (text: string) => void
  readonly signal?: AbortSignal
}

export interface SetUpResult {
  readonly outcome: 'done' | 'failed' | 'timeout' | 'stopped' | 'not_found'
  readonly exitCode: number | null
  /** The end of the output, masked. */
  readonly output: string
}

export function runSetUp({
  argv: [file, ...args],
  folder,
  env,
  clock,
  onOutput,
  signal,
}: SetUpCommand): Promise<SetUpResult> {
  const { promise, resolve } = Promise.withResolvers<SetUpResult>()
  let output = ''
  let cause: 'timeout' | 'stopped' | undefined
  // A group of its own, so that its children end with it.
  const child = spawn(file, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  const end = (why: 'timeout' | 'stopped'): void => {
    cause ??= why
    killGroup(child)
  }
  const stop = (): void => end('stopped')
  const stopWaiting = clock.after(setUpWithinMs, () => end('timeout'))
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  const agentOutput = new AgentOutput({ clock, secrets: new KnownSecrets([]), onPiece: onOutput })
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8')
    stream.on('data', (bytes: Buffer) => {
      output = (output + decoder.write(bytes)).slice(-maxOutput)
    })
    agentOutput.read(stream)
  }
  const over = (outcome: SetUpResult['outcome'], exitCode: number | null): void => {
    stopWaiting()
    agentOutput.end()
    signal?.removeEventListener('abort', stop)
    // Masked before it is cut, because the end of a secret cannot be recognized (SE7).
    resolve({ outcome, exitCode, output: mask(output) })
  }
  child.on('error', (error) => {
    output += error.message
    over('not_found', null)
  })
  const ended = (exitCode: number | null): void =>
    over(cause ?? (exitCode === 0 ? 'done' : 'failed'), exitCode)
  child.on('exit', (exitCode) => {
    const stopListening = clock.after(finalOutputMs, () => ended(exitCode))
    child.on('close', () => {
      stopListening()
      ended(exitCode)
    })
  })
  return promise
}

/** Characters of its output in the text of a failure. */
const maxFailureOutputChars = 2000

/** Why a set-up did not end as it should, in words. */
export function setUpFailure(file: string, { outcome, exitCode, output }: SetUpResult): Detail {
  const how = {
    failed:
      exitCode === null
        ? statusNotice('setUpSignal', { file })
        : statusNotice('setUpEnded', { file, code: exitCode }),
    timeout: statusNotice('setUpTooLong', { file }),
    stopped: statusNotice('setUpStopped', { file }),
    not_found: statusNotice('setUpNotRun', { file }),
    done: '',
  }[outcome]
  return withOutput(how, output.slice(-maxFailureOutputChars).trimEnd())
}
