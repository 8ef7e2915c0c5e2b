/** The work sessions of a project, `/sessions` on the wire (WK). */
import * as z from 'zod'
import { approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { PageQuery, pageOf } from '../page.ts'
import { ProjectPath } from '../projects/project.ts'
import type { Route } from '../route.ts'
import { Approach, ApproachChange, ApproachDraft } from './approach.ts'
import { Artifact, anyBytes, maxArtifactBytes } from './artifact.ts'
import { CheckpointRequest, SavedCheckpoint } from './checkpoint.ts'
import { Lineage } from './lineage.ts'
import { WorkSessionFiles } from './read-work-session.ts'
import { Restored, Resumed } from './resume.ts'
import { Task, TaskChange, TaskDraft, taskStatuses } from './task.ts'
import { ListedWorkSession, WholeWorkSession, WorkSession, WorkSessionDraft, WorkSessionEnd } from './work-session.ts'

const project = z.object({ projectId: z.string().max(200) })
const workSession = project.extend({ workSessionId: z.string().max(200) })

export const workSessionRoutes = {
  listWorkSessions: {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions',
    scope: 'read',
    summary: 'List the work sessions of a project, newest first',
    params: project,
    query: PageQuery,
    status: 200,
    answer: pageOf(ListedWorkSession),
  },
  createWorkSession: {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions',
    scope: 'write',
    summary: 'Begin a work session',
    params: project,
    body: WorkSessionDraft.optional(),
    status: 201,
    answer: WorkSession,
  },
  getWorkSession: {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{workSessionId}',
    scope: 'read',
    summary: 'Read a work session with its tasks, approvals, approaches, checkpoints, artifacts and children',
    params: workSession,
    status: 200,
    answer: WholeWorkSession,
  },
  endWorkSession: {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/end',
    scope: 'write',
    summary: 'End a work session: completed, or interrupted when a reason is given alone',
    params: workSession,
    body: WorkSessionEnd.optional(),
    status: 200,
    answer: WorkSession,
  },
  dismissWorkSession: {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/dismiss',
    scope: 'write',
    summary: 'Take interrupted work off the list of what was interrupted; it can be resumed all the same',
    params: workSession,
    body: z.strictObject({}).optional(),
    status: 200,
    answer: WorkSession,
  },
  listInterrupted: {
    method: 'GET',
    path: '/api/sessions/interrupted',
    scope: 'read',
    summary: 'What was interrupted and neither resumed nor dismissed since, in any project, newest first',
    query: PageQuery,
    status: 200,
    answer: pageOf(WorkSession),
  },
  getLineage: {
    method: 'GET',
    path: '/api/projects/{projectId}/lineage',
    scope: 'read',
    summary: 'The newest work sessions with their checkpoints and approvals, for a picture of who was resumed from whom',
    params: project,
    status: 200,
    answer: Lineage,
  },
  resumeWorkSession: {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/resume',
    scope: 'write',
    summary: 'Take interrupted work up: 201 with a new work session, 200 with the same one while it runs',
    params: workSession,
    body: z.strictObject({}).optional(),
    status: 200,
    alsoStatus: 201,
    answer: Resumed,
  },
  resumeFromFile: {
    method: 'POST',
    path: '/api/sessions/resume-file',
    scope: 'manage',
    summary: 'Take work up from its files on the machine of the server, below its projects or in the folder of a project',
    body: z.strictObject({ path: ProjectPath.describe('Of a state_checkpoint.json, or of its folder; absolute') }),
    status: 200,
    alsoStatus: 201,
    answer: Resumed,
  },
  restoreWorkSession: {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/restore',
    scope: 'write',
    summary: 'Bring a work session back from its files: what is missing in the store, and nothing that is there',
    params: workSession,
    body: WorkSessionFiles,
    bodyLimit: 32 * 1024 * 1024,
    status: 200,
    answer: Restored,
  },
  saveCheckpoint: {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/checkpoint',
    scope: 'write',
    summary: 'Save the state of a work session now, in the store and in its file',
    params: workSession,
    body: CheckpointRequest.optional(),
    status: 201,
    answer: SavedCheckpoint,
  },
} as const satisfies Record<string, Route>

const task = project.extend({ taskId: z.string().max(200) })

/** The tasks of a project (TK). */
export const taskRoutes = {
  listTasks: {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks',
    scope: 'read',
    summary: 'List the tasks of a project, newest first',
    params: project,
    query: PageQuery.extend({ status: z.enum(taskStatuses).optional(), workSessionId: z.string().max(200).optional() }),
    status: 200,
    answer: pageOf(Task),
  },
  createTask: {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks',
    scope: 'write',
    summary: 'Create a task in a work session; it is blocked while a task it depends on is unfinished',
    params: project,
    body: TaskDraft,
    status: 201,
    answer: Task,
  },
  getTask: {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks/{taskId}',
    scope: 'read',
    summary: 'Read a task',
    params: task,
    status: 200,
    answer: Task,
  },
  changeTask: {
    method: 'PATCH',
    path: '/api/projects/{projectId}/tasks/{taskId}',
    scope: 'write',
    summary: 'Change a task: its status, progress, agent, dependencies, result, words',
    params: task,
    body: TaskChange,
    status: 200,
    answer: Task,
  },
} as const satisfies Record<string, Route>

const approachId = { approachId: z.string().max(200) }

/** The approaches of a work session (AR), its own and inherited ones. */
export const approachRoutes = {
  listApproaches: {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/approaches',
    scope: 'read',
    summary: 'List the approaches of a work session and of those it was resumed from, newest first',
    params: workSession,
    query: PageQuery.extend({ kind: z.enum(approachKinds).optional() }),
    status: 200,
    answer: pageOf(Approach),
  },
  recordApproach: {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/approaches',
    scope: 'write',
    summary: 'Record what worked, what failed, or what could be tried',
    params: workSession,
    body: ApproachDraft,
    status: 201,
    answer: Approach,
  },
  changeApproach: {
    method: 'PATCH',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/approaches/{approachId}',
    scope: 'write',
    summary: 'Change an approach, or say that an untried one was tried; what it was stays in its history',
    params: workSession.extend(approachId),
    body: ApproachChange,
    status: 200,
    answer: Approach,
  },
  listProjectApproaches: {
    method: 'GET',
    path: '/api/projects/{projectId}/approaches',
    scope: 'read',
    summary: 'List everything that was learned in a project, by id',
    params: project,
    query: PageQuery.extend({ kind: z.enum(approachKinds).optional() }),
    status: 200,
    answer: pageOf(Approach),
  },
  changeApproachOfProject: {
    method: 'PATCH',
    path: '/api/projects/{projectId}/approaches/{approachId}',
    scope: 'write',
    summary: 'The same, without saying from which work session: ids count within the project',
    params: project.extend(approachId),
    body: ApproachChange,
    status: 200,
    answer: Approach,
  },
} as const satisfies Record<string, Route>

const artifactParams = z.object({ projectId: z.string().max(200), workSessionId: z.string().max(200) })
/** The domain checks names, with its own error (`invalid_name`). */
const artifact = artifactParams.extend({ name: z.string().max(1000) })

/** The artifacts of a work session (CK5). */
export const artifactRoutes = {
  listArtifacts: {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/artifacts',
    scope: 'read',
    summary: 'List the artifacts of a work session by name',
    params: artifactParams,
    query: PageQuery,
    status: 200,
    answer: pageOf(Artifact),
  },
  getArtifact: {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/artifacts/{name}',
    scope: 'read',
    summary: 'Download an artifact',
    params: artifact,
    status: 200,
    media: anyBytes,
  },
  putArtifact: {
    method: 'PUT',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/artifacts/{name}',
    scope: 'write',
    summary: 'Store an artifact under its name, whole, in the place of one that has it; the body is its bytes, whatever they are',
    params: artifact,
    upload: maxArtifactBytes,
    status: 200,
    alsoStatus: 201,
    answer: Artifact,
  },
  deleteArtifact: {
    method: 'DELETE',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/artifacts/{name}',
    scope: 'write',
    summary: 'Delete an artifact',
    params: artifact,
    status: 204,
  },
} as const satisfies Record<string, Route>
