/**
 * Distinguishes a missing item from a server too old to have the route, by the server's own list of
 * routes.
 */
import { createClient } from '../client/client.ts'
import { ProblemError } from '../client/failures.ts'
import type { Connection } from './connect.ts'
import { type CommandFailure, failed } from './failure.ts'

const answerTimeoutMs = 5000

/** Codes a server answers for an unknown route. */
const nothingThere: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed'])

/** Returns undefined when the server is not older, or that cannot be determined. */
export async function ofOlderServer(
  error: unknown,
  { url, token }: Connection,
): Promise<CommandFailure | undefined> {
  if (!(error instanceof ProblemError) || !error.route || !nothingThere.has(error.problem.code))
    return undefined
  const { method, path } = error.route
  const serverRoutes = await routesOf({ url, token }).catch(() => undefined)
  if (!serverRoutes || serverRoutes[path]?.[method.toLowerCase()]) return undefined
  return failed(
    `The server at ${url} is older than this command, and does not know ${method} ${path} yet.`,
    'Stop it and start it again with the Holdfast that this command is of, or use the command of the server’s version.',
    'server_older',
  )
}

type Routes = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>

async function routesOf(connection: Connection): Promise<Routes | undefined> {
  const response = await createClient(connection).open('/api/openapi.json', {
    signal: AbortSignal.timeout(answerTimeoutMs),
  })
  if (!response.ok) return undefined
  return ((await response.json()) as { paths?: Routes }).paths
}
