/**
 * `<data>/projects/{project_id}/sessions/{session_id}/` (CK2): four files and the artifacts of each
 * work session that an event concerns. Only the file of a deleted artifact is removed.
 */
import { join } from 'node:path'
import { textOf } from '../domain/notices.ts'
import { syncFolder } from '../platform/files/atomic-file.ts'
import { makeFolder } from '../platform/files/make-folder.ts'
import { readPlainFile } from '../platform/files/plain-file.ts'
import { forEachSettled, inPages } from '../platform/for-each-settled.ts'
import { fieldsOf, parsedJson } from '../platform/json.ts'
import { schemaVersion } from '../protocol/schema-version.ts'
import { aboutWorkSession } from '../protocol/work/about-work-session.ts'
import type { ApproachesFile } from '../protocol/work/approaches-file.ts'
import { workSessionFileNames as fileNames } from '../protocol/work/read-work-session.ts'
import {
  FolderId,
  type RemainingTasksFile,
  type StateCheckpoint,
} from '../protocol/work/state-checkpoint.ts'
import type { WorkSession } from '../protocol/work/work-session.ts'
import type { WorkSessionFile } from '../protocol/work/work-session-file.ts'
import { newest, type PageKey } from '../store/page-cursor.ts'
import type { Tables } from '../store/schema/tables.ts'
import type { Reader, StoredEvent } from '../store/store.ts'
import { approachFrom } from '../store/work/approaches.ts'
import {
  approachesOfLineage,
  changesSinceEnd,
  currentState,
  endState,
  newestOf,
  type WorkSessionRows,
  workSessionRows,
} from '../store/work/work-session-state.ts'
import {
  ancestorsOf,
  descendantsOf,
  lineageOf,
  workSessionsPage,
} from '../store/work/work-sessions.ts'
import { mirrorArtifact } from './artifact-file.ts'
import { type EditedApproaches, editedApproaches } from './edited-approaches.ts'
import { jsonText, type MovedEvents, writeJson } from './json-folder.ts'
import type { MirroredStream, MirrorSource } from './mirror.ts'

/**
 * Builds the files of a work session (CK2) from its rows, in the layout of
 * docs/spec/background/continuity.md.
 */
export const remainingTasksFile = ({
  session_id,
  timestamp,
  remaining_tasks,
}: StateCheckpoint): RemainingTasksFile => ({
  schema_version: schemaVersion,
  session_id,
  last_updated: timestamp,
  remaining_tasks,
})

/** Includes inherited approaches, so that one folder is enough to continue the work (AR2). */
export function approachesFile(
  { workSession }: WorkSessionRows,
  approaches: readonly Tables['approaches'][],
): ApproachesFile {
  const all = approaches.map(approachFrom)
  const of = (kind: 'verified' | 'failed' | 'untried') => all.filter((each) => each.kind === kind)
  return {
    schema_version: schemaVersion,
    session_id: workSession.id,
    last_updated: newestOf(
      workSession.started_at,
      ...approaches.map(({ updated_at }) => updated_at),
    ),
    verified: of('verified').map(
      ({ id, date, category, description, details, evidence, learnings, reusable }) => ({
        id,
        date,
        category,
        description,
        details,
        evidence,
        learnings: [...learnings],
        reusable,
      }),
    ),
    failed: of('failed').map(
      ({ id, date, category, description, details, failureReason, error, learnings, avoid }) => ({
        id,
        date,
        category,
        description,
        details,
        failure_reason: failureReason,
        error,
        learnings: [...learnings],
        avoid,
      }),
    ),
    untried: of('untried').map(
      ({ id, category, description, details, priority, nextToTry, note }) => ({
        id,
        category,
        description,
        details,
        priority,
        next_to_try: nextToTry,
        ...(note !== null && { note }),
      }),
    ),
  }
}

/**
 * The columns of an approval that are written to a file. A new column is written unless it is left
 * out here.
 */
const fileRowOf = ({
  asked_by_agent_session_id: _,
  ask_id: __,
  launch_id: ___,
  turn_id: ____,
  user_session_id: _____,
  likeness: ______,
  imported_decider: _______,
  told_to: ________,
  conversation_key: _________,
  question: __________,
  answer: ___________,
  held_by: ____________,
  held_until: _____________,
  held_status: ______________,
  held_decision: _______________,
  ...approval
}: Tables['human_approvals']): WorkSessionFile['approvals'][number] => approval

/**
 * Leaves out the driving agent and waiting callers: they are processes, which a rebuilt store does
 * not have.
 */
