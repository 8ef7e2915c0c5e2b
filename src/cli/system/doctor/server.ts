/** Checks whether a server runs, answers and can write; otherwise whether one could start. */
import { createServer } from 'node:net'
import { type Client, createClient } from '../../../client/client.ts'
import type { LoadedConfig } from '../../../platform/config/config.ts'
import { isAlive, readRunFile } from '../../../platform/files/run-file.ts'
import { bad, type Check, good, warning } from './check.ts'

const answerTimeoutMs = 5_000

export interface FoundServer {
  readonly url: string | undefined
  readonly checks: readonly Check[]
}

export async function checkServer(
  config: LoadedConfig,
  named: string | undefined,
  ourVersion: string,
  start: string,
): Promise<FoundServer> {
  if (named) return checkAnswer(named, undefined, ourVersion)
  const { data } = config.values
  const found = await readRunFile(data)
  if (found && isAlive(found)) return checkAnswer(found.url, found.version, ourVersion)
  const note = found ? `ended without saying so (it was process ${found.pid})` : 'not running'
  return {
    url: undefined,
    checks: [warning('Server', note, `Start it with \`${start}\`.`), await checkPort(config)],
  }
}

async function checkAnswer(
  url: string,
  version: string | undefined,
  ourVersion: string,
): Promise<FoundServer> {
  const client = createClient({ url })
  const [health, ready] = [await statusOf(client, '/healthz'), await statusOf(client, '/readyz')]
  if (health !== 200) {
    return {
      url: undefined,
      checks: [
        bad(
          'Server',
          `does not answer at ${url}`,
          'Look at its log; if it hangs, stop it and start it again.',
        ),
      ],
    }
  }
  const running = `running at ${url}${version ? `, version ${version}` : ''}`
  const server =
    version && version !== ourVersion
      ? warning(
          'Server',
          running,
          `This command is version ${ourVersion}; start the server again to have the same.`,
        )
      : good('Server', running)
  const store =
    ready === 200
      ? good('Store', 'can be read and written')
      : bad('Store', 'cannot be written', 'Look at the disk and the server’s log.')
  return { url, checks: [server, store] }
}

async function statusOf(client: Client, path: string): Promise<number | undefined> {
  try {
    const response = await client.open(path, { signal: AbortSignal.timeout(answerTimeoutMs) })
    await response.body?.cancel()
    return response.status
  } catch {
    return undefined
  }
}

async function checkPort({ values: { host, port } }: Pick<LoadedConfig, 'values'>): Promise<Check> {
  if (port === 0) return good('Port', 'a free one is taken at each start')
  const code = await listenError(host, port)
  switch (code) {
    case undefined:
      return good('Port', `${port} on ${host} is free`)
    case 'EADDRINUSE':
      return bad(
        'Port',
        `${port} on ${host} is used by another program`,
        'Stop that program, or choose another port with --port N (0 takes a free one).',
      )
    case 'EACCES':
      return bad(
        'Port',
        `${port} may not be opened by this user`,
        'Choose a port above 1023 with --port N.',
      )
    default:
      return bad(
        'Port',
        `${port} on ${host} cannot be opened (${code})`,
        'Check `host`; 127.0.0.1 always works.',
      )
  }
}

const listenError = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
