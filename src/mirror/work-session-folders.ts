/**
 * `<data>/projects/{project_id}/sessions/{session_id}/` (CK2): four files and the artifacts of each work session that an event was
 * about, however many others the project has. Never removes an artifact's file but the one that was deleted.
 */
import { join } from 'node:path'
import { syncFolder } from '../platform/atomic-file.ts'
import { eachByItself, inPages } from '../platform/each-by-itself.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { readPlainFile } from '../platform/plain-file.ts'
import type { ApproachesFile } from '../protocol/work/approaches-file.ts'
import { workSessionFileNames as fileNames } from '../protocol/work/read-work-session.ts'
import { FolderId } from '../protocol/work/state-checkpoint.ts'
import type { WorkSession } from '../protocol/work/work-session.ts'
import { newest, type PageKey } from '../store/page-cursor.ts'
import type { Reader } from '../store/store.ts'
import {
  approachesAlong,
  endState,
  sinceItEnded,
  stateOf,
  type WorkSessionRows,
  workSessionRows,
} from '../store/work/work-session-state.ts'
import { ancestorsOf, descendantsOf, lineageOf, workSessionsPage } from '../store/work/work-sessions.ts'
import { mirrorArtifact } from './artifact-file.ts'
import { type ChangedApproaches, changedApproaches } from './changed-approaches.ts'
import { jsonText, writeJson } from './json-file.ts'
import type { MovedEvents } from './json-folder.ts'
import type { MirrorPlace, MirrorSource } from './mirror-target.ts'
import { nothingTouched, type Touched, touch } from './touched.ts'
import { approachesFile, remainingTasksFile, workSessionFile } from './work-session-files.ts'

const eventsAtOnce = 500
const workSessionsAtOnce = 200

/** Below the folder of a project. */
export const workSessionFolder = (workSessionId: string): string => join('sessions', workSessionId)

/** AR3: whoever keeps what was written into an approaches.json by hand; resolves when that is done. */
export type TakeIn = (found: {
  readonly projectId: string
  readonly workSessionId: string
  readonly added: ChangedApproaches['added']
  readonly problem: string | null
}) => Promise<void>

/** Without `takeIn` nobody reads what is written into the files. */
export const writeWorkSessions =
  (takeIn?: TakeIn) =>
  async (place: MirrorPlace, folder: string, moved: MovedEvents | 'all'): Promise<void> => {
    const { store, id } = place
    if (moved === 'all') return eachByItself(allOf(store, id), (each) => writeWorkSession(store, folder, each.id, 'all', takeIn))
    const { workSessionIds, artifacts } = await touchedBy(place, moved)
    await eachByItself(workSessionIds, (each) => writeWorkSession(store, folder, each, artifacts.get(each) ?? new Set(), takeIn))
  }

function allOf(store: MirrorSource, projectId: string): AsyncIterable<WorkSession> {
  const after = (last: WorkSession | undefined): PageKey => (last ? { createdAt: last.startedAt, id: last.id } : newest)
  const page = (key: PageKey): Promise<WorkSession[]> =>
    store.read((reader) => workSessionsPage(reader, projectId, { ...key, limit: workSessionsAtOnce }))
  return inPages((last) => page(after(last)), workSessionsAtOnce)
}

async function touchedBy({ store, stream }: MirrorPlace, { after, through }: MovedEvents): Promise<Touched> {
  const touched = nothingTouched()
  for (let seq = after; seq < through; ) {
    const events = await store.eventsAfter(stream, seq, Math.min(eventsAtOnce, through - seq))
    for (const event of events) touch(touched, event)
    const last = events.at(-1)
    if (!last) break
    seq = last.seq
  }
  await store.read((reader) => addKin(reader, touched))
  return touched
}

/**
 * AR2: what was learned stands in the files of all that run and come from the same root. CK6: that a work session ended stands in the
 * files of those it came from.
 */
