/**
 * `<data>/projects/{project_id}/sessions/{session_id}/` (CK2): four files and the artifacts of each work session that an event was
 * about, however many others the project has. Never removes an artifact's file but the one that was deleted.
 */
import { join } from 'node:path'
import { syncFolder } from '../platform/atomic-file.ts'
import { eachByItself, inPages } from '../platform/each-by-itself.ts'
import { makeFolder } from '../platform/make-folder.ts'
import type { WorkSession } from '../protocol/work-session.ts'
import { newest, type PageKey } from '../store/queries/page-cursor.ts'
import { approachesAlong, workSessionRows } from '../store/queries/work-session-rows.ts'
import { childrenOf, lineageOf, workSessionsPage } from '../store/queries/work-sessions.ts'
import type { Reader } from '../store/store.ts'
import { mirrorArtifact } from './artifact-file.ts'
import { writeJson } from './json-file.ts'
import type { MovedEvents } from './json-folder.ts'
import type { MirrorPlace, MirrorSource } from './mirror-target.ts'
import { nothingTouched, type Touched, touch } from './touched.ts'
import { approachesFile, remainingTasksFile, stateCheckpoint, workSessionFile } from './work-session-files.ts'

const eventsAtOnce = 500
const workSessionsAtOnce = 200
/** Children of one that are looked for; nobody resumes one more often. */
const maxChildren = 1000

/** The ids we give out; one that somebody wrote into the table otherwise names no folder. */
const folderName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

export const checkpointName = 'state_checkpoint.json'

/** Below the folder of a project. */
export const workSessionFolder = (workSessionId: string): string => join('sessions', workSessionId)

export async function writeWorkSessions(place: MirrorPlace, folder: string, moved: MovedEvents | 'all'): Promise<void> {
  const { store, id } = place
  if (moved === 'all') return eachByItself(allOf(store, id), (each) => writeWorkSession(store, folder, each.id, 'all'))
  const { workSessionIds, artifacts } = await touchedBy(place, moved)
  await eachByItself(workSessionIds, (each) => writeWorkSession(store, folder, each, artifacts.get(each) ?? new Set()))
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
  await store.read((reader) => addHeirs(reader, touched))
  return touched
}

/** AR2: what an ancestor learned stands in the files of all that come from it. */
async function addHeirs(reader: Reader, { learnedIn, workSessionIds }: Touched): Promise<void> {
  const queue = [...learnedIn]
  const seen = new Set(queue)
  for (const id of queue) {
    workSessionIds.add(id)
    for (const child of await childrenOf(reader, id, maxChildren)) {
      if (seen.has(child.id)) continue
      seen.add(child.id)
      queue.push(child.id)
    }
  }
}

async function writeWorkSession(
  store: MirrorSource,
  projectFolder: string,
  id: string,
  artifacts: ReadonlySet<string> | 'all',
): Promise<void> {
  if (!folderName.test(id)) return
  const found = await store.read(async (reader) => {
    const rows = await workSessionRows(reader, id)
    return rows && { rows, approaches: await approachesAlong(reader, await lineageOf(reader, rows.workSession)) }
  })
  if (!found) return
  const { rows, approaches } = found
  const folder = join(projectFolder, workSessionFolder(id))
  await makeFolder(join(folder, 'artifacts'))
  const names = artifacts === 'all' ? new Set(rows.artifacts.map(({ name }) => name)) : artifacts
  const writes = [
    ...[...names].map((name) => () => mirrorArtifact(store, join(folder, 'artifacts'), id, name)),
    () => writeJson(join(folder, 'approaches.json'), approachesFile(rows, approaches)),
    () => writeJson(join(folder, 'remaining_tasks.json'), remainingTasksFile(rows)),
    () => writeJson(join(folder, 'work_session.json'), workSessionFile(rows)),
    () => writeJson(join(folder, checkpointName), stateCheckpoint(rows)),
    () => syncFolder(folder),
    () => syncFolder(join(folder, '..')),
  ]
  await eachByItself(writes, (write) => write())
}
