/**
 * What a person's editor calls a session that it began (AH3): some choose the name before there is
 * a session. It is another name for the session, for that person alone.
 */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { selectNameOf, selectNamesFrom } from '../../store/conversations/thread-names.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

interface Naming {
  readonly key: string
  readonly personId: string
  readonly name: string
}

/** The same name again for the same session changes nothing. */
export const nameThread = defineUseCase('name-thread', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Naming) => [streamOfKey(key)],
  run: async (tx, { key, personId, name }, { now }): Promise<void> => {
    tx.lock(streamOfKey(key))
    await existingConversation(tx, key)
    const row = await tx.row('session_names', { person_id: personId, name })
    if (row?.conversation_key === key) return
    if (row) throw new Refusal('already_exists', refusalText('threadNameTaken', { name }), { name })
    await tx.insert('session_names', {
      person_id: personId,
      name,
      conversation_key: key,
      created_at: now,
    })
  },
})

/** The name that a person's editor gave a session; null: none. */
export const findThreadName = defineQuery('find-thread-name', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, personId }: { key: string; personId: string },
  ): Promise<string | null> => (await reader.first(selectNameOf, { key, personId }))?.name ?? null,
})

/** The session that a person's editor means by a name; null: none. */
export const findNamedThread = defineQuery('find-named-thread', {
  scope: 'read',
  on: 'caller',
  run: async (
    reader,
    { name, personId }: { name: string; personId: string },
  ): Promise<string | null> =>
    (await reader.row('session_names', { person_id: personId, name }))?.conversation_key ?? null,
})

/** Forks of one session that an editor shows as chats of it. */
const maxChats = 20

/** A fork that an editor shows as a chat of the session it is of: that session, and the chat. */
export const chatNameOf = (key: string, chat: string): string => `${key}#${chat}`

export const findChatsOf = defineQuery('find-chats-of', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, personId }: { key: string; personId: string },
  ): Promise<{ key: string; chat: string }[]> => {
    const begin = chatNameOf(key, '')
    const names = { begin, end: `${key}$`, personId, limit: maxChats }
    const rows = await reader.all(selectNamesFrom, names)
    return rows.map(({ name, conversation_key }) => ({
      key: conversation_key,
      chat: name.slice(begin.length),
    }))
  },
})
