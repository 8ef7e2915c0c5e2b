/** Finds a work session by id in any project. */
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import type { WholeWorkSession } from '../../protocol/work/work-session.ts'
import type { Given } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { namedProject } from '../projects/choose-project.ts'

/** Upper bound of projects searched. */
const maxProjects = 1000

const path = '/api/projects/{projectId}/sessions/{workSessionId}'

export async function findWorkSession(client: Client, given: Given, workSessionId: string): Promise<WholeWorkSession> {
  const named = await namedProject(client, given)
  if (named) return client.get(path, { params: { projectId: named.id, workSessionId } })
  let looked = 0
  for await (const { id: projectId } of client.pages('/api/projects', { query: { limit: 200 } })) {
    const found = await client.get(path, { params: { projectId, workSessionId } }).catch(ifNotThere)
    if (found) return found
    if (++looked >= maxProjects) break
  }
  throw new CommandFailure('notFound', `There is no work session ${workSessionId}.`, '`holdfast sessions` lists them.')
}

/** Returns undefined for a missing item; throws other failures. */
export function ifNotThere(error: unknown): undefined {
  if (error instanceof ProblemError && error.problem.code === 'not_found') return undefined
  throw error
}
