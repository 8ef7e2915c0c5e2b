/**
 * The command line as a program calls it: what it wrote where, and how it ended. Runs in this
 * process, against a real server.
 */
import { PassThrough } from 'node:stream'
import { run } from '../../src/cli/run.ts'
import { writeRunFile } from '../../src/platform/files/run-file.ts'
import { writeSecret } from '../../src/platform/files/secret-files.ts'
import { openTestServer, type TestServer, type TestServerOptions } from './server.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface Typed {
  readonly env?: Readonly<Record<string, string>>
  /** What is typed or piped into it. */
  readonly input?: string
  /** A person sits there: answers are asked for, colours are shown. */
  readonly terminal?: boolean
  readonly cwd?: string
}

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
  json(): any
}

export async function runCommand(
  argv: readonly string[],
  { env = {}, input = '', terminal = false, cwd = '/' }: Typed = {},
): Promise<Outcome> {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY: terminal,
    columns: 100,
    write: (text: string): boolean => {
      written[name] += text
      return true
    },
  })
  const stdin = Object.assign(new PassThrough(), { isTTY: terminal })
  stdin.end(input)
  // readline asks its output for more than we write with.
  const stderr = Object.assign(new PassThrough(), output('stderr'))
  const code = await run(argv, {
    stdin,
    stdout: output('stdout'),
    stderr,
    env: { PATH: process.env['PATH'], ...env },
    cwd,
  })
  return { code, ...written, json: () => JSON.parse(written.stdout || written.stderr) }
}

export interface Installation {
  readonly server: TestServer
  readonly data: string
  /** The owner at the command line of this data folder. */
  holdfast(argv: readonly string[], typed?: Typed): Promise<Outcome>
}

/** A server that runs, found through its data folder as the product finds it. */
export async function openInstallation(options?: TestServerOptions): Promise<Installation> {
  return commandLineOf(await openTestServer(options))
}

export async function commandLineOf(server: TestServer): Promise<Installation> {
  const data = temporaryFolder()
  await writeSecret(data, 'owner-token', server.ownerToken)
  await writeRunFile(data, {
    pid: process.pid,
    url: server.url,
    startedAt: '2026-03-01T09:00:00.000Z',
    version: '0.0.0-test',
  })
  return {
    server,
    data,
    holdfast: (argv, typed = {}) =>
      runCommand(argv, { ...typed, env: { HOLDFAST_DATA: data, ...typed.env } }),
  }
}
