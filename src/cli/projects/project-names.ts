/** Names of projects for lists that have their ids. Programs get the ids without a request. */
import type { Client } from '../../client/client.ts'
import type { CommandContext } from '../context.ts'

/** Upper bound of projects read; others are shown by id. */
const maxSearched = 1000

export async function projectNames(context: CommandContext, client: Client): Promise<(projectId: string) => string> {
  const names = new Map<string, string>()
  if (!context.json)
    for await (const { id, name } of client.pages('/api/projects', { query: { limit: 200 } }))
      if (names.set(id, name).size >= maxSearched) break
  return (projectId) => names.get(projectId) ?? projectId
}
