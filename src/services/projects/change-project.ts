/** Creates and changes projects, and assigns agents to them. */
import type * as z from 'zod'
import type { Scope } from '../../domain/access/scopes.ts'
import {
  type ChosenIsolation,
  changedIsolation,
  isolationOf,
} from '../../domain/agents/isolation.ts'
import { Refusal } from '../../domain/errors.ts'
import { projectId } from '../../domain/ids.ts'
import type { FolderInspection } from '../../domain/projects/folder.ts'
import { changeSettings } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Assignment } from '../../protocol/agents/isolation.ts'
import type { Project, ProjectChange, ProjectDraft } from '../../protocol/projects/project.ts'
import { selectPosition } from '../../store/log/event-log.ts'
import {
  agentIdsOf,
  chosenSettings,
  findProject,
  projectOf,
  selectAssignment,
} from '../../store/projects/projects.ts'
import { type Context, defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { requireManage } from '../access/require-scope.ts'
import { invalidSetting, noSuchAgent, noSuchProject } from '../refusals.ts'
import { chooseFolder, managedChange } from './choose-folder.ts'

/**
 * The random part has two thousand million values a day, so this many collisions mean broken
 * randomness.
 */
const maxIdTries = 10

export interface ProjectCaller {
  readonly by: string
  /** The caller's scopes. Left out for the server itself. */
  readonly scopes?: readonly Scope[] | undefined
  /** What was found at the path. */
  readonly look?: FolderInspection | undefined
}

/** Creates a project with its own settings (NA10) and a generated id (ID1). */
export const createProject = defineUseCase('create-project', {
  scope: 'write',
  on: 'nobody',
  streams: () => [home],
  run: async (
    tx,
    input: z.output<typeof ProjectDraft> & ProjectCaller,
    context,
  ): Promise<Project> => {
    // CX9: with git, each conversation gets its own worktree by default.
    const hasGit = input.look?.hasGit
      ? { 'chat.workplace': 'worktree', ...input.settings }
      : (input.settings ?? {})
    const settings = changeSettings({}, hasGit)
    if ('problem' in settings) throw invalidSetting(settings.problem)
    const wanted = input.path ?? null
    requireManage(
      input.scopes,
      managedChange({ path: null, chosen: {} }, { path: wanted, chosen: settings.chosen }),
    )
    const row = {
      id: await freeId(tx, context),
      name: input.name,
      path: wanted === null ? null : await chooseFolder(tx, wanted, input.look),
      settings: JSON.stringify(settings.chosen),
      created_at: context.now,
      updated_at: context.now,
    }
    await tx.insert('projects', row)
    const project = projectOf(row, [])
    const stream = projectStream(row.id)
    tx.begin(stream)
    tx.append(home, { type: 'project-created', data: { project, by: input.by } }, [stream])
    return project
  },
})

async function freeId(reader: Reader, { now, random }: Context): Promise<string> {
  for (let tries = 0; tries < maxIdTries; tries++) {
    const id = projectId(now, random.text)
    // A stream outlives its project, so ids of deleted projects are not reused.
    if (!(await reader.first(selectPosition, { name: projectStream(id) }))) return id
  }
  throw new Refusal('internal', refusalText('noFreeProjectId', { tries: maxIdTries }))
}

type Input = z.output<typeof ProjectChange> & ProjectCaller & { projectId: string }

/**
 * Changes a project's name, path or settings. Fields left out stay. A change without effect appends
 * no event.
 */
export const changeProject = defineUseCase('change-project', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by, scopes, look, ...change }: Input, { now }): Promise<Project> => {
    const row = await tx.row('projects', { id: projectId })
    if (!row) throw noSuchProject(projectId)
    const settings = changeSettings(chosenSettings(row), change.settings ?? {})
    if ('problem' in settings) throw invalidSetting(settings.problem)
    // An unchanged path is kept whatever happened to the folder.
    const isMoved = change.path !== undefined && change.path !== row.path
    const wanted = isMoved ? (change.path ?? null) : row.path
    const before = { path: row.path, chosen: chosenSettings(row) }
    requireManage(scopes, managedChange(before, { path: wanted, chosen: settings.chosen }))
    const changed = {
      ...row,
      name: change.name ?? row.name,
      path: isMoved && wanted !== null ? await chooseFolder(tx, wanted, look, projectId) : wanted,
      settings: JSON.stringify(settings.chosen),
    }
    const agentIds = await agentIdsOf(tx, projectId)
    const unchanged =
      changed.name === row.name && changed.path === row.path && changed.settings === row.settings
    if (unchanged) return projectOf(row, agentIds)
    changed.updated_at = now
    await tx.update('projects', changed)
    const project = projectOf(changed, agentIds)
    tx.append(home, { type: 'project-changed', data: { project, by } }, [projectStream(projectId)])
    return project
  },
})

export interface AssignInput extends ChosenIsolation {
  readonly projectId: string
  readonly agentId: string
  readonly by: string
  /** Left out: the server itself. */
  readonly scopes?: readonly Scope[]
}

/**
 * Assigns an agent to a project, which needs `manage`. Assigning it again changes nothing but how
 * its processes are isolated there (SB1).
 */
export const assignAgent = defineUseCase('assign-agent', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: AssignInput) => [home, projectStream(projectId)],
  run: async (tx, { projectId, agentId, by, scopes, ...chosen }, { now }): Promise<Project> => {
    const project = await findProject(tx, projectId)
    if (!project) throw noSuchProject(projectId)
    if (!(await tx.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
    const pair = { project_id: projectId, agent_id: agentId }
    const before = await tx.first(selectAssignment, pair)
    const isolation = changedIsolation(before?.isolation ?? '{}', chosen)
    if (isolation !== (before?.isolation ?? '{}')) requireManage(scopes, Object.keys(chosen)[0])
    if (before) {
      if (before.isolation === isolation) return project
      await tx.update('assignments', { ...pair, isolation })
      tx.append(home, { type: 'assignment-changed', data: { projectId, agentId, by } }, [
        projectStream(projectId),
      ])
      return project
    }
    // SE30: elsewhere it may be kept in a sandbox, which a project of one's own would be the way
    // around.
    requireManage(scopes, 'agentId')
    await tx.insert('assignments', { ...pair, isolation, created_at: now })
    tx.append(home, { type: 'agent-assigned', data: { projectId, agentId, by } }, [
      projectStream(projectId),
    ])
    return (await findProject(tx, projectId)) ?? project
  },
})

/** How an agent's processes are isolated in a project (SB1). */
export const getAssignment = defineQuery('get-assignment', {
  scope: 'read',
  on: 'project',
  run: async (
    reader,
    { projectId, agentId }: { projectId: string; agentId: string },
  ): Promise<Assignment> => {
    const agent = await reader.row('agents', { id: agentId })
    const found = await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })
    if (!agent || !found) throw noSuchAgent(agentId)
    const { sandbox } = JSON.parse(found.isolation) as ChosenIsolation
    const effective = isolationOf(agent.isolation, found.isolation)
    return {
      projectId,
      agentId,
      ...isolationOf(found.isolation),
      sandbox: sandbox ?? null,
      effective,
    }
  },
})
