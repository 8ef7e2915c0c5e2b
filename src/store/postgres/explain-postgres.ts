/**
 * Explains why PostgreSQL cannot be used by a command that runs beside the server; the start of the
 * server has its own messages.
 */
import { StartFailure } from '../../platform/processes/start-failure.ts'

export async function explainPostgres(url: string, error: unknown): Promise<unknown> {
  const { codeOf, reason } = await import('./failures.ts')
  const { connectionOptions } = await import('./connection-options.ts')
  if (error instanceof StartFailure || codeOf(error) === undefined) return error
  return new StartFailure(
    `PostgreSQL at ${connectionOptions(url).address} cannot be used: ${reason(error)}.`,
    'Check that it runs, and DATABASE_URL.',
    { cause: error },
  )
}
