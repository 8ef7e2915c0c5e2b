/** Signs this browser out and forgets everything that was shown or typed. */
import { setConnection } from '../live/connection.ts'
import { forgetDrafts } from '../live/draft.ts'
import { forgetUnsent } from '../live/outbox.ts'
import { client, queryClient } from '../live/queries.ts'

export async function signOut(): Promise<void> {
  await client.post('/api/logout')
  forgetDrafts()
  forgetUnsent()
  queryClient.clear()
  setConnection({ state: 'signed-out' })
}
