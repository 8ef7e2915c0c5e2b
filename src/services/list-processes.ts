/** Launches, newest first, a page at a time: what lives now, and why the rest ended. */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { Process } from '../protocol/process.ts'
import { type ProcessesFilter, processesPage } from '../store/queries/launches-page.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery } from '../store/store.ts'

export const listProcesses = defineQuery({
  name: 'list-processes',
  run: async (reader, { limit, cursor, ...filter }: PageQuery & ProcessesFilter): Promise<Page<Process>> => {
    const found = await processesPage(reader, filter, pageParams({ limit, cursor }))
    return cutPageBy(found, limit, ({ orderedAt, launchId }) => ({ createdAt: orderedAt, id: launchId }))
  },
})
