/** The unfinished tasks that go over into a resumed work session (RS1). */
import type { TaskRow } from '../store/queries/tasks.ts'
import { selectUnfinished } from '../store/queries/unfinished-tasks.ts'
import { descendantsOf } from '../store/queries/work-sessions.ts'
import type { Reader } from '../store/store.ts'

/** More than any plan has; what is beyond stays where it is. */
const maxTasks = 100_000

export const unfinishedOf = (reader: Reader, workSessionId: string): Promise<TaskRow[]> =>
  reader.all(selectUnfinished, { workSessionId, limit: maxTasks })

/** Its own, and those that its descendants left when they ended (RS3); newest first. None of them runs. */
export async function carriedOver(reader: Reader, workSessionId: string): Promise<TaskRow[]> {
  const ids = [workSessionId, ...(await descendantsOf(reader, workSessionId)).map(({ id }) => id)]
  const rows: TaskRow[] = []
  for (const id of ids) rows.push(...(await unfinishedOf(reader, id)))
  return rows.sort((a, b) => (a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? 1 : -1))
}
