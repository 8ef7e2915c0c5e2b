/** REST handlers for health, readiness, metrics and documentation (HT3, HT5). Rarely used code is loaded on demand. */

import { viewerOf } from '../../domain/access/visibility.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { maxCursorLength } from '../../protocol/socket.ts'
import { splitStreams } from '../../protocol/stream-list.ts'
import type { eventRoutes, systemRoutes } from '../../protocol/system/routes.ts'
import { health } from '../../server/http/health.ts'
import { EventStream } from '../../server/live/event-stream.ts'
import { readableStreams, requireStreams, Subscription } from '../../server/live/subscription.ts'
import { countProcesses } from '../../services/processes/queries.ts'
import { readSnapshot } from '../../services/system/read-snapshot.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import type { HandlersOf } from './handler.ts'

export const systemHandlers: HandlersOf<typeof systemRoutes> = {
  getHealth: async ({ deps }) => health(deps.version),
  getReadiness: async ({ deps }) => {
    if (deps.closing) throw new Refusal('shutting_down')
    await deps.store.check()
    return { status: 'ready' }
  },
  getMetrics: async ({ deps }) => {
    const { metricsText } = await import('../../server/system/metrics.ts')
    // Metrics are answered even when the store fails.
    const none = { processes: null, coordinators: null, models: null }
    return metricsText(deps, await deps.store.query(countProcesses, {}).catch(() => none))
  },
  getDiskUse: async ({ deps }) => ({ logs: deps.files.logs() }),
  getOpenApi: async ({ deps }) => {
    const { openApiText } = await import('./openapi.ts')
    return openApiText(deps.version)
  },
  getDocs: async ({ deps }) => {
    const { docsPage } = await import('./docs-page.ts')
    return docsPage(deps.version)
  },
  getDocsStyle: async () => {
    const { docsStyle } = await import('./docs-page.ts')
    return docsStyle
  },
}

/** Handlers for server-sent events (HT6) and the state they start from. */
export const eventHandlers: HandlersOf<typeof eventRoutes> = {
  watchEvents: async ({ query, deps, presented, request, reply }) => {
    const streams = readableStreams(splitStreams(query.streams))
    await requireStreams(deps.store, presented.who, streams)
    // A reconnecting browser repeats its original URL, so the last event id takes precedence.
    const after = request.headers['last-event-id'] || query.after
    if (after !== undefined && (typeof after !== 'string' || after.length > maxCursorLength)) {
      throw new Refusal('invalid_request', refusalText('notEventCursor'), {
        field: 'Last-Event-ID',
      })
    }
    deps.connections.admit(presented)
    reply.hijack()
    // Disconnected during authentication: `close` has already fired and would never end a stream opened now.
    if (reply.raw.destroyed) return undefined
    const eventStream = new EventStream(reply.raw, request.raw.socket, presented, deps.figures)
    const subscription = new Subscription(
      deps.store,
      deps.tails,
      eventStream,
      viewerOf(presented.who),
    )
    const panels = new Set(query.panels?.split(','))
    deps.panels.enter(panels)
    reply.raw.on('close', () => {
      deps.panels.leave(panels)
      subscription.close()
      deps.connections.remove(eventStream)
    })
    reply.raw.on('error', () => eventStream.cut())
    deps.connections.add(eventStream)
    try {
      await subscription.follow(streams, after, (cursor) => eventStream.begin(cursor))
      deps.logger.debug({ requestId: request.id, streams }, 'event stream started')
    } catch (error) {
      deps.logger.error(
        { requestId: request.id, streams, err: error },
        'event stream could not be started',
      )
      eventStream.cut()
    }
    return undefined
  },

  getSnapshot: async ({ query, deps, who }) => {
    const { store } = deps
    const streams = readableStreams(splitStreams(query.streams))
    await requireStreams(store, who, streams)
    const { positions, state } = await store.query(readSnapshot, { streams })
    const heads = new Map(streams.map((stream, index) => [stream, positions[index]?.head ?? 0]))
    return { cursor: encodeCursor(store.incarnation, heads), state }
  },
}
