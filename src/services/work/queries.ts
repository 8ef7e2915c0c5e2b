/** Read queries for work sessions, tasks, approaches and artifacts. */

import type { Viewer } from '../../domain/access/visibility.ts'
import type { AgentDecision } from '../../domain/approvals/decision-for-agent.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import type { ApproachKind } from '../../domain/work/approach-lifecycle.ts'
import type { ResumeContext } from '../../domain/work/resume-context.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import type { Approach } from '../../protocol/work/approach.ts'
import type { Artifact } from '../../protocol/work/artifact.ts'
import { type Lineage, lineageMarks, lineageSize } from '../../protocol/work/lineage.ts'
import type { Task } from '../../protocol/work/task.ts'
import {
  type ListedWorkSession,
  type WholeWorkSession,
  type WorkSession,
  wholeListLimit,
} from '../../protocol/work/work-session.ts'
import { approvalsOfWorkSession } from '../../store/approvals/approvals.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import {
  cutNamePage,
  cutPage,
  cutPageBy,
  nameAfter,
  newest,
  pageParams,
} from '../../store/page-cursor.ts'
import { defineQuery } from '../../store/store.ts'
import { approachesOfProject, approachesPage, approachOf } from '../../store/work/approaches.ts'
import { artifactOf, artifactsAfter, selectPart } from '../../store/work/artifacts.ts'
import { selectTaskAtHand, type TasksFilter, taskOf, tasksPage } from '../../store/work/tasks.ts'
import { checkpointsOf, lastChange } from '../../store/work/work-session-state.ts'
import {
  childrenOf,
  lineageOf,
  marksOf,
  selectRunningAfter,
  workSessionOf,
  workSessionsPage,
  workSessionsToResume,
} from '../../store/work/work-sessions.ts'
import { approvalsFor } from '../access/shown-to-others.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { decisionsAt } from '../approvals/decisions-for-agents.ts'
import { settingsOf } from '../projects/project-record.ts'
import { noSuchArtifact, noSuchProject } from '../refusals.ts'
import { existingTask } from './change-task.ts'
import { existingWorkSession } from './end-work-session.ts'
import { waitsForOf, waitsForWorkSession } from './plan-record.ts'
import { resumeContextOf } from './resume-context.ts'
import type { NamedArtifact } from './upload-artifact.ts'

interface WorkSessionPlace {
  readonly projectId: string
  readonly workSessionId: string
}

/** Returns a work session with everything that belongs to it (WK3). */
export const getWorkSession = defineQuery('get-work-session', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { viewer, ...place }: WorkSessionPlace & { viewer: Viewer },
  ): Promise<WholeWorkSession> => {
    const { workSessionId } = place
    const row = await existingWorkSession(reader, place)
    const page = { ...newest, limit: wholeListLimit }
    const approaches = await approachesPage(reader, await lineageOf(reader, row), page)
    return {
      ...workSessionOf(row),
      waitsFor: await waitsForOf(reader, row),
      tasks: await tasksPage(reader, place, page),
      approvals: await approvalsFor(
        reader,
        viewer,
        await approvalsOfWorkSession(reader, workSessionId, wholeListLimit),
      ),
      approaches: approaches.map(approachOf),
      checkpoints: await checkpointsOf(reader, workSessionId, wholeListLimit),
      artifacts: await artifactsAfter(reader, { workSessionId, name: '' }, wholeListLimit),
      children: await childrenOf(reader, workSessionId, wholeListLimit),
    }
  },
})

/** Lists a project's work sessions, newest first, in pages (WK3). */
export const listWorkSessions = defineQuery('list-work-sessions', {
  scope: 'read',
  on: 'project',
  run: async (
    reader,
    { projectId, ...page }: PageQuery & { projectId: string },
  ): Promise<Page<ListedWorkSession>> => {
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const found = await workSessionsPage(reader, projectId, pageParams(page))
    const cut = cutPageBy(found, page.limit, ({ startedAt, id }) => ({ createdAt: startedAt, id }))
    const items: ListedWorkSession[] = []
    for (const each of cut.items)
      items.push({ ...each, waitsFor: await waitsForWorkSession(reader, each) })
    return { ...cut, items }
  },
})

/** Lists interrupted work not resumed yet, of all projects, newest first (UI1). */
export const listInterrupted = defineQuery('list-interrupted', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, page: PageQuery): Promise<Page<WorkSession>> =>
    cutPageBy(
      await workSessionsToResume(reader, pageParams(page)),
      page.limit,
      ({ startedAt, id }) => ({
        createdAt: startedAt,
        id,
      }),
    ),
})

/** Lists a project's newest work sessions with their marks, for the lineage view (UI2). */
export const getLineage = defineQuery('get-lineage', {
  scope: 'read',
  on: 'project',
  run: async (reader, { projectId }: { projectId: string }): Promise<Lineage> => {
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const found = await workSessionsPage(reader, projectId, { ...newest, limit: lineageSize })
    const items: Lineage['items'] = []
    for (const workSession of found)
      items.push({ ...workSession, ...(await marksOf(reader, workSession.id, lineageMarks)) })
    return { items }
  },
})

export const getTask = defineQuery('get-task', {
  scope: 'read',
  on: 'project',
  run: async (reader, place: { projectId: string; taskId: string }): Promise<Task> =>
    taskOf(await existingTask(reader, place)),
})

/**
 * Lists a project's tasks, newest first, in pages (HT1), optionally of one status or work session.
 */
