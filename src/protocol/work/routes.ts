/** The work sessions of a project, `/sessions` on the wire (WK). */
import * as z from 'zod'
import { approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { listOf } from '../page.ts'
import { ProjectPath } from '../projects/project.ts'
import { route } from '../route.ts'
import { Approach, ApproachChange, ApproachDraft } from './approach.ts'
import { Artifact, anyBytes, maxArtifactBytes } from './artifact.ts'
import { CheckpointRequest, SavedCheckpoint } from './checkpoint.ts'
import { Lineage } from './lineage.ts'
import { WorkSessionFiles } from './read-work-session.ts'
import { Restored, Resumed } from './resume.ts'
import { Task, TaskChange, TaskDraft, taskStatuses } from './task.ts'
import { ListedWorkSession, WholeWorkSession, WorkSession, WorkSessionDraft, WorkSessionEnd } from './work-session.ts'

export const workSessionRoutes = {
  listWorkSessions: route('GET /api/projects/{projectId}/sessions', 'read', {
    summary: 'List the work sessions of a project, newest first',
    ...listOf(ListedWorkSession),
  }),
  createWorkSession: route('POST /api/projects/{projectId}/sessions', 'write', {
    summary: 'Begin a work session',
    body: WorkSessionDraft.optional(),
    status: 201,
    answer: WorkSession,
  }),
  getWorkSession: route('GET /api/projects/{projectId}/sessions/{workSessionId}', 'read', {
    summary: 'Read a work session with its tasks, approvals, approaches, checkpoints, artifacts and children',
    answer: WholeWorkSession,
  }),
  endWorkSession: route('POST /api/projects/{projectId}/sessions/{workSessionId}/end', 'write', {
    summary: 'End a work session: completed, or interrupted when a reason is given alone',
    body: WorkSessionEnd.optional(),
    answer: WorkSession,
  }),
  dismissWorkSession: route('POST /api/projects/{projectId}/sessions/{workSessionId}/dismiss', 'write', {
    summary: 'Take interrupted work off the list of what was interrupted; it can be resumed all the same',
    body: z.strictObject({}).optional(),
    answer: WorkSession,
  }),
  listInterrupted: route('GET /api/sessions/interrupted', 'read', {
    summary: 'What was interrupted and neither resumed nor dismissed since, in any project, newest first',
    ...listOf(WorkSession),
  }),
  getLineage: route('GET /api/projects/{projectId}/lineage', 'read', {
    summary: 'The newest work sessions with their checkpoints and approvals, for a picture of who was resumed from whom',
    answer: Lineage,
  }),
  resumeWorkSession: route('POST /api/projects/{projectId}/sessions/{workSessionId}/resume', 'write', {
    summary: 'Take interrupted work up: 201 with a new work session, 200 with the same one while it runs',
    body: z.strictObject({}).optional(),
    alsoStatus: 201,
    answer: Resumed,
  }),
  resumeFromFile: route('POST /api/sessions/resume-file', 'manage', {
    summary: 'Take work up from its files on the machine of the server, below its projects or in the folder of a project',
    body: z.strictObject({ path: ProjectPath.describe('Of a state_checkpoint.json, or of its folder; absolute') }),
    alsoStatus: 201,
    answer: Resumed,
  }),
  restoreWorkSession: route('POST /api/projects/{projectId}/sessions/{workSessionId}/restore', 'write', {
    summary: 'Bring a work session back from its files: what is missing in the store, and nothing that is there',
    body: WorkSessionFiles,
    bodyLimit: 32 * 1024 * 1024,
    answer: Restored,
  }),
  saveCheckpoint: route('POST /api/projects/{projectId}/sessions/{workSessionId}/checkpoint', 'write', {
    summary: 'Save the state of a work session now, in the store and in its file',
    body: CheckpointRequest.optional(),
    status: 201,
    answer: SavedCheckpoint,
  }),
}

export const taskRoutes = {
  listTasks: route('GET /api/projects/{projectId}/tasks', 'read', {
    summary: 'List the tasks of a project, newest first',
    ...listOf(Task, { status: z.enum(taskStatuses).optional(), workSessionId: z.string().max(200).optional() }),
  }),
  createTask: route('POST /api/projects/{projectId}/tasks', 'write', {
    summary: 'Create a task in a work session; it is blocked while a task it depends on is unfinished',
    body: TaskDraft,
    status: 201,
    answer: Task,
  }),
  getTask: route('GET /api/projects/{projectId}/tasks/{taskId}', 'read', { summary: 'Read a task', answer: Task }),
  changeTask: route('PATCH /api/projects/{projectId}/tasks/{taskId}', 'write', {
    summary: 'Change a task: its status, progress, agent, dependencies, result, words',
    body: TaskChange,
    answer: Task,
  }),
}

/** The approaches of a work session (AR), its own and inherited ones. */
export const approachRoutes = {
  listApproaches: route('GET /api/projects/{projectId}/sessions/{workSessionId}/approaches', 'read', {
    summary: 'List the approaches of a work session and of those it was resumed from, newest first',
    ...listOf(Approach, { kind: z.enum(approachKinds).optional() }),
  }),
  recordApproach: route('POST /api/projects/{projectId}/sessions/{workSessionId}/approaches', 'write', {
    summary: 'Record what worked, what failed, or what could be tried',
    body: ApproachDraft,
    status: 201,
    answer: Approach,
  }),
  changeApproach: route('PATCH /api/projects/{projectId}/sessions/{workSessionId}/approaches/{approachId}', 'write', {
    summary: 'Change an approach, or say that an untried one was tried; what it was stays in its history',
    body: ApproachChange,
    answer: Approach,
  }),
  listProjectApproaches: route('GET /api/projects/{projectId}/approaches', 'read', {
    summary: 'List everything that was learned in a project, by id',
    ...listOf(Approach, { kind: z.enum(approachKinds).optional() }),
  }),
  changeApproachOfProject: route('PATCH /api/projects/{projectId}/approaches/{approachId}', 'write', {
    summary: 'The same, without saying from which work session: ids count within the project',
    body: ApproachChange,
    answer: Approach,
  }),
}

export const artifactRoutes = {
  listArtifacts: route('GET /api/projects/{projectId}/sessions/{workSessionId}/artifacts', 'read', {
    summary: 'List the artifacts of a work session by name',
    ...listOf(Artifact),
  }),
  getArtifact: route('GET /api/projects/{projectId}/sessions/{workSessionId}/artifacts/{name}', 'read', {
    summary: 'Download an artifact',
    media: anyBytes,
  }),
  putArtifact: route('PUT /api/projects/{projectId}/sessions/{workSessionId}/artifacts/{name}', 'write', {
    summary: 'Store an artifact under its name, whole, in the place of one that has it; the body is its bytes, whatever they are',
    upload: maxArtifactBytes,
    alsoStatus: 201,
    answer: Artifact,
  }),
  deleteArtifact: route('DELETE /api/projects/{projectId}/sessions/{workSessionId}/artifacts/{name}', 'write', {
    summary: 'Delete an artifact',
  }),
}