export function workSessionFile(
  rows: WorkSessionRows,
  since: WorkSessionFile['since'],
): WorkSessionFile {
  const {
    owner_agent_session_id: _,
    file_problem: __,
    notice: ___,
    ...workSession
  } = rows.workSession
  return {
    schema_version: schemaVersion,
    work_session: workSession,
    tasks: [...rows.tasks],
    approvals: rows.approvals.map(fileRowOf),
    approaches: [...rows.approaches],
    // The state is in state_checkpoint.json.
    checkpoints: rows.checkpoints.map(({ state: __, ...checkpoint }) => checkpoint),
    artifacts: rows.artifacts.map(
      ({ session_id: __, folded_name: ___, upload_id: ____, ...facts }) => facts,
    ),
    since,
  }
}

/** The work sessions that events of a project concern: their files must be written again. */
interface Touched {
  readonly workSessionIds: Set<string>
  /**
   * Work sessions with changed approaches, which are also in the files of their relatives (AR2).
   */
  readonly learnedIn: Set<string>
  /**
   * Work sessions that began or ended; the files of their ancestors say where work and tasks are
   * now (CK6).
   */
  readonly passedOnIn: Set<string>
  /** Names of artifacts that were stored or deleted, by work session. */
  readonly artifacts: Map<string, Set<string>>
}

const nothingTouched = (): Touched => ({
  workSessionIds: new Set(),
  learnedIn: new Set(),
  passedOnIn: new Set(),
  artifacts: new Map(),
})

function touch(touched: Touched, { type, data }: StoredEvent): void {
  if (data === null) return
  const about = aboutWorkSession(type, data)
  if (!about) return
  const { workSessionId, learned, artifact } = about
  touched.workSessionIds.add(workSessionId)
  if (learned) touched.learnedIn.add(workSessionId)
  if (type === 'work-session-ended' || type === 'work-session-started')
    touched.passedOnIn.add(workSessionId)
  if (artifact === undefined) return
  const names = touched.artifacts.get(workSessionId) ?? new Set()
  touched.artifacts.set(workSessionId, names.add(artifact))
}

const eventsAtOnce = 500
const workSessionsAtOnce = 200

/** The path below the folder of a project. */
export const workSessionFolder = (workSessionId: string): string => join('sessions', workSessionId)

/**
 * Stores the approaches that were written into an approaches.json by hand (AR3); resolves when that
 * is done.
 */
export type ImportApproaches = (found: {
  readonly projectId: string
  readonly workSessionId: string
  readonly added: EditedApproaches['added']
  readonly changed: EditedApproaches['changed']
  readonly problem: EditedApproaches['problem']
}) => Promise<void>

/** Writes work sessions. Without `importApproaches` nothing is read from the files. */
export const writeWorkSessions =
  (importApproaches?: ImportApproaches) =>
  async (mirrored: MirroredStream, folder: string, moved: MovedEvents | 'all'): Promise<void> => {
    const { store, id } = mirrored
    if (moved === 'all')
      return forEachSettled(allOf(store, id), (each) =>
        writeWorkSession(store, folder, each.id, 'all', importApproaches),
      )
    const { workSessionIds, artifacts } = await touchedBy(mirrored, moved)
    await forEachSettled(workSessionIds, (each) =>
      writeWorkSession(store, folder, each, artifacts.get(each) ?? new Set(), importApproaches),
    )
  }

function allOf(store: MirrorSource, projectId: string): AsyncIterable<WorkSession> {
  const after = (last: WorkSession | undefined): PageKey =>
    last ? { createdAt: last.startedAt, id: last.id } : newest
  const page = (key: PageKey): Promise<WorkSession[]> =>
    store.read((reader) =>
      workSessionsPage(reader, projectId, { ...key, limit: workSessionsAtOnce }),
    )
  return inPages((last) => page(after(last)), workSessionsAtOnce)
}

async function touchedBy(
  { store, stream }: MirroredStream,
  { after, through }: MovedEvents,
): Promise<Touched> {
  const touched = nothingTouched()
  for (let seq = after; seq < through; ) {
    const events = await store.eventsAfter(stream, seq, Math.min(eventsAtOnce, through - seq))
    for (const event of events) touch(touched, event)
    const last = events.at(-1)
    if (!last) break
    seq = last.seq
  }
  await store.read((reader) => addRelatives(reader, touched))
  return touched
}

/**
 * Adds the work sessions whose files depend on others: approaches are in the files of all running
 * ones of the same root (AR2), and an end or a resumption is in the files of the ancestors (CK6).
 */
