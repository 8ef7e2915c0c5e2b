/** What people call projects, for lists that have their ids. Programs get the ids, and nothing is asked for them. */
import type { Client } from '../../client/client.ts'
import type { CommandContext } from '../context.ts'

/** Looked through at most; the rest is shown by its id. */
const mostLookedAt = 1000

export async function projectNames(context: CommandContext, client: Client): Promise<(projectId: string) => string> {
  const names = new Map<string, string>()
  if (!context.json)
    for await (const { id, name } of client.pages('/api/projects', { query: { limit: 200 } }))
      if (names.set(id, name).size >= mostLookedAt) break
  return (projectId) => names.get(projectId) ?? projectId
}
