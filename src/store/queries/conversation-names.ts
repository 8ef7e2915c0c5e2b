/** Who has which plain name for its file (CV6). Written with the conversation's own row, behind the lock of its stream. */
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export const insertName = statement<Tables['conversation_names']>()((db, p) =>
  db.insertInto('conversation_names').values({ name: p.name, conversation_key: p.conversation_key }),
)

export const selectHolderOf = statement<{ name: string }>()((db, p) =>
  db.selectFrom('conversation_names').select('conversation_key').where('name', '=', p.name),
)

export const selectNameOf = statement<{ key: string }>()((db, p) =>
  db.selectFrom('conversation_names').select('name').where('conversation_key', '=', p.key),
)

export const deleteNameOf = statement<{ key: string }>()((db, p) =>
  db.deleteFrom('conversation_names').where('conversation_key', '=', p.key),
)
