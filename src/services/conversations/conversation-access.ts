/**
 * Who may see a conversation: one that belongs to an account (a console's) is there for that account and for who manages the installation,
 * and for nobody else; all others for everybody who may read (SE3). What is not yours is not there.
 */
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import { selectConversation } from '../../store/conversations/conversations.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { noSuchConversation } from '../refusals.ts'

/** `accountId` null: everybody's. */
export const isVisible = (accountId: string | null, row: { readonly account_id: string | null } | undefined): boolean =>
  accountId === null || row === undefined || row.account_id === null || row.account_id === accountId

interface Asked {
  readonly accountId: string | null
  readonly keys: readonly string[]
}

/** Refuses what is not theirs as if it were not there. */
export const checkConversations = defineQuery({
  name: 'check-conversations',
  withoutSnapshot: true,
  run: async (reader, asked: Asked): Promise<void> => checkVisible(reader, asked),
})

async function checkVisible(reader: Reader, { accountId, keys }: Asked): Promise<void> {
  if (accountId === null) return
  for (const key of keys)
    if (!isVisible(accountId, await reader.first(selectConversation, { key }))) throw noSuchConversation(key)
}

/** The conversations that streams are about. */
export const conversationsOf = (streams: readonly StreamName[]): string[] =>
  streams.flatMap((name) => {
    const stream = parseStream(name)
    return stream?.kind === 'conversation' || stream?.kind === 'turns' ? [stream.id] : []
  })
