/**
 * Chooses the project of a command: the named one, the one whose folder contains the current
 * folder, or the only one.
 */
import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { visible } from '../../platform/log/visible.ts'
import type { Project } from '../../protocol/projects/project.ts'
import type { CommandContext } from '../context.ts'
import { notFound, usage } from '../failure.ts'
import { findAgent, findProject } from '../find-by-name.ts'

const maxNamed = 5
const maxSearched = 10_000

/** Returns the project of `--project`; undefined when it was left out. */
export async function namedProject(context: CommandContext): Promise<Project | undefined> {
  const typed = context.shared.project
  return typed === undefined ? undefined : findProject(context.client, typed)
}

/** `agentId`: without a name only its assigned projects are considered. */
export async function chooseProject(context: CommandContext, agentId?: string): Promise<Project> {
  const named = await namedProject(context)
  if (named) return named
  const all: Project[] = []
  for await (const project of context.client.pages('/api/projects'))
    if (all.push(project) >= maxSearched) break
  const possible = all.filter(({ agentIds }) => agentId === undefined || agentIds.includes(agentId))
  const here = await nearestTo(context.terminal.cwd, possible)
  const [only, ...others] = here.length > 0 ? here : possible
  if (only && others.length === 0) {
    await noteAnother(context, only, all, agentId)
    return only
  }
  if (here.length > 0)
    throw usage(
      `${here.length} projects have the folder ${here[0]?.path}.`,
      `Add --project with one of: ${listed(here, 'id')}.`,
    )
  if (only)
    throw usage(
      'Several projects can be meant, and the folder you are in belongs to none of them.',
      `Go to the folder of one, or add --project with one of: ${listed(possible, 'name')}.`,
    )
  // An unknown id is reported with the nearest one.
  if (agentId !== undefined) await findAgent(context.client, agentId)
  throw agentId === undefined
    ? notFound('There is no project yet.', 'Make one: holdfast projects create NAME --path DIR')
    : notFound(
        `${agentId} is assigned to no project.`,
        `Assign it: holdfast projects assign PROJECT ${agentId}. \`holdfast agents\` lists the agents.`,
        'agent_not_found',
      )
}

/**
 * Returns the projects with the deepest folder that contains this one, links resolved; several only
 * if they share it.
 */
async function nearestTo(cwd: string, projects: readonly Project[]): Promise<Project[]> {
  const from = await realpath(cwd).catch(() => cwd)
  let deepest = -1
  let found: Project[] = []
  for (const project of projects) {
    if (project.path === null) continue
    const folder = await realpath(project.path).catch(() => undefined)
    if (folder === undefined || !contains(folder, from) || folder.length < deepest) continue
    found = folder.length > deepest ? [project] : [...found, project]
    deepest = folder.length
  }
  return found
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Notes where the agent works if it is not in the project of this folder. */
async function noteAnother(
  context: CommandContext,
  chosen: Project,
  all: readonly Project[],
  agentId?: string,
): Promise<void> {
  if (agentId === undefined) return
  const here = await nearestTo(context.terminal.cwd, all)
  if (here.length > 0 && !here.some(({ id }) => id === chosen.id))
    context.note(
      `${visible(agentId)} is not in ${here.map(({ name }) => visible(name)).join(', ')}, the project of this folder; it is spoken to in ${visible(chosen.name)}.`,
    )
}

const listed = (projects: readonly Project[], by: 'id' | 'name'): string =>
  [
    ...projects.slice(0, maxNamed).map((each) => each[by]),
    ...(projects.length > maxNamed ? ['…'] : []),
  ].join(', ')

/** Upper bound of projects whose names are read; others are shown by id. */
const maxNames = 1000

/** Names of projects for lists that have their ids. Programs get the ids without a request. */
export async function projectNames({
  client,
  json,
}: CommandContext): Promise<(projectId: string) => string> {
  const names = new Map<string, string>()
  if (!json)
    for await (const { id, name } of client.pages('/api/projects'))
      if (names.set(id, name).size >= maxNames) break
  return (projectId) => names.get(projectId) ?? projectId
}
