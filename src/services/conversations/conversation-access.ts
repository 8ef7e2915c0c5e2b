/**
 * Decides who may see a conversation (SE3). A console's conversation is visible to its account and to owners; others are
 * visible to every reader. An invisible one is reported as not found.
 */
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import { selectConversation } from '../../store/conversations/conversations.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { noSuchConversation } from '../refusals.ts'

/** `accountId` null means that all are visible. */
export const isVisible = (accountId: string | null, row: { readonly account_id: string | null } | undefined): boolean =>
  accountId === null || row === undefined || row.account_id === null || row.account_id === accountId

interface VisibilityCheck {
  readonly accountId: string | null
  readonly keys: readonly string[]
}

/** Refuses with "not found" if any of the conversations is not visible to the account. */
export const checkConversations = defineQuery({
  name: 'check-conversations',
  withoutSnapshot: true,
  run: async (reader, asked: VisibilityCheck): Promise<void> => checkVisible(reader, asked),
})

async function checkVisible(reader: Reader, { accountId, keys }: VisibilityCheck): Promise<void> {
  if (accountId === null) return
  for (const key of keys)
    if (!isVisible(accountId, await reader.first(selectConversation, { key }))) throw noSuchConversation(key)
}

/** The conversations that streams belong to. */
export const conversationsOf = (streams: readonly StreamName[]): string[] =>
  streams.flatMap((name) => {
    const stream = parseStream(name)
    return stream?.kind === 'conversation' || stream?.kind === 'turns' ? [stream.id] : []
  })
