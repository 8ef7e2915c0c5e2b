/**
 * The files of work sessions after a kill: each whole at any moment, and what the store says once
 * the mirror has caught up.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import {
  approachesFile,
  remainingTasksFile,
  workSessionFile,
} from '../../../src/mirror/work-session-folders.ts'
import { ProjectFile } from '../../../src/protocol/projects/project.ts'
import { ApproachesFile } from '../../../src/protocol/work/approaches-file.ts'
import { RemainingTasksFile, StateCheckpoint } from '../../../src/protocol/work/state-checkpoint.ts'
import { WorkSessionFile } from '../../../src/protocol/work/work-session-file.ts'
import { readSqlite } from '../../../src/store/sqlite/backup.ts'
import {
  approachesOfLineage,
  changesSinceEnd,
  currentState,
  workSessionRows,
} from '../../../src/store/work/work-session-state.ts'
import { lineageOf } from '../../../src/store/work/work-sessions.ts'
import { databaseIn } from '../place.ts'

const schemas: Readonly<Record<string, z.ZodType>> = {
  'project.json': ProjectFile,
  'state_checkpoint.json': StateCheckpoint,
  'approaches.json': ApproachesFile,
  'remaining_tasks.json': RemainingTasksFile,
  'work_session.json': WorkSessionFile,
}

/** What is not whole, in words. */
export async function tornFiles(data: string): Promise<string[]> {
  const torn: string[] = []
  const entries = await readdir(join(data, 'projects'), { recursive: true }).catch(() => [])
  for (const path of entries) {
    const schema = schemas[path.split('/').at(-1) ?? '']
    if (!schema || path.includes('/artifacts/')) continue
    try {
      schema.parse(JSON.parse(await readFile(join(data, 'projects', path), 'utf8')))
    } catch (error) {
      torn.push(`${path}: ${String(error).slice(0, 300)}`)
    }
  }
  return torn
}

/** What does not say what the store says, in words. */
export const differingFiles = (data: string, projectId: string): Promise<string[]> =>
  readSqlite(databaseIn(data), async (reader) => {
    const differing: string[] = []
    const folder = join(data, 'projects', projectId, 'sessions')
    const all = await reader.query((db) =>
      db.selectFrom('sessions').select('id').where('project_id', '=', projectId),
    )
    for (const { id } of all) {
      const rows = await workSessionRows(reader, id)
      if (!rows) continue
      const approaches = await approachesOfLineage(
        reader,
        await lineageOf(reader, rows.workSession),
      )
      const expected: Readonly<Record<string, unknown>> = {
        'state_checkpoint.json': currentState(rows),
        'remaining_tasks.json': remainingTasksFile(currentState(rows)),
        'work_session.json': workSessionFile(rows, await changesSinceEnd(reader, rows)),
        // CK6: of one that has ended it says what was known then.
        ...(rows.workSession.ended_at === null && {
          'approaches.json': approachesFile(rows, approaches),
        }),
      }
      for (const [name, content] of Object.entries(expected)) {
        const found = await readFile(join(folder, id, name), 'utf8').then(
          JSON.parse,
          () => undefined,
        )
        if (!isDeepStrictEqual(found, content))
          differing.push(`${id}/${name} is not what the store says`)
      }
      for (const { name, size } of rows.artifacts) {
        const bytes = await readFile(join(folder, id, 'artifacts', name)).catch(() => undefined)
        if (bytes?.length !== size)
          differing.push(`${id}/artifacts/${name} has ${bytes?.length} bytes, not ${size}`)
      }
    }
    return differing
  })
