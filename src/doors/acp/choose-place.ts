/**
 * Where a session begins that an editor opens: the project of the folder that is open, the folder
 * itself, and an agent. The person looks at these files, so the agent works on them.
 */
import { readFile, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Who } from '../../domain/access/caller.ts'
import { allows } from '../../domain/access/scopes.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { WorkspaceChoice } from '../../protocol/conversations/conversation-workspace.ts'
import type { Project } from '../../protocol/projects/project.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { getAgent, listAgents } from '../../services/agents/queries.ts'
import { listConversations } from '../../services/conversations/queries.ts'
import { assignAgent, createProject } from '../../services/projects/change-project.ts'
import { findProjectsAt, getProject } from '../../services/projects/queries.ts'
import { codes, failure } from './failures.ts'

/** What is chosen for all sessions of an editor, where its command says so. */
export interface Chosen {
  readonly project?: string | undefined
  readonly agent?: string | undefined
  readonly workplace?: 'worktree' | 'checkout' | undefined
}

export interface BeginPlace {
  readonly projectId: string
  readonly agentId: string
  readonly workplace: WorkspaceChoice
}

const maxAgents = 200
const recentSessions = 20
/** A `.git` file is one line. */
const maxLinkBytes = 8192

export async function placeToBegin(
  deps: ServerDependencies,
  who: Who,
  cwd: string,
  chosen: Chosen,
): Promise<BeginPlace> {
  const folder = await openedFolder(cwd)
  const { project, place } = chosen.project
    ? await placeInNamed(deps, who, chosen.project, folder)
    : await placeFound(deps, who, folder)
  const agentId = await agentFor(deps, who, project, chosen.agent)
  const { protocol } = await deps.app.read(getAgent, { agentId }, who)
  // An agent that pulls works in the project's folder (CX9).
  const workplace = protocol === 'mcp' ? 'checkout' : (chosen.workplace ?? place)
  return { projectId: project.id, agentId, workplace }
}

async function openedFolder(cwd: string): Promise<string> {
  if (!isAbsolute(cwd))
    throw failure(codes.params, 'cwd must be an absolute path. Open the folder of a project.')
  const path = await realpath(cwd).catch(() => undefined)
  const isFolder = path !== undefined && (await stat(path)).isDirectory()
  if (!isFolder)
    throw failure(codes.params, `${cwd} is no folder of this machine. Open one that is there.`)
  const home = await realpath(homedir()).catch(() => homedir())
  if (home === path || home.startsWith(path === '/' ? path : `${path}/`))
    throw failure(codes.params, `${cwd} holds more than one project. Open the folder of a project.`)
  return path
}

interface Found {
  readonly project: Project
  readonly place: WorkspaceChoice
}

async function placeInNamed(
  { app }: ServerDependencies,
  who: Who,
  projectId: string,
  folder: string,
): Promise<Found> {
  const project = await app.read(getProject, { projectId }, who)
  const isInside =
    project.path !== null && (await linkedPlace(folder, [project.path])) !== undefined
  return { project, place: isInside ? placeIn(project, folder) : 'checkout' }
}

/** Whether the folder is the project's own, or one that is given. */
export const placeIn = ({ path }: Pick<Project, 'path'>, folder: string): WorkspaceChoice =>
  path === folder ? 'checkout' : { folder }

/** The folder and those above it, the deepest first. */
const lineOf = (folder: string): string[] => {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...lineOf(above)]
}

async function placeFound(deps: ServerDependencies, who: Who, folder: string): Promise<Found> {
  const project = await projectOf(deps, who, folder)
  return project ? { project, place: placeIn(project, folder) } : newProject(deps, who, folder)
}

/** The deepest project whose folder it is in; else that of a linked worktree's repository. */
async function projectOf(
  { app }: ServerDependencies,
  who: Who,
  folder: string,
): Promise<Project | undefined> {
  const [own] = await app.read(findProjectsAt, { folders: lineOf(folder) }, who)
  if (own) return own
  const repository = await mainFolderOf(folder)
  if (repository === undefined) return undefined
  return (await app.read(findProjectsAt, { folders: lineOf(repository) }, who))[0]
}

/** The project of a folder that may not be there; undefined where there is none. */
export async function projectOfFolder(
  deps: ServerDependencies,
  who: Who,
  cwd: string,
): Promise<Project | undefined> {
  const folder = await realpath(cwd).catch(() => undefined)
  return folder === undefined ? undefined : projectOf(deps, who, folder)
}

