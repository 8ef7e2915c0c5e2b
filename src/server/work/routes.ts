/** REST handlers for work sessions, tasks, approaches and artifacts of a project. */

import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { ProjectPath } from '../../protocol/projects/project.ts'
import { childOf, type Resumed } from '../../protocol/work/resume.ts'
import type { approachRoutes, artifactRoutes, taskRoutes, workSessionRoutes } from '../../protocol/work/routes.ts'
import { changeApproach, recordApproach } from '../../services/work/change-approach.ts'
import { changeTask, createTask } from '../../services/work/change-task.ts'
import { createWorkSession, dismissWorkSession, endWorkSession, saveCheckpoint } from '../../services/work/end-work-session.ts'
import {
  getArtifact,
  getLineage,
  getTask,
  getWorkSession,
  listApproaches,
  listArtifacts,
  listInterrupted,
  listProjectApproaches,
  listTasks,
  listWorkSessions,
} from '../../services/work/queries.ts'
import { restoreWorkSession } from '../../services/work/restore-work-session.ts'
import { resumeWorkSession } from '../../services/work/resume-work-session.ts'
import { beginUpload, deleteArtifact, dropUpload, storeArtifact } from '../../services/work/upload-artifact.ts'
import type { ReceiptKey } from '../../store/store.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { type HandlersOf, query, receiptOf, run } from '../http/handler.ts'
import { sendArtifact } from './artifact-download.ts'
import { mediaTypeOf, refuseTooLarge, takeBytes } from './artifact-upload.ts'

/**
 * Resumes interrupted work (RS1), shared by REST and MCP: creates the child work session, and starts its agent in its role if a
 * console is available.
 */
interface Place {
  readonly projectId: string
  readonly workSessionId: string
}

/** `begun`: a new work session was created; otherwise one was already running. */
async function resumeWork(
  deps: ServerDependencies,
  who: Who,
  place: Place,
  receipt?: ReceiptKey,
): Promise<{ begun: boolean; resumed: Resumed }> {
  const outcome = await deps.store.run(resumeWorkSession, { ...place, by: who.id }, receipt)
  if (outcome.outcome === 'failed') throw notResumed(outcome)
  const { outcome: became, resumed } = outcome
  if (became === 'same') return { begun: false, resumed }
  const role = await deps.userSessions.takeUp(who, place.workSessionId, childOf(resumed), receipt)
  if (!role) return { begun: true, resumed }
  const notRestored = [...resumed.notRestored, ...role.notRestored]
  return { begun: true, resumed: { ...resumed, notRestored, missing: role.missing ?? resumed.missing } }
}

/** CK7: resumes from files at a path on the server's machine; needs the scope `manage`. */
export async function resumeFromFile(
  deps: ServerDependencies,
  who: Who,
  path: string,
): Promise<{ begun: boolean; resumed: Resumed }> {
  const { notRestored, ...place } = await deps.files.bringBack(path, who.id)
  const { begun, resumed } = await resumeWork(deps, who, place)
  return { begun, resumed: { ...resumed, notRestored: [...notRestored, ...resumed.notRestored] } }
}

const notResumed = ({ setAside }: { setAside: string | null }): Refusal =>
  new Refusal('resume_failed', setAside ?? refusalText('workUnreadable'), { setAside })

export const workSessionHandlers: HandlersOf<typeof workSessionRoutes> = {
  listWorkSessions: query(listWorkSessions, (call) => ({ ...call.query, ...call.params })),
  createWorkSession: run(createWorkSession, ({ body, params }) => ({ ...body, ...params })),
  getWorkSession: query(getWorkSession, ({ params }) => params),
  endWorkSession: run(endWorkSession, ({ body, params }) => ({ ...body, ...params })),
  dismissWorkSession: run(dismissWorkSession, ({ params }) => params),
  listInterrupted: query(listInterrupted, (call) => call.query),
  getLineage: query(getLineage, ({ params }) => params),
  resumeWorkSession: async ({ params, deps, receipt, reply, who }) => {
    const { begun, resumed } = await resumeWork(deps, who, params, receipt)
    reply.code(begun ? 201 : 200)
    return resumed
  },
  resumeFromFile: async ({ body, deps, reply, who }) => {
    const { begun, resumed } = await resumeFromFile(deps, who, body.path)
    reply.code(begun ? 201 : 200)
    return resumed
  },
  restoreWorkSession: async ({ body, params, who, deps: { store, folders }, receipt }) => {
    const path = ProjectPath.safeParse((body.project as { path?: unknown } | null | undefined)?.path)
    const look = await folders.look(path.success ? path.data : null)
    return store.run(restoreWorkSession, { ...params, files: body, by: who.id, scopes: who.scopes, look }, receipt)
  },
  saveCheckpoint: async ({ params, body, deps, receipt }) => {
    const { at } = await deps.store.run(saveCheckpoint, { ...body, ...params }, receipt)
    const { projectId, workSessionId } = params
    const path = deps.files.checkpointPath(projectId, workSessionId)
    return { path, timestamp: at, written: await deps.files.written(projectId) }
  },
}

export const taskHandlers: HandlersOf<typeof taskRoutes> = {
  listTasks: query(listTasks, (call) => ({ ...call.query, ...call.params })),
  createTask: run(createTask, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  getTask: query(getTask, ({ params }) => params),
  changeTask: run(changeTask, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
}

export const approachHandlers: HandlersOf<typeof approachRoutes> = {
  listApproaches: query(listApproaches, (call) => ({ ...call.query, ...call.params })),
  recordApproach: run(recordApproach, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  changeApproach: run(changeApproach, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  listProjectApproaches: query(listProjectApproaches, (call) => ({ ...call.query, ...call.params })),
  changeApproachOfProject: run(changeApproach, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
}

export const artifactHandlers: HandlersOf<typeof artifactRoutes> = {
  listArtifacts: query(listArtifacts, (call) => ({ ...call.query, ...call.params })),
  getArtifact: async ({ params, deps, request, reply }) => {
    const found = await deps.store.query(getArtifact, params)
    await sendArtifact(found, deps, request, reply)
    return undefined
  },
  putArtifact: async ({ params, deps, presented, who, request, reply }) => {
    const { store } = deps
    const mediaType = mediaTypeOf(request)
    await refuseTooLarge(request, deps.clock)
    const { uploadId } = await store.run(beginUpload, params)
    try {
      const { size, sha256 } = await takeBytes(request, deps, uploadId)
      const facts = { uploadId, size, sha256, mediaType, by: who.id }
      // HT4: the same bytes with the same key are stored once and answered as before.
      const receipt = receiptOf(request, 'putArtifact', presented, `${mediaType}\n${sha256}`)
      const { artifact, created } = await store.run(storeArtifact, { ...params, ...facts }, receipt)
      reply.code(created ? 201 : 200)
      return artifact
    } finally {
      // Removes the upload; a stored artifact is not affected.
      await store.run(dropUpload, { uploadId })
    }
  },
  deleteArtifact: run(deleteArtifact, ({ params, who }) => ({ ...params, by: who.id })),
}
