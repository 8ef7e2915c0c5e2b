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
import { Restored, Resumed, ResumePreview } from './resume.ts'
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
  listWorkSessions: route({
    method: 'GET',
    path: `${project}/sessions`,
    summary: 'List the work sessions of a project, newest first',
    ...listOf(ListedWorkSession),
  }),
  createWorkSession: route({
    method: 'POST',
    path: `${project}/sessions`,
    summary: 'Create a work session',
    body: WorkSessionDraft.optional(),
    status: 201,
    answer: WorkSession,
  }),
  getWorkSession: route({
    method: 'GET',
    path: one,
    summary:
      'Read a work session with its tasks, approvals, approaches, checkpoints, artifacts ' +
      'and children',
    answer: WholeWorkSession,
  }),
  endWorkSession: route({
    method: 'POST',
    path: `${one}/end`,
    summary: 'End a work session: completed, or interrupted when a reason is given alone',
    body: WorkSessionEnd.optional(),
    answer: WorkSession,
  }),
  dismissWorkSession: route({
    method: 'POST',
    path: `${one}/dismiss`,
    summary:
      'Remove interrupted work from the list of what was interrupted; it can still be ' + 'resumed',
    body: z.strictObject({}).optional(),
    answer: WorkSession,
  }),
  listInterrupted: route({
    method: 'GET',
    path: '/api/sessions/interrupted',
    summary:
      'List the work sessions that were interrupted and neither resumed nor dismissed ' +
      'since, in any project, newest first',
    ...listOf(WorkSession),
  }),
  getLineage: route({
    method: 'GET',
    path: `${project}/lineage`,
    summary:
      'List the newest work sessions with their checkpoints and approvals, and which was ' +
      'resumed from which',
    answer: Lineage,
  }),
  previewResume: route({
    method: 'GET',
    path: `${one}/resume`,
    summary: 'Read what a resume would start, what it would not and why; changes nothing',
    answer: ResumePreview,
  }),
  resumeWorkSession: route({
    method: 'POST',
    path: `${one}/resume`,
    summary:
      'Resume interrupted work: 201 with a new work session, 200 with the same one while ' +
      'it runs',
    body: z.strictObject({}).optional(),
    alsoStatus: 201,
    answer: Resumed,
  }),
  resumeFromFile: route({
    method: 'POST',
    path: '/api/sessions/resume-file',
    summary:
      'Resume work from its files on the machine of the server, in its projects folder or ' +
      'in the folder of a project',
    body: z.strictObject({
      path: ProjectPath.describe('Of a state_checkpoint.json, or of its folder; absolute'),
    }),
    alsoStatus: 201,
    answer: Resumed,
  }),
  restoreWorkSession: route({
    method: 'POST',
    path: `${one}/restore`,
    summary:
      'Restore a work session from its files: adds what is missing in the store, changes ' +
      'nothing that is there',
    body: WorkSessionFiles,
    bodyLimit: 32 * 1024 * 1024,
    answer: Restored,
  }),
  saveCheckpoint: route({
    method: 'POST',
    path: `${one}/checkpoint`,
    summary: 'Save the state of a work session now, in the store and in its file',
    body: CheckpointRequest.optional(),
    status: 201,
    answer: SavedCheckpoint,
  }),
}

export const taskRoutes = {
  listTasks: route({
    method: 'GET',
    path: `${project}/tasks`,
    summary: 'List the tasks of a project, newest first',
    ...listOf(Task, {
      status: z.enum(taskStatuses).optional(),
      workSessionId: z.string().max(200).optional(),
    }),
  }),
  createTask: route({
    method: 'POST',
    path: `${project}/tasks`,
    summary:
      'Create a task in a work session; it is blocked while a task it depends on is ' +
      'unfinished',
    body: TaskDraft,
    status: 201,
    answer: Task,
  }),
  getTask: route({
    method: 'GET',
    path: `${project}/tasks/{taskId}`,
    summary: 'Read a task',
    answer: Task,
  }),
  changeTask: route({
    method: 'PATCH',
    path: `${project}/tasks/{taskId}`,
    summary: 'Change a task: status, progress, agent, dependencies, result, title, description',
    body: TaskChange,
    answer: Task,
  }),
}

/** The approaches of a work session (AR), its own and inherited ones. */
export const approachRoutes = {
  listApproaches: route({
    method: 'GET',
    path: `${one}/approaches`,
    summary: 'List the approaches of a work session and of those it was resumed from, newest first',
    ...listOf(Approach, { kind: z.enum(approachKinds).optional() }),
  }),
  recordApproach: route({
    method: 'POST',
    path: `${one}/approaches`,
    summary: 'Record what worked, what failed, or what could be tried',
    body: ApproachDraft,
    status: 201,
    answer: Approach,
  }),
  changeApproach: route({
    method: 'PATCH',
    path: `${one}/approaches/{approachId}`,
    summary:
      'Change an approach, or record that an untried one was tried; its history keeps what ' +
      'it was',
    body: ApproachChange,
    answer: Approach,
  }),
  listProjectApproaches: route({
    method: 'GET',
    path: `${project}/approaches`,
    summary: 'List everything learned in a project, by id',
    ...listOf(Approach, { kind: z.enum(approachKinds).optional() }),
  }),
  changeApproachOfProject: route({
    method: 'PATCH',
    path: `${project}/approaches/{approachId}`,
    summary:
      'Read or change an approach without naming its work session: ids are unique in the ' +
      'project',
    body: ApproachChange,
    answer: Approach,
  }),
}

export const artifactRoutes = {
  listArtifacts: route({
    method: 'GET',
    path: `${one}/artifacts`,
    summary: 'List the artifacts of a work session by name',
    ...listOf(Artifact),
  }),
  getArtifact: route({
    method: 'GET',
    path: `${one}/artifacts/{name}`,
    summary: 'Download an artifact',
    media: anyBytes,
  }),
  putArtifact: route({
    method: 'PUT',
    path: `${one}/artifacts/{name}`,
    summary: 'Store an artifact under its name, replacing an earlier one; the body is its bytes',
    upload: maxArtifactBytes,
    alsoStatus: 201,
    answer: Artifact,
  }),
  deleteArtifact: route({
    method: 'DELETE',
    path: `${one}/artifacts/{name}`,
    summary: 'Delete an artifact',
  }),
}
