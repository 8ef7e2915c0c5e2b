/** The list of launches, newest first, by whom and where and how they stand. */
import type { Process } from '../../protocol/process.ts'
import type { Reader } from '../store.ts'
import { type LaunchRow, launchColumns, launchEnded, launchFrom, processOf } from './launches.ts'
import type { PageParams } from './page-cursor.ts'

export interface ProcessesFilter {
  readonly projectId?: string | undefined
  readonly agentId?: string | undefined
  readonly state?: Process['state'] | undefined
}

export async function processesPage(
  reader: Reader,
  { projectId, agentId, state }: ProcessesFilter,
  { createdAt, id, limit }: PageParams,
): Promise<Process[]> {
  const rows = await reader.query<LaunchRow>((db) => {
    let page = db
      .selectFrom('launches')
      .select(launchColumns)
      .where((eb) => eb(eb.refTuple('ordered_at', 'id'), '<', eb.tuple(createdAt, id)))
      .orderBy('ordered_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    if (projectId !== undefined) page = page.where('project_id', '=', projectId)
    if (agentId !== undefined) page = page.where('agent_id', '=', agentId)
    if (state !== undefined) page = page.where('state', '=', state)
    // Said beside it, so that the indexes of the living are used: few live among many that have ended.
    if (state !== undefined && state !== 'ended') page = page.where('state', '<>', launchEnded)
    return page
  })
  return rows.map((row) => processOf(launchFrom(row)))
}