async function addRelatives(
  reader: Reader,
  { learnedIn, passedOnIn, workSessionIds }: Touched,
): Promise<void> {
  for (const id of new Set([...learnedIn, ...passedOnIn])) {
    const ancestors = await ancestorsOf(reader, id)
    if (passedOnIn.has(id)) for (const each of ancestors) workSessionIds.add(each)
    if (!learnedIn.has(id)) continue
    for (const each of await descendantsOf(reader, ancestors.at(-1) ?? id))
      if (each.ended_at === null) workSessionIds.add(each.id)
  }
}

async function writeWorkSession(
  store: MirrorSource,
  projectFolder: string,
  id: string,
  artifacts: ReadonlySet<string> | 'all',
  importApproaches: ImportApproaches | undefined,
): Promise<void> {
  // Another program may have written a row with an id that cannot be the name of a folder.
  if (!FolderId.safeParse(id).success) return
  const found = await store.read(async (reader) => {
    const rows = await workSessionRows(reader, id)
    if (!rows) return undefined
    const approaches = await approachesOfLineage(reader, await lineageOf(reader, rows.workSession))
    return { rows, approaches, since: await changesSinceEnd(reader, rows) }
  })
  if (!found) return
  const { rows, approaches, since } = found
  const folder = join(projectFolder, workSessionFolder(id))
  await makeFolder(join(folder, 'artifacts'))
  const names = artifacts === 'all' ? new Set(rows.artifacts.map(({ name }) => name)) : artifacts
  const state = currentState(rows)
  const isKept = await isFinal(join(folder, fileNames.checkpoint), rows)
  const learned = { rows, content: approachesFile(rows, approaches), kept: isKept }
  const writes = [
    ...[...names].map((name) => () => mirrorArtifact(store, join(folder, 'artifacts'), id, name)),
    () => writeJson(join(folder, fileNames.workSession), workSessionFile(rows, since)),
    () => writeApproaches(folder, learned, importApproaches),
    ...(isKept
      ? []
      : [
          () => writeJson(join(folder, fileNames.remainingTasks), remainingTasksFile(state)),
          // Last: when it says how the work ended, the two others do as well.
          () => writeJson(join(folder, fileNames.checkpoint), state),
        ]),
    () => syncFolder(folder),
    () => syncFolder(join(folder, '..')),
  ]
  await forEachSettled(writes, (write) => write())
}

interface ApproachesToWrite {
  readonly rows: WorkSessionRows
  readonly content: ApproachesFile
  /** CK6: the work has ended, and the file is final. */
  readonly kept: boolean
}

/**
 * Imports what was written into the file by hand (AR3), and overwrites it only when all of that was
 * imported.
 */
async function writeApproaches(
  folder: string,
  { rows, content, kept }: ApproachesToWrite,
  importApproaches: ImportApproaches | undefined,
): Promise<void> {
  const [path, beside] = [
    join(folder, fileNames.approaches),
    join(folder, `.${fileNames.approaches}`),
  ]
  const { id: workSessionId, project_id: projectId, file_problem } = rows.workSession
  const edited = importApproaches && (await editedApproaches(path, beside, content))
  if (edited) {
    const { known, ...found } = edited
    const isTakenIn = found.added.length + found.changed.length > 0
    if (isTakenIn || (found.problem && textOf(found.problem)) !== file_problem)
      await importApproaches({ projectId, workSessionId, ...found })
    await writeJson(beside, known)
    // The import changes the store, so the file is written again right afterwards.
    if (found.problem !== null || isTakenIn) return
  } else if (importApproaches && file_problem !== null)
    await importApproaches({ projectId, workSessionId, added: [], changed: [], problem: null })
  if (kept) return
  await writeJson(path, content)
  if (importApproaches) await writeJson(beside, content)
}

/** Whether the three files say how the work session ended and are final (CK6). */
async function isFinal(path: string, rows: WorkSessionRows): Promise<boolean> {
  const { ended_at: endedAt, resumed_by: resumedBy } = rows.workSession
  if (endedAt === null) return false
  const written = await readPlainFile(path).catch(() => undefined)
  if (written === undefined) return false
  const state = endState(rows)
  if (state) return written === jsonText(state)
  // Ended by an older version, which stored no state: its file is final once it records the end, or
  // when the tasks moved on.
  return resumedBy !== null || timestampIn(written) >= endedAt
}

const timestampIn = (written: string): string =>
  String(fieldsOf(parsedJson(written))['timestamp'] ?? '')
