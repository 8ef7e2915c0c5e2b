/** The work sessions of a project, `/sessions` on the wire (WK). */
import * as z from 'zod'
import { CheckpointRequest, SavedCheckpoint } from '../checkpoint.ts'
import { WorkSessionFiles } from '../files/read-work-session.ts'
import { Lineage } from '../lineage.ts'
import { PageQuery, pageOf } from '../page.ts'
import { ProjectPath } from '../project.ts'
import { Restored, Resumed } from '../resume.ts'
import type { Route } from '../route.ts'
import { ListedWorkSession, WholeWorkSession, WorkSession, WorkSessionDraft, WorkSessionEnd } from '../work-session.ts'

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