async function addKin(reader: Reader, { learnedIn, endedIn, workSessionIds }: Touched): Promise<void> {
  for (const id of new Set([...learnedIn, ...endedIn])) {
    const ancestors = await ancestorsOf(reader, id)
    if (endedIn.has(id)) for (const each of ancestors) workSessionIds.add(each)
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
  takeIn: TakeIn | undefined,
): Promise<void> {
  // Another program may have written a row with an id that cannot be the name of a folder.
  if (!FolderId.safeParse(id).success) return
  const found = await store.read(async (reader) => {
    const rows = await workSessionRows(reader, id)
    if (!rows) return undefined
    const approaches = await approachesAlong(reader, await lineageOf(reader, rows.workSession))
    return { rows, approaches, since: await sinceItEnded(reader, rows) }
  })
  if (!found) return
  const { rows, approaches, since } = found
  const folder = join(projectFolder, workSessionFolder(id))
  await makeFolder(join(folder, 'artifacts'))
  const names = artifacts === 'all' ? new Set(rows.artifacts.map(({ name }) => name)) : artifacts
  const state = stateOf(rows)
  const kept = await isFinal(join(folder, fileNames.checkpoint), rows)
  const learned = { rows, content: approachesFile(rows, approaches), kept }
  const writes = [
    ...[...names].map((name) => () => mirrorArtifact(store, join(folder, 'artifacts'), id, name)),
    () => writeJson(join(folder, fileNames.workSession), workSessionFile(rows, since)),
    () => writeApproaches(folder, learned, takeIn),
    ...(kept
      ? []
      : [
          () => writeJson(join(folder, fileNames.remainingTasks), remainingTasksFile(state)),
          // Last: when it says how the work ended, the two before do.
          () => writeJson(join(folder, fileNames.checkpoint), state),
        ]),
    () => syncFolder(folder),
    () => syncFolder(join(folder, '..')),
  ]
  await eachByItself(writes, (write) => write())
}

interface Learned {
  readonly rows: WorkSessionRows
  readonly content: ApproachesFile
  /** CK6: the work has ended, and the file with it. */
  readonly kept: boolean
}

/** AR3: what somebody wrote into the file comes first; it is written over only when all of that was taken in. */
async function writeApproaches(folder: string, { rows, content, kept }: Learned, takeIn: TakeIn | undefined): Promise<void> {
  const [path, beside] = [join(folder, fileNames.approaches), join(folder, `.${fileNames.approaches}`)]
  const { id: workSessionId, project_id: projectId, file_problem } = rows.workSession
  const changed = takeIn && (await changedApproaches(path, beside, content))
  if (changed) {
    const { added, problem, known } = changed
    if (added.length > 0 || problem !== file_problem) await takeIn({ projectId, workSessionId, added, problem })
    await writeJson(beside, known)
    // With what was taken in it is written right afterwards.
    if (problem !== null || added.length > 0) return
  } else if (takeIn && file_problem !== null) await takeIn({ projectId, workSessionId, added: [], problem: null })
  if (kept) return
  await writeJson(path, content)
  if (takeIn) await writeJson(beside, content)
}

/** CK6: whether the three files say how it ended, and are left alone from then on. */
async function isFinal(path: string, rows: WorkSessionRows): Promise<boolean> {
  const { ended_at: endedAt, resumed_by: resumedBy } = rows.workSession
  if (endedAt === null) return false
  const written = await readPlainFile(path).catch(() => undefined)
  if (written === undefined) return false
  const state = endState(rows)
  if (state) return written === jsonText(state)
  // Ended by an older version, which kept no state: its file is as good as there is once it knows of the end, or the tasks went on.
  return resumedBy !== null || timestampIn(written) >= endedAt
}

function timestampIn(written: string): string {
  try {
    return (JSON.parse(written) as { timestamp: string }).timestamp
  } catch {
    return ''
  }
}
