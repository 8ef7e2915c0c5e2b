/** The streams a reader asked for, each a name we know, at most 100 of them. */
import type { Who } from '../../domain/access/who.ts'
import { Refusal } from '../../domain/errors.ts'
import { parseStream, type StreamKind, type StreamName } from '../../domain/stream-name.ts'
import { maxStreamsPerClient } from '../../protocol/socket.ts'
import { accountOf } from '../../services/consoles/queries.ts'
import { checkConversations, conversationsOf } from '../../services/conversations/conversation-access.ts'
import type { Store } from '../../store/store.ts'

/**
 * A coordinator's orders are for that coordinator alone; a user session is followed by who has it, with `session:resume`. To everybody
 * else they are not there (SE3). What becomes of notes is told in `home`; their own streams are for who writes the files.
 */
const notForReaders: ReadonlySet<StreamKind> = new Set(['coordinator', 'user-session', 'note'])
const maxStreamNameLength = 300

export function readableStreams(names: readonly string[], followed: readonly StreamName[] = []): StreamName[] {
  const streams = new Set<StreamName>()
  for (const name of names) {
    // No database keeps NUL, so nothing has such a name.
    const stream = name.length <= maxStreamNameLength && !name.includes('\u0000') ? parseStream(name) : undefined
    if (!stream)
      throw new Refusal('invalid_request', `streams: ${JSON.stringify(name.slice(0, 100))} is not a stream`, { field: 'streams' })
    if (notForReaders.has(stream.kind)) throw new Refusal('not_found', 'There is no such stream', { stream: name })
    streams.add(name as StreamName)
  }
  stillFree([...streams], followed)
  return [...streams]
}

/** Of conversations, only those that whoever asks may see. */
export const checkStreams = (store: Store, who: Who, streams: readonly StreamName[]): Promise<void> =>
  store.query(checkConversations, { accountId: accountOf(who), keys: conversationsOf(streams) })

/** Refuses what would be one too many. */
export function stillFree(streams: readonly StreamName[], followed: readonly StreamName[]): void {
  if (new Set([...streams, ...followed]).size <= maxStreamsPerClient) return
  const limit = { field: 'streams', max: maxStreamsPerClient }
  throw new Refusal('invalid_request', `streams: at most ${maxStreamsPerClient}`, limit)
}
