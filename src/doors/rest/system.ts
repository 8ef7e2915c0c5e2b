/**
 * REST handlers for health, readiness, metrics and documentation (HT3, HT5). Rarely used code is
 * loaded on demand.
 */

import { editors, settingsFor } from '../../domain/conversations/editor-settings.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { maxCursorLength } from '../../protocol/socket.ts'
import { splitStreams } from '../../protocol/stream-list.ts'
import type { eventRoutes, systemRoutes } from '../../protocol/system/routes.ts'
import { health } from '../../server/http/health.ts'
import { EventStream } from '../../server/live/event-stream.ts'
import { readableStreams, Subscription } from '../../server/live/subscription.ts'
import { streamRights } from '../../services/access/stream-rights.ts'
import { countProcesses } from '../../services/processes/queries.ts'
import { readSnapshot } from '../../services/system/read-snapshot.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import { allowed, by, type HandlersOf, type Scopes } from './handler.ts'

type Documents = 'getOpenApi' | 'getDocs' | 'getDocsStyle'

export const systemHandlers: HandlersOf<Omit<typeof systemRoutes, Documents>> = {
  getHealth: allowed({ scope: 'nobody', on: 'nobody' }, async ({ deps }) => health(deps.version)),
  getReadiness: allowed({ scope: 'nobody', on: 'nobody' }, async ({ deps }) => {
    if (deps.closing) throw new Refusal('shutting_down')
    await deps.store.check()
    return { status: 'ready' }
  }),
  getMetrics: by(countProcesses, async ({ deps, who }) => {
    const { metricsText } = await import('../../server/system/metrics.ts')
    // Metrics are answered even when the store fails.
    const none = { processes: null, coordinators: null, models: null }
    return metricsText(deps, await deps.app.read(countProcesses, undefined, who).catch(() => none))
  }),
  getDiskUse: allowed({ scope: 'read', on: 'nobody' }, async ({ deps }) => ({
    logs: deps.files.logs(),
  })),
  listEditorSettings: allowed({ scope: 'read', on: 'nobody' }, async ({ deps }) => ({
    items: editors.map((editor) => ({ editor, ...settingsFor(editor, deps.editorProgram) })),
  })),
}

/** What the routes are, for programs and for reading. */
export const documentHandlers = (
  scopes: () => Scopes,
): HandlersOf<Pick<typeof systemRoutes, Documents>> => ({
  getOpenApi: allowed(document, async ({ deps }) => {
    const { openApiText } = await import('./openapi.ts')
    return openApiText(deps.version, scopes())
  }),
  getDocs: allowed(document, async ({ deps }) => {
    const { docsPage } = await import('./docs-page.ts')
    return docsPage(deps.version, scopes())
  }),
  getDocsStyle: allowed(document, async () => {
    const { docsStyle } = await import('./docs-page.ts')
    return docsStyle
  }),
})

const document = { scope: 'anybody', on: 'nobody' } as const

/** Handlers for server-sent events (HT6) and the state they start from. */
export const eventHandlers: HandlersOf<typeof eventRoutes> = {
  watchEvents: allowed(streamRights.home, async ({ query, deps, presented, request, reply }) => {
    const streams = readableStreams(splitStreams(query.streams))
    await deps.app.watch(streams, presented.who)
    // A reconnecting browser repeats its original URL, so the last event id takes precedence.
    const after = request.headers['last-event-id'] || query.after
    if (after !== undefined && (typeof after !== 'string' || after.length > maxCursorLength)) {
      throw new Refusal('invalid_request', refusalText('notEventCursor'), {
        field: 'Last-Event-ID',
      })
    }
    deps.connections.admit(presented)
    reply.hijack()
    // Disconnected during authentication: `close` has already fired and would never end a stream
    // opened now.
    if (reply.raw.destroyed) return undefined
    const eventStream = new EventStream(reply.raw, request.raw.socket, presented, deps.figures)
    const subscription = new Subscription(deps.store, deps.tails, eventStream, presented.who)
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
  }),

  getSnapshot: by(readSnapshot, async ({ query, deps, who }) => {
    const { store, app } = deps
    const streams = readableStreams(splitStreams(query.streams))
    await app.watch(streams, who)
    const { positions, state } = await app.read(readSnapshot, { streams }, who)
    const heads = new Map(streams.map((stream, index) => [stream, positions[index]?.head ?? 0]))
    return { cursor: encodeCursor(store.incarnation, heads), state }
  }),
}
