/** Finds a work session by id in any project. */
import { ProblemError } from '../../client/failures.ts'
import type { WholeWorkSession } from '../../protocol/work/work-session.ts'
import type { CommandContext } from '../context.ts'
import { notFound } from '../failure.ts'
import { namedProject } from '../projects/choose-project.ts'

const maxProjects = 1000

const path = '/api/projects/{projectId}/sessions/{workSessionId}'

export async function findWorkSession(
  context: CommandContext,
  workSessionId: string,
): Promise<WholeWorkSession> {
  const named = await namedProject(context)
  if (named) return context.client.get(path, { params: { projectId: named.id, workSessionId } })
  let looked = 0
  for await (const { id: projectId } of context.client.pages('/api/projects')) {
    const found = await context.client
      .get(path, { params: { projectId, workSessionId } })
      .catch(ifNotThere)
    if (found) return found
    if (++looked >= maxProjects) break
  }
  throw notFound(`There is no work session ${workSessionId}.`, '`holdfast work` lists them.')
}

/** Returns undefined for a missing item; throws other failures. */
export function ifNotThere(error: unknown): undefined {
  if (error instanceof ProblemError && error.problem.code === 'not_found') return undefined
  throw error
}
