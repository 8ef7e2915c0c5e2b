/** Validates the stream names a client asks for: known kinds, at most 100. */
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { parseStream, type StreamKind, type StreamName } from '../../domain/stream-name.ts'
import { maxStreamsPerClient } from '../../protocol/socket.ts'
import { accountOf } from '../../services/consoles/queries.ts'
import { checkConversations, conversationsOf } from '../../services/conversations/queries.ts'
import type { Store } from '../../store/store.ts'

/**
 * Streams not offered to readers (SE3): a coordinator's orders are for that coordinator, a user session is followed with
 * `session:resume`, and streams of notes are for the mirror.
 */
const notForReaders: ReadonlySet<StreamKind> = new Set(['coordinator', 'user-session', 'note'])
const maxStreamNameLength = 300

export function readableStreams(names: readonly string[], followed: readonly StreamName[] = []): StreamName[] {
  const streams = new Set<StreamName>()
  for (const name of names) {
    // PostgreSQL cannot store NUL, so no stream has such a name.
    const stream = name.length <= maxStreamNameLength && !name.includes('\u0000') ? parseStream(name) : undefined
    if (!stream)
      throw new Refusal('invalid_request', refusalText('notStream', { name: JSON.stringify(name.slice(0, 100)) }), {
        field: 'streams',
      })
    if (notForReaders.has(stream.kind)) throw new Refusal('not_found', refusalText('noStream'), { stream: name })
    streams.add(name as StreamName)
  }
  stillFree([...streams], followed)
  return [...streams]
}

/** Checks that the caller may see the named conversations. */
export const checkStreams = (store: Store, who: Who, streams: readonly StreamName[]): Promise<void> =>
  store.query(checkConversations, { accountId: accountOf(who), keys: conversationsOf(streams) })

/** Refuses streams beyond the limit of a client. */
export function stillFree(streams: readonly StreamName[], followed: readonly StreamName[]): void {
  if (new Set([...streams, ...followed]).size <= maxStreamsPerClient) return
  const limit = { field: 'streams', max: maxStreamsPerClient }
  throw new Refusal('invalid_request', refusalText('streamsTooMany', { most: maxStreamsPerClient }), limit)
}
