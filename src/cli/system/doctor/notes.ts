/** Whether the notes of days are in their files (DC4). Says nothing while there is nothing to say. */
import type { Client } from '../../../client/client.ts'
import { visible } from '../../../platform/visible.ts'
import { type Check, warning } from './check.ts'

export async function checkNotes(client: Client): Promise<Check[]> {
  const { items } = await client.get('/api/notes', { query: { state: 'pending', limit: 200 } })
  const failed = items.filter(({ problem }) => problem !== null)
  const [newest] = failed
  if (!newest) return []
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  const detail = `the note of ${newest.date}${others} cannot be written: ${visible(newest.problem ?? '')}`
  return [warning('Notes', detail, 'Make the folder writable; it is tried again by itself, and nothing is lost.')]
}
