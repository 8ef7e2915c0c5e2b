/** The streams a reader asked for, each a name we know, at most 100 of them. */
import { Refusal } from '../../domain/errors.ts'
import { parseStream, type StreamName } from '../../domain/stream/name.ts'
import { maxStreamsPerClient } from '../../protocol/socket.ts'

/** A coordinator's orders are for that coordinator alone; to everybody else they are not there (SE3). */
const notForReaders = 'coordinator'
const maxStreamNameLength = 300

export function readableStreams(names: readonly string[], followed: readonly StreamName[] = []): StreamName[] {
  const streams = new Set<StreamName>()
  for (const name of names) {
    // No database keeps NUL, so nothing has such a name.
    const stream = name.length <= maxStreamNameLength && !name.includes('\u0000') ? parseStream(name) : undefined
    if (!stream)
      throw new Refusal('invalid_request', `streams: ${JSON.stringify(name.slice(0, 100))} is not a stream`, { field: 'streams' })
    if (stream.kind === notForReaders) throw new Refusal('not_found', 'There is no such stream', { stream: name })
    streams.add(name as StreamName)
  }
  if (new Set([...streams, ...followed]).size > maxStreamsPerClient) {
    throw new Refusal('invalid_request', `streams: at most ${maxStreamsPerClient}`, {
      field: 'streams',
      max: maxStreamsPerClient,
    })
  }
  return [...streams]
}
