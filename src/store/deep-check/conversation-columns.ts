/** Compares what each conversation's row says it is with its key, where a rule reads that key. */
import { differsFromKey } from '../conversations/conversation-identity.ts'
import { pagesOf } from '../copy-tables.ts'
import type { Reader } from '../store.ts'
import type { Finding } from './deep-check.ts'

export async function* conversationColumns(reader: Reader): AsyncGenerator<Finding> {
  for await (const page of pagesOf(reader, 'conversations')) {
    for (const row of page) {
      const column = differsFromKey(row)
      if (column === undefined) continue
      const where = `conversations ${row.key}`
      yield { check: 'state', where, what: `has another ${column} than its key says` }
    }
  }
}
