/** The approaches of a work session (AR), its own and those it has inherited. */
import * as z from 'zod'
import { approachKinds } from '../../domain/approach/lifecycle.ts'
import { Approach, ApproachChange, ApproachDraft } from '../approach.ts'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'

const project = z.object({ projectId: z.string().max(200) })
const workSession = project.extend({ workSessionId: z.string().max(200) })
const approachId = { approachId: z.string().max(200) }

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
