/** The artifacts of a work session (CK5): bytes under a name. */
import * as z from 'zod'
import { Artifact, anyBytes, maxArtifactBytes } from '../artifact.ts'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'

const workSession = z.object({ projectId: z.string().max(200), workSessionId: z.string().max(200) })
/** What may be a name is a rule of the domain, with its own error (`invalid_name`). */
const artifact = workSession.extend({ name: z.string().max(1000) })

export const artifactRoutes = {
  listArtifacts: {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{workSessionId}/artifacts',
    scope: 'read',
    summary: 'List the artifacts of a work session by name',
    params: workSession,
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
