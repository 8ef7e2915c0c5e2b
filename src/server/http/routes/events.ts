/** Live changes as server-sent events (HT6), and the state they start from. */
import { Refusal } from '../../../domain/errors.ts'
import type { eventRoutes } from '../../../protocol/routes/events.ts'
import { maxCursorLength } from '../../../protocol/socket.ts'
import { splitStreams } from '../../../protocol/stream-list.ts'
import { readSnapshot } from '../../../services/read-snapshot.ts'
import { encodeCursor } from '../../../store/cursor.ts'
import { EventStream } from '../../live/event-stream.ts'
import { checkStreams, readableStreams } from '../../live/stream-names.ts'
import { Subscription } from '../../live/subscription.ts'
import type { HandlersOf } from '../handler.ts'

export const eventHandlers: HandlersOf<typeof eventRoutes> = {
  watchEvents: async ({ query, doors, presented, request, reply }) => {
    const streams = readableStreams(splitStreams(query.streams))
    await checkStreams(doors.store, presented.who, streams)
    // A browser that comes back still asks with the address it began with, so what it saw last counts more.
    const after = request.headers['last-event-id'] || query.after
    if (after !== undefined && (typeof after !== 'string' || after.length > maxCursorLength)) {
      throw new Refusal('invalid_request', 'Last-Event-ID: is not a cursor', { field: 'Last-Event-ID' })
    }
    doors.connections.admit(presented)
    reply.hijack()
    // Gone while it was looked up who it is: its `close` was told already, and nobody would ever end what is opened for it.
    if (reply.raw.destroyed) return undefined
    const eventStream = new EventStream(reply.raw, request.raw.socket, presented, doors.figures)
    const subscription = new Subscription(doors.store, doors.tails, eventStream)
    const leavePanels = doors.panels.name(query.panels?.split(',') ?? [])
    reply.raw.on('close', () => {
      leavePanels()
      subscription.close()
      doors.connections.remove(eventStream)
    })
    reply.raw.on('error', () => eventStream.cut())
    doors.connections.add(eventStream)
    try {
      await subscription.follow(streams, after, (cursor) => eventStream.begin(cursor))
      doors.logger.debug({ requestId: request.id, streams }, 'An event stream began')
    } catch (error) {
      doors.logger.error({ requestId: request.id, streams, err: error }, 'An event stream could not begin')
      eventStream.cut()
    }
    return undefined
  },

  getSnapshot: async ({ query, doors, who }) => {
    const { store } = doors
    const streams = readableStreams(splitStreams(query.streams))
    await checkStreams(store, who, streams)
    const { positions, state } = await store.query(readSnapshot, { streams })
    const heads = new Map(streams.map((stream, index) => [stream, positions[index]?.head ?? 0]))
    return { cursor: encodeCursor(store.incarnation, heads), state }
  },
}