export const listTasks = defineQuery('list-tasks', {
  scope: 'read',
  on: 'project',
  run: async (
    reader,
    { limit, cursor, ...filter }: PageQuery & TasksFilter,
  ): Promise<Page<Task>> => {
    const { projectId } = filter
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    return cutPage(await tasksPage(reader, filter, pageParams({ limit, cursor })), limit)
  },
})

/**
 * Returns the task in progress of an agent session (`get_my_task`, AS3) and the decisions about it.
 */
export const getMyTask = defineQuery('get-my-task', {
  scope: 'agent',
  on: 'caller',
  run: async (
    reader,
    caller: AgentCaller,
  ): Promise<{ task: Task | null; decisions: AgentDecision[] }> => {
    const { agentId, projectId, workSessionId } = await liveAgentSession(reader, caller)
    const row = await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId })
    if (!row) return { task: null, decisions: [] }
    const decided = await decisionsAt(
      reader,
      { agentId, projectId, workSessionId: row.session_id ?? workSessionId },
      row,
    )
    return { task: taskOf(row), decisions: decided.map(({ decision }) => decision) }
  },
})

/**
 * Returns the context of resumed work as it is now (`get_resume_context`). Null if the work was not
 * resumed.
 */
export const getResumeContext = defineQuery('get-resume-context', {
  scope: 'agent',
  on: 'caller',
  run: async (reader, caller: AgentCaller): Promise<ResumeContext | null> => {
    const { workSessionId, agentId } = await liveAgentSession(reader, caller)
    const row =
      workSessionId === null ? undefined : await reader.row('sessions', { id: workSessionId })
    return row?.parent_session_id ? resumeContextOf(reader, row, agentId) : null
  },
})

type ListInput = PageQuery & {
  projectId: string
  workSessionId: string
  kind?: ApproachKind | undefined
}

/** Lists the approaches of a work session and its ancestors (AR2), newest first, in pages (HT1). */
export const listApproaches = defineQuery('list-approaches', {
  scope: 'read',
  on: 'project',
  run: async (reader, { limit, cursor, kind, ...place }: ListInput): Promise<Page<Approach>> => {
    const lineage = await lineageOf(reader, await existingWorkSession(reader, place))
    const found = await approachesPage(reader, lineage, pageParams({ limit, cursor }), kind)
    return cutPageBy(found.map(approachOf), limit, ({ recordedAt, id }) => ({
      createdAt: recordedAt,
      id,
    }))
  },
})

type ProjectListInput = PageQuery & { projectId: string; kind?: ApproachKind | undefined }

/** Lists all approaches of a project by id, in pages (UI2). */
export const listProjectApproaches = defineQuery('list-project-approaches', {
  scope: 'read',
  on: 'project',
  run: async (
    reader,
    { projectId, kind, limit, cursor }: ProjectListInput,
  ): Promise<Page<Approach>> => {
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const found = await approachesOfProject(reader, {
      projectId,
      after: nameAfter(cursor),
      limit: limit + 1,
      kind,
    })
    const { items, nextCursor } = cutNamePage(
      found.map((row) => ({ name: row.id, row })),
      limit,
    )
    return { items: items.map(({ row }) => approachOf(row)), nextCursor }
  },
})

export const runningPageSize = 200

export interface RunningWork {
  readonly projectId: string
  readonly workSessionId: string
  /** The earliest time. */
  readonly dueAt: Instant
}

/**
 * Lists running work sessions of all projects, and when each may need a checkpoint (CK1). Ordered
 * by project and id, after the given one.
 */
export const findRunningWork = defineQuery('find-running-work', {
  scope: 'server',
  on: 'nobody',
  run: async (
    reader,
    after: { projectId: string; workSessionId: string },
  ): Promise<RunningWork[]> => {
    const found: RunningWork[] = []
    for (const row of await reader.all(selectRunningAfter, { ...after, limit: runningPageSize })) {
      const { savedAt } = await lastChange(reader, row.id)
      const intervalMs = durationMs(
        await settingsOf(reader, row.project_id),
        'checkpoint.interval_minutes',
      )
      found.push({
        projectId: row.project_id,
        workSessionId: row.id,
        dueAt: later(savedAt, intervalMs),
      })
    }
    return found
  },
})

/** Returns an artifact (CK5) and the id of its upload. */
export const getArtifact = defineQuery('get-artifact', {
  scope: 'read',
  on: 'project',
  run: async (
    reader,
    { name, ...place }: NamedArtifact,
  ): Promise<{ artifact: Artifact; uploadId: string }> => {
    const { id: workSessionId } = await existingWorkSession(reader, place)
    const row = await reader.row('artifacts', { session_id: workSessionId, name })
    if (!row) throw noSuchArtifact(name)
    return { artifact: artifactOf(row), uploadId: row.upload_id }
  },
})

type ArtifactListInput = PageQuery & { projectId: string; workSessionId: string }

/** Lists a work session's artifacts by name, in pages (HT1). */
export const listArtifacts = defineQuery('list-artifacts', {
  scope: 'read',
  on: 'project',
  run: async (reader, { limit, cursor, ...place }: ArtifactListInput): Promise<Page<Artifact>> => {
    const { id: workSessionId } = await existingWorkSession(reader, place)
    const found = await artifactsAfter(
      reader,
      { workSessionId, name: nameAfter(cursor) },
      limit + 1,
    )
    return cutNamePage(found, limit)
  },
})

/** Returns one part of an artifact's bytes. In base64. Null after the last part. */
export const readUploadPart = defineQuery('read-upload-part', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, part: { uploadId: string; number: number }): Promise<string | null> =>
    (await reader.first(selectPart, part))?.bytes ?? null,
})
