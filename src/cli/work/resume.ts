/** `holdfast resume`: resumes interrupted work by id or by the path of its checkpoint (RS1). */
import { openAsBlob } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import {
  findCheckpoint,
  foldersOfLineage,
  readSavedWorkSession,
  type SavedWorkSession,
} from '../../platform/files/saved-work-session.ts'
import { visible } from '../../platform/log/visible.ts'
import type { NotRestored, Resumed } from '../../protocol/work/resume.ts'
import { counted } from '../amounts.ts'
import { command, operand } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { failed } from '../failure.ts'
import { projectOption } from '../options-everywhere.ts'
import { findWorkSession, ifNotThere } from './find-work-session.ts'

// Restores a work session from its files when the server does not know it (CK4): first the sessions
// resumed from it, as far as they are beside it, then itself, then its parents, each with its
// artifacts.

interface SavedLocation {
  readonly projectId: string
  readonly workSessionId: string
}

const path = '/api/projects/{projectId}/sessions/{workSessionId}'

/** Project and work session named in the files. */
function placeIn({ files, folder }: SavedWorkSession): SavedLocation {
  const { project_id: projectId, session_id: workSessionId } = (files.checkpoint ?? {}) as Record<
    string,
    unknown
  >
  if (typeof projectId === 'string' && typeof workSessionId === 'string')
    return { projectId, workSessionId }
  throw failed(
    `The checkpoint in ${folder} does not say which work session it is of.`,
    'Name another file.',
  )
}

const isKnown = async (client: Client, params: SavedLocation): Promise<boolean> =>
  (await client.get(path, { params }).catch(ifNotThere)) !== undefined

async function bringBack(client: Client, saved: SavedWorkSession): Promise<NotRestored[]> {
  const missing: NotRestored[] = []
  for (const folder of await foldersOfLineage(saved)) {
    const each = folder === saved.folder ? saved : await readSavedWorkSession(folder)
    const params = placeIn(each)
    const restored = await client.post(`${path}/restore`, { params, body: each.files })
    // Only losses of the session itself are reported.
    if (each === saved) missing.push(...restored.notRestored)
    missing.push(...(await bringArtifacts(client, each, params)))
  }
  return missing
}

async function bringArtifacts(
  client: Client,
  { files, artifacts }: SavedWorkSession,
  params: SavedLocation,
): Promise<NotRestored[]> {
  const missing: NotRestored[] = []
  const facts =
    ((files.workSession ?? {}) as { artifacts?: { name?: string; media_type?: string }[] })
      .artifacts ?? []
  for (const { name, path: file } of artifacts) {
    const type = facts.find((each) => each.name === name)?.media_type
    try {
      await client.upload(`${path}/artifacts/{name}`, {
        params: { ...params, name },
        body: await openAsBlob(file),
        type,
      })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      missing.push({ what: 'artifact', detail: `${name}: ${error.message}` })
    }
  }
  for (const { name = '' } of facts)
    if (!artifacts.some((each) => each.name === name))
      missing.push({ what: 'artifact', detail: `${name}: its file is not there` })
  return missing
}

interface Found extends SavedLocation {
  readonly notRestored: readonly NotRestored[]
}

/** Ids have no slash, backslash or dot; everything else is a path. */
const isPath = (typed: string): boolean => /[./\\]/.test(typed)

async function find(context: CommandContext, typed: string): Promise<Found> {
  if (!isPath(typed)) {
    const { projectId, id } = await findWorkSession(context, typed)
    return { projectId, workSessionId: id, notRestored: [] }
  }
  const file = await findCheckpoint(resolve(context.terminal.cwd, typed))
  const saved = await readSavedWorkSession(dirname(file), file)
  const place = placeIn(saved)
  return {
    ...place,
    notRestored: (await isKnown(context.client, place))
      ? []
      : await bringBack(context.client, saved),
  }
}

function describe(
  context: CommandContext,
  { session: workSession, resumeContext, remainingTasks, decisions }: Resumed,
): string {
  const { currentTask, previousState } = resumeContext
  return context.fields([
    ['Project', workSession.projectId],
    ['Phase', String(resumeContext.currentPhase ?? '–')],
    [
      'At',
      currentTask
        ? `${currentTask.taskId} ${visible(currentTask.name)}, ${currentTask.progressPercent} %`
        : '–',
    ],
    ['Left to do', counted(remainingTasks.length, 'task')],
    [
      'Decisions',
      decisions.map(({ approvalId, status }) => `${approvalId} ${status}`).join(', ') || '–',
    ],
    ['To avoid', approaches(resumeContext.failedApproaches.length)],
    ['Known to work', approaches(resumeContext.verifiedApproaches.length)],
    ['State', visible(previousState?.split('\n')[0] ?? '–')],
  ])
}

const approaches = (count: number): string => `${count} ${count === 1 ? 'approach' : 'approaches'}`

export const resume = command({
  summary: 'Take interrupted work up where it stopped, by id or from its files',
  operands: {
    workSession: operand.required(
      'id of an interrupted work session, or the path of its checkpoint or its folder when the database is gone',
      { called: 'work' },
    ),
  },
  options: { project: projectOption },
  examples: [
    [
      'resume sess_20260115143000_x1y2z3',
      'a new work session with what is left to do and what was learned',
    ],
    [
      'resume .holdfast/projects/P/sessions/S/state_checkpoint.json',
      'the same from the file, though the database is gone',
    ],
  ],
  async run(context, given) {
    const { projectId, workSessionId, notRestored: before } = await find(context, given.workSession)
    const params = { projectId, workSessionId }
    const resumed = await context.client.post(
      '/api/projects/{projectId}/sessions/{workSessionId}/resume',
      { params },
    )
    const answer = { ...resumed, notRestored: [...before, ...resumed.notRestored] }
    const child = context.paint('bold', answer.session.id)
    const goesOn = answer.missing.length === 0
    context.done(
      goesOn
        ? `${workSessionId} goes on as ${child}`
        : `${workSessionId} is taken up as ${child}; nothing starts yet`,
    )
    context.answer(answer, () => describe(context, answer))
    if (context.json) return
    for (const { what, detail } of answer.notRestored)
      context.note(`Not restored (${what}): ${visible(detail)}`)
    for (const { what, detail } of answer.missing)
      context.note(`Missing (${what}): ${visible(detail)}`)
  },
})