/** Whether the folder is below one of these, or in a worktree linked to it. */
async function linkedPlace(folder: string, paths: readonly string[]): Promise<string | undefined> {
  const line = lineOf(folder)
  const repository = await mainFolderOf(folder)
  const all = repository === undefined ? line : [...line, ...lineOf(repository)]
  return paths.find((path) => all.includes(path))
}

const textOf = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').then(
    (text) => (text.length > maxLinkBytes ? undefined : text.trim()),
    () => undefined,
  )

/**
 * The main folder of the repository that a linked worktree belongs to, read as data, without git
 * (SE11): each side has to name the other.
 */
async function mainFolderOf(folder: string): Promise<string | undefined> {
  for (const top of lineOf(folder)) {
    const named = /^gitdir: (.+)$/.exec((await textOf(join(top, '.git'))) ?? '')?.[1]
    if (named === undefined) continue
    const own = await realpath(resolve(top, named)).catch(() => undefined)
    if (own === undefined || basename(dirname(own)) !== 'worktrees') return undefined
    const back = await textOf(join(own, 'gitdir'))
    const named2 = back && (await realpath(resolve(own, back)).catch(() => undefined))
    if (named2 !== join(top, '.git')) return undefined
    const common = dirname(dirname(own))
    return basename(common) === '.git' ? dirname(common) : undefined
  }
  return undefined
}

/** The top of the repository that a folder is in; without one, the folder. */
async function topOf(folder: string): Promise<string> {
  for (const each of lineOf(folder)) {
    const found = await stat(join(each, '.git')).catch(() => undefined)
    if (found) return each
  }
  return folder
}

/** Opening the folder with Holdfast is the wish; no file is touched. */
async function newProject(
  { app, folders }: ServerDependencies,
  who: Who,
  folder: string,
): Promise<Found> {
  const path = await topOf(folder)
  if (!allows(who.scopes, 'manage'))
    throw failure(
      codes.params,
      `${path} is in no project. An owner can add it: holdfast projects add ${path}`,
    )
  const by = { by: who.id, scopes: who.scopes }
  const settings = { 'chat.workplace': 'checkout' } as const
  const project = await app.run(
    createProject,
    { name: basename(path) || path, path, settings, look: await folders.look(path), ...by },
    who,
  )
  const agents = await app.read(listAgents, { limit: maxAgents, cursor: undefined }, who)
  for (const { id: agentId } of agents.items)
    await app.run(assignAgent, { projectId: project.id, agentId, ...by }, who)
  const agentIds = agents.items.map(({ id }) => id)
  return { project: { ...project, agentIds }, place: placeIn(project, folder) }
}

/** The named one; else that of the newest session there; else the first that is prompted. */
async function agentFor(
  { app }: ServerDependencies,
  who: Who,
  { id: projectId, name, agentIds }: Project,
  wanted: string | undefined,
): Promise<string> {
  const some = agentIds.length === 0 ? 'none' : agentIds.join(', ')
  if (wanted !== undefined) {
    if (agentIds.includes(wanted)) return wanted
    throw failure(
      codes.params,
      `The project ${name} has no agent ${wanted}; it has: ${some}. Add it: holdfast projects ` +
        `assign ${projectId} ${wanted}`,
    )
  }
  const recent = await app.read(
    listConversations,
    { projectId, personId: who.id, archived: false, live: false, ...newestFew },
    who,
  )
  const used = recent.items.find(({ agentId }) => agentId !== null && agentIds.includes(agentId))
  if (used?.agentId) return used.agentId
  const ranked = await Promise.all(
    agentIds.map(async (agentId) => ({
      agentId,
      rank: rankOf(await app.read(getAgent, { agentId }, who)),
    })),
  )
  const [first] = ranked.sort((one, other) => one.rank - other.rank)
  if (first) return first.agentId
  throw failure(
    codes.params,
    `The project ${name} has no agent yet. Add one: holdfast agents add, then holdfast projects ` +
      `assign ${projectId} AGENT`,
  )
}

/** Those that are prompted show what they do as they do it; the demo is for trying. */
const rankOf = ({ id, protocol }: Agent): number =>
  (protocol === 'acp' ? 0 : 2) + (id.startsWith('demo') ? 1 : 0)

const newestFew = { limit: recentSessions, cursor: undefined }
