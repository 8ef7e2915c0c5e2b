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
import {
  ListedWorkSession,
  WholeWorkSession,
  WorkSession,
  WorkSessionDraft,
  WorkSessionEnd,
} from './work-session.ts'

const project = '/api/projects/{projectId}'
const one = `${project}/sessions/{workSessionId}` as const

export const workSessionRoutes = {
  listWorkSessions: route(`GET ${project}/sessions`, 'read', listOf(ListedWorkSession))`
    List the work sessions of a project, newest first`,
  createWorkSession: route(`POST ${project}/sessions`, 'write', {
    body: WorkSessionDraft.optional(),
    status: 201,
    answer: WorkSession,
  })`
    Begin a work session`,
  getWorkSession: route(`GET ${one}`, 'read', { answer: WholeWorkSession })`
    Read a work session with its tasks, approvals, approaches, checkpoints, artifacts and children`,
  endWorkSession: route(`POST ${one}/end`, 'write', {
    body: WorkSessionEnd.optional(),
    answer: WorkSession,
  })`
    End a work session: completed, or interrupted when a reason is given alone`,
  dismissWorkSession: route(`POST ${one}/dismiss`, 'write', {
    body: z.strictObject({}).optional(),
    answer: WorkSession,
  })`
    Take interrupted work off the list of what was interrupted; it can be resumed all the same`,
  listInterrupted: route('GET /api/sessions/interrupted', 'read', listOf(WorkSession))`
    What was interrupted and neither resumed nor dismissed since, in any project, newest first`,
  getLineage: route(`GET ${project}/lineage`, 'read', { answer: Lineage })`
    The newest work sessions with their checkpoints and approvals, for a picture of who was resumed from whom`,
  resumeWorkSession: route(`POST ${one}/resume`, 'write', {
    body: z.strictObject({}).optional(),
    alsoStatus: 201,
    answer: Resumed,
  })`
    Take interrupted work up: 201 with a new work session, 200 with the same one while it runs`,
  resumeFromFile: route('POST /api/sessions/resume-file', 'manage', {
    body: z.strictObject({
      path: ProjectPath.describe('Of a state_checkpoint.json, or of its folder; absolute'),
    }),
    alsoStatus: 201,
    answer: Resumed,
  })`
    Take work up from its files on the machine of the server, below its projects or in the folder of a project`,
  restoreWorkSession: route(`POST ${one}/restore`, 'write', {
    body: WorkSessionFiles,
    bodyLimit: 32 * 1024 * 1024,
    answer: Restored,
  })`
    Bring a work session back from its files: what is missing in the store, and nothing that is there`,
  saveCheckpoint: route(`POST ${one}/checkpoint`, 'write', {
    body: CheckpointRequest.optional(),
    status: 201,
    answer: SavedCheckpoint,
  })`
    Save the state of a work session now, in the store and in its file`,
}

export const taskRoutes = {
  listTasks: route(`GET ${project}/tasks`, 'read', {
    ...listOf(Task, {
      status: z.enum(taskStatuses).optional(),
      workSessionId: z.string().max(200).optional(),
    }),
  })`
    List the tasks of a project, newest first`,
  createTask: route(`POST ${project}/tasks`, 'write', {
    body: TaskDraft,
    status: 201,
    answer: Task,
  })`
    Create a task in a work session; it is blocked while a task it depends on is unfinished`,
  getTask: route(`GET ${project}/tasks/{taskId}`, 'read', { answer: Task })`Read a task`,
  changeTask: route(`PATCH ${project}/tasks/{taskId}`, 'write', { body: TaskChange, answer: Task })`
    Change a task: its status, progress, agent, dependencies, result, words`,
}

/** The approaches of a work session (AR), its own and inherited ones. */
export const approachRoutes = {
  listApproaches: route(
    `GET ${one}/approaches`,
    'read',
    listOf(Approach, { kind: z.enum(approachKinds).optional() }),
  )`
    List the approaches of a work session and of those it was resumed from, newest first`,
  recordApproach: route(`POST ${one}/approaches`, 'write', {
    body: ApproachDraft,
    status: 201,
    answer: Approach,
  })`
    Record what worked, what failed, or what could be tried`,
  changeApproach: route(`PATCH ${one}/approaches/{approachId}`, 'write', {
    body: ApproachChange,
    answer: Approach,
  })`
    Change an approach, or say that an untried one was tried; what it was stays in its history`,
  listProjectApproaches: route(
    `GET ${project}/approaches`,
    'read',
    listOf(Approach, { kind: z.enum(approachKinds).optional() }),
  )`
    List everything that was learned in a project, by id`,
  changeApproachOfProject: route(`PATCH ${project}/approaches/{approachId}`, 'write', {
    body: ApproachChange,
    answer: Approach,
  })`
    The same, without saying from which work session: ids count within the project`,
}

export const artifactRoutes = {
  listArtifacts: route(
    `GET ${one}/artifacts`,
    'read',
    listOf(Artifact),
  )`List the artifacts of a work session by name`,
  getArtifact: route(`GET ${one}/artifacts/{name}`, 'read', {
    media: anyBytes,
  })`Download an artifact`,
  putArtifact: route(`PUT ${one}/artifacts/{name}`, 'write', {
    upload: maxArtifactBytes,
    alsoStatus: 201,
    answer: Artifact,
  })`
    Store an artifact under its name, whole, in the place of one that has it; the body is its bytes, whatever they are`,
  deleteArtifact: route(`DELETE ${one}/artifacts/{name}`, 'write')`Delete an artifact`,
}
