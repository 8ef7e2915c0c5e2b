/** The unfinished tasks that go over into a resumed work session (RS1). */
import type { TaskRow } from '../store/queries/tasks.ts'
import { selectUnfinished } from '../store/queries/unfinished-tasks.ts'
import { childrenOf } from '../store/queries/work-sessions.ts'
import type { Reader } from '../store/store.ts'

/** More than any plan has; what is beyond stays where it is. */
const maxTasks = 100_000
/** Work sessions of one tree that are looked through. */
const maxTree = 1000

export const unfinishedOf = (reader: Reader, workSessionId: string): Promise<TaskRow[]> =>
  reader.all(selectUnfinished, { workSessionId, limit: maxTasks })

/** Its own, and those that went over into an earlier child and were left there when that ended too; newest first. */
export async function carriedOver(reader: Reader, workSessionId: string): Promise<TaskRow[]> {
  const tree = [workSessionId]
  for (const id of tree) {
    const ended = (await childrenOf(reader, id, maxTree)).filter(({ state }) => state !== 'running')
    tree.push(...ended.map((child) => child.id).slice(0, Math.max(0, maxTree - tree.length)))
  }
  const rows: TaskRow[] = []
  for (const id of tree) rows.push(...(await unfinishedOf(reader, id)))
  return rows.sort((a, b) => (a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? 1 : -1))
}
