/**
 * Finds the server and its credential. Server: --server, HOLDFAST_URL, or the one running on the
 * data folder. Credential:
 * --token-file, HOLDFAST_TOKEN, or the folder's owner token, which is never sent to another
 * machine.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import type { LoadedConfig } from '../platform/config/config.ts'
import { mayEnter } from '../platform/files/data-folder.ts'
import { isAlive, readRunFile } from '../platform/files/run-file.ts'
import { readOwnerToken, tokenFromEnvironment } from '../platform/secrets/owner-token.ts'
import { CommandFailure, refused, usage } from './failure.ts'
import { startCommand } from './program-name.ts'
import type { Terminal } from './terminal.ts'

export interface Connection {
  readonly url: string
  readonly token: string
}

type ConnectOptions = Readonly<Record<'server' | 'tokenFile', string | undefined>>

export async function findConnection(
  terminal: Terminal,
  config: LoadedConfig,
  options: ConnectOptions,
): Promise<Connection> {
  const data = config.values.data
  const given = options.server ?? (terminal.env['HOLDFAST_URL'] || undefined)
  const url = given
    ? serverAddress(given, options.server ? '--server' : 'HOLDFAST_URL')
    : await runningServer(terminal, data)
  const token = options.tokenFile
    ? await tokenIn(terminal, options.tokenFile)
    : tokenFromEnvironment(terminal.env)
  return { url, token: token ?? (await ownersToken(url, data)) }
}

export function serverAddress(given: string, origin: string): string {
  const url = URL.parse(given)
  if (
    url &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    !url.username &&
    !url.password
  )
    return url.origin
  throw usage(
    `${origin} must be an address such as http://127.0.0.1:4747.`,
    'Leave it out to use the server of the data folder.',
  )
}

async function runningServer(terminal: Terminal, data: string): Promise<string> {
  const found = await readRunFile(data)
  // The port in a stale file may belong to another program, so it is not used.
  if (found && isAlive(found)) return found.url
  if (!mayEnter(data))
    throw refused(
      `The data folder ${data} is closed to this user.`,
      'Act as the user it belongs to, or name the server with --server URL, and a token with --token-file FILE.',
    )
  const start = startCommand(terminal.env)
  throw new CommandFailure(
    'unreachable',
    `No server is running on ${data}.`,
    `Start it with \`${start}\`, or name another with --server URL or --data DIR.`,
  )
}

export async function tokenIn(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return checked(await readAll(terminal.stdin), 'standard input')
  const path = resolve(terminal.cwd, file)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usage(`${path} cannot be read (${error.code}).`, 'Name the file that holds the token.')
  })
  return checked(text, path)
}

function checked(text: string, origin: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]{1,512}$/.test(token)) return token
  throw usage(`There is no token in ${origin}.`, 'It must hold the token and nothing else.')
}

export const isOurMachine = (url: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

async function ownersToken(url: string, data: string): Promise<string> {
  const { hostname } = new URL(url)
  const isOurs = isOurMachine(url)
  const token = isOurs ? await readOwnerToken(data) : undefined
  if (token) return token
  const why = isOurs
    ? `There is no owner token in ${data}.`
    : `The owner token of this machine is not sent to ${hostname}.`
  throw refused(
    `${why} A token is needed.`,
    'Set HOLDFAST_TOKEN, or use --token-file FILE (- for standard input).',
  )
}
