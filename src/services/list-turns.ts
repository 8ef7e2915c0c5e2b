/** What was said to the agents of a user session and what they answered, newest first, whole; as many as fit into a page. */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { Turn } from '../protocol/user-session.ts'
import { behindAll } from '../store/queries/messages.ts'
import { cutSeqPage, seqOf } from '../store/queries/seq-cursor.ts'
import { selectTurnsOver } from '../store/queries/turns.ts'
import { selectUserSession } from '../store/queries/user-sessions.ts'
import { defineQuery } from '../store/store.ts'
import { turnOverOf } from './limit-record.ts'
import { noSuchUserSession } from './user-session-record.ts'

/** Of one page, in characters; at least one turn comes however long it is. */
const maxPageChars = 4 * 1024 * 1024

interface TurnsOf extends PageQuery {
  readonly userSessionId: string
  readonly accountId: string | null
}

export const listTurns = defineQuery({
  name: 'list-turns',
  run: async (reader, { userSessionId, accountId, limit, cursor }: TurnsOf): Promise<Page<Turn>> => {
    const row = await reader.first(selectUserSession, { id: userSessionId })
    if (!row || (accountId !== null && row.account_id !== accountId)) throw noSuchUserSession(userSessionId)
    const found: (Turn & { seq: number })[] = []
    let before = seqOf(cursor, behindAll)
    for (let chars = 0; found.length <= limit && chars <= maxPageChars; ) {
      const [next] = await reader.all(selectTurnsOver, { userSessionId, before, limit: 1 })
      if (!next) return cutSeqPage(found, limit)
      before = next.ended_seq ?? 0
      chars += next.content.length + next.answer.length
      found.push({ ...turnOverOf(next), seq: before })
    }
    return cutSeqPage(found, Math.max(1, Math.min(limit, found.length - 1)))
  },
})
