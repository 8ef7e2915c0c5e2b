/** Which project is meant: the one named, or the only one there is. */
import type { Client } from '../client/client.ts'
import type { Project } from '../protocol/project.ts'
import type { CommandOption, Given } from './command.ts'
import { CommandFailure, usage } from './failure.ts'
import { findByName } from './find-by-name.ts'

export const projectOption: CommandOption = {
  flags: '--project <project>',
  about: 'its id, or its name where only one has it; may be left out where only one can be meant',
}

/** Named in a hint at most. */
const mostNamed = 5

/** `agentId`: only projects it is assigned to can be meant without being named. */
export async function chooseProject(client: Client, given: Given, agentId?: string): Promise<Project> {
  const projects = client.pages('/api/projects', { query: { limit: 200 } })
  const typed = given.text('project')
  if (typed !== undefined) return findByName('project', typed, projects)
  const found: Project[] = []
  for await (const project of projects) {
    if (agentId === undefined || project.agentIds.includes(agentId)) found.push(project)
    if (found.length > mostNamed) break
  }
  const [only, ...others] = found
  if (only && others.length === 0) return only
  if (only)
    throw usage('Several projects can be meant.', `Add --project with one of: ${found.map(({ name }) => name).join(', ')}.`)
  // An id that nobody has is a typing error, and the nearest one is named.
  if (agentId !== undefined) await findByName('agent', agentId, client.pages('/api/agents', { query: { limit: 200 } }))
  throw agentId === undefined
    ? new CommandFailure('notFound', 'There is no project yet.', 'Make one: holdfast projects create NAME --path DIR')
    : new CommandFailure(
        'notFound',
        `${agentId} is assigned to no project.`,
        `Assign it: holdfast projects assign PROJECT ${agentId}. \`holdfast agents\` lists the agents.`,
        'agent_not_found',
      )
}
