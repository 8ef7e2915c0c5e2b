/** REST handlers for work sessions, tasks, approaches and artifacts of a project. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/caller.ts'
import { ProjectPath } from '../../protocol/projects/project.ts'
import type { Artifact } from '../../protocol/work/artifact.ts'
import type {
  approachRoutes,
  artifactRoutes,
  taskRoutes,
  workSessionRoutes,
} from '../../protocol/work/routes.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { untilDrained } from '../../server/live/backpressure.ts'
import { resumeFromFile, resumeWork } from '../../server/work/resume-work.ts'
import { changeApproach, recordApproach } from '../../services/work/change-approach.ts'
import { changeTask, createTask } from '../../services/work/change-task.ts'
import {
  createWorkSession,
  dismissWorkSession,
  endWorkSession,
  saveCheckpoint,
} from '../../services/work/end-work-session.ts'
import { previewResume } from '../../services/work/preview-resume.ts'
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
  readUploadPart,
} from '../../services/work/queries.ts'
import { restoreWorkSession } from '../../services/work/restore-work-session.ts'
import { resumeWorkSession } from '../../services/work/resume-work-session.ts'
import {
  beginUpload,
  deleteArtifact,
  dropUpload,
  storeArtifact,
} from '../../services/work/upload-artifact.ts'
import { mediaTypeOf, refuseTooLarge, takeBytes } from './artifact-upload.ts'
import { allowed, by, type HandlersOf, query, receiptOf, run } from './handler.ts'

// Sends the bytes of an artifact (CK5) part by part at the reader's pace. Browsers save it and
// never run it (SE6), because agents made it.

/** A client that reads nothing for this long is disconnected. */
const stuckAfterMs = 60_000

interface FoundArtifact {
  readonly artifact: Artifact
  readonly uploadId: string
}

async function sendArtifact(
  { artifact, uploadId }: FoundArtifact,
  { app, logger, who }: Pick<ServerDependencies, 'app' | 'logger'> & { readonly who: Caller },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const etag = `"${artifact.sha256}"`
  reply.hijack()
  const { raw } = reply
  const isUnchanged = request.headers['if-none-match'] === etag
  raw.writeHead(isUnchanged ? 304 : 200, {
    etag,
    'cache-control': 'private, no-cache',
    ...(isUnchanged ? {} : { 'content-length': artifact.size, 'content-type': artifact.mediaType }),
    'content-disposition': `attachment; filename*=UTF-8''${encodeRFC5987(artifact.name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
  if (isUnchanged || request.method === 'HEAD') return void raw.end()
  raw.setTimeout(stuckAfterMs, () => raw.destroy())
  try {
    await sendParts(raw, artifact.size, (number) =>
      app.read(readUploadPart, { uploadId, number }, who),
    )
  } catch (error) {
    // The response must be ended here, or the client would wait for the rest.
    logger.error({ requestId: request.id, err: error }, 'download aborted')
    raw.destroy()
  }
}

async function sendParts(
  raw: ServerResponse,
  size: number,
  read: (number: number) => Promise<string | null>,
): Promise<void> {
  let left = size
  for (let number = 0; left > 0 && !raw.destroyed; number++) {
    const part = await read(number)
    if (part === null) break
    const bytes = Buffer.from(part, 'base64')
    left -= bytes.length
    raw.write(bytes)
    await untilDrained(raw)
  }
  // Replaced or deleted meanwhile: fewer bytes than announced, so the connection is cut and the
  // client notices.
  if (left > 0) raw.destroy()
  else raw.end()
}

const encodeRFC5987 = (name: string): string =>
  encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

export const workSessionHandlers: HandlersOf<typeof workSessionRoutes> = {
  listWorkSessions: query(listWorkSessions, (call) => ({ ...call.query, ...call.params })),
  createWorkSession: run(createWorkSession, ({ body, params }) => ({ ...body, ...params })),
  getWorkSession: query(getWorkSession, ({ params }) => params),
  endWorkSession: run(endWorkSession, ({ body, params }) => ({ ...body, ...params })),
  dismissWorkSession: run(dismissWorkSession, ({ params }) => params),
  listInterrupted: query(listInterrupted, (call) => call.query),
  getLineage: query(getLineage, ({ params }) => params),
  previewResume: query(previewResume, ({ params }) => params),
  resumeWorkSession: by(resumeWorkSession, async ({ params, deps, receipt, reply, who }) => {
    const { begun, resumed } = await resumeWork(deps, who, params, receipt)
    reply.code(begun ? 201 : 200)
    return resumed
  }),
  resumeFromFile: allowed({ scope: 'manage', on: 'nobody' }, async ({ body, deps, reply, who }) => {
    const { begun, resumed } = await resumeFromFile(deps, who, body.path)
    reply.code(begun ? 201 : 200)
    return resumed
  }),
  restoreWorkSession: by(
    restoreWorkSession,
    async ({ body, params, who, deps: { app, folders }, receipt }) => {
      const path = ProjectPath.safeParse(
        (body.project as { path?: unknown } | null | undefined)?.path,
      )
      const look = await folders.look(path.success ? path.data : null)
      return app.run(
        restoreWorkSession,
        { ...params, files: body, by: who.id, scopes: who.scopes, look },
        who,
        receipt,
      )
    },
  ),
  saveCheckpoint: by(saveCheckpoint, async ({ params, body, deps, who, receipt }) => {
    const { at } = await deps.app.run(saveCheckpoint, { ...body, ...params }, who, receipt)
    const { projectId, workSessionId } = params
    const path = deps.files.checkpointPath(projectId, workSessionId)
    return { path, timestamp: at, written: await deps.files.written(projectId) }
  }),
}

export const taskHandlers: HandlersOf<typeof taskRoutes> = {
  listTasks: query(listTasks, (call) => ({ ...call.query, ...call.params })),
  createTask: run(createTask, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  getTask: query(getTask, ({ params }) => params),
  changeTask: run(changeTask, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
}

export const approachHandlers: HandlersOf<typeof approachRoutes> = {
  listApproaches: query(listApproaches, (call) => ({ ...call.query, ...call.params })),
  recordApproach: run(recordApproach, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
  })),
  changeApproach: run(changeApproach, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
  })),
  listProjectApproaches: query(listProjectApproaches, (call) => ({
    ...call.query,
    ...call.params,
  })),
  changeApproachOfProject: run(changeApproach, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
  })),
}

export const artifactHandlers: HandlersOf<typeof artifactRoutes> = {
  listArtifacts: query(listArtifacts, (call) => ({ ...call.query, ...call.params })),
  getArtifact: by(getArtifact, async ({ params, deps, who, request, reply }) => {
    const found = await deps.app.read(getArtifact, params, who)
    await sendArtifact(found, { ...deps, who }, request, reply)
    return undefined
  }),
  putArtifact: by(storeArtifact, async ({ params, deps, presented, who, request, reply }) => {
    const { app } = deps
    const mediaType = mediaTypeOf(request)
    await refuseTooLarge(request, deps.clock)
    const { uploadId } = await app.run(beginUpload, params, who)
    try {
      const { size, sha256 } = await takeBytes(request, { ...deps, who }, uploadId)
      const facts = { uploadId, size, sha256, mediaType, by: who.id }
      // HT4: the same bytes with the same key are stored once and answered as before.
      const receipt = receiptOf(request, 'putArtifact', presented, `${mediaType}\n${sha256}`)
      const { artifact, created } = await app.run(
        storeArtifact,
        { ...params, ...facts },
        who,
        receipt,
      )
      reply.code(created ? 201 : 200)
      return artifact
    } finally {
      // Removes the upload; a stored artifact is not affected.
      await app.run(dropUpload, { uploadId }, who)
    }
  }),
  deleteArtifact: run(deleteArtifact, ({ params, who }) => ({ ...params, by: who.id })),
}
