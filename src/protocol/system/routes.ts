/** Routes for operators, monitoring and first use (HT3, HT5). */
import * as z from 'zod'
import { EditorSettings } from '../conversations/editor.ts'
import { route } from '../route.ts'
import { maxCursorLength } from '../socket.ts'
import { PanelIds } from '../text.ts'

export const systemRoutes = {
  getHealth: route({
    method: 'GET',
    path: '/healthz',
    anonymous: true,
    summary: 'Whether the server is alive',
    answer: z.object({ status: z.literal('ok'), version: z.string() }),
  }),
  getReadiness: route({
    method: 'GET',
    path: '/readyz',
    anonymous: true,
    summary: 'Whether the store can be read and written, so that requests can be served',
    answer: z.object({ status: z.literal('ready') }),
  }),
  getMetrics: route({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    media: 'text/plain; version=0.0.4; charset=utf-8',
  }),
  getDiskUse: route({
    method: 'GET',
    path: '/api/disk',
    summary:
      'What the logs of the coordinator beside the server take on the disk, and can take at ' +
      'most: older lines go by themselves',
    answer: z.object({ logs: z.object({ bytes: z.int(), atMostBytes: z.int() }) }),
  }),
  listEditorSettings: route({
    method: 'GET',
    path: '/api/editors',
    summary:
      'What to enter in each editor so that it starts `holdfast acp`, on the machine of this ' +
      'server',
    answer: z.object({ items: z.array(EditorSettings) }),
  }),
  getOpenApi: route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This list of routes as an OpenAPI 3.1 document',
    media: 'application/json; charset=utf-8',
  }),
  getDocs: route({
    method: 'GET',
    path: '/api/docs',
    summary: 'This list of routes, and every error, for people',
    media: 'text/html; charset=utf-8',
  }),
  getDocsStyle: route({
    method: 'GET',
    path: '/api/docs/style.css',
    summary: 'The looks of `/api/docs`',
    media: 'text/css; charset=utf-8',
  }),
}

/** Live changes (HT6) and the state they start from. */
export const eventRoutes = {
  watchEvents: route({
    method: 'GET',
    path: '/api/events',
    summary:
      'Follow streams as server-sent events; Last-Event-ID or `after` resumes. A comma ' +
      'inside a name is %2C, a percent sign %25',
    query: z.object({
      /** Comma-separated: `home,project:ID`; see stream-list.ts. */
      streams: z.string().min(1).max(20_000),
      after: z.string().max(maxCursorLength).optional(),
      /**
       * Chat panels open while this stream is read; they count as open that long, and a minute
       * more.
       */
      panels: PanelIds.optional(),
    }),
    media: 'text/event-stream',
  }),
  getSnapshot: route({
    method: 'GET',
    path: '/api/snapshot',
    summary: 'The state of streams and the cursor to follow them from, out of one read',
    query: z.object({ streams: z.string().min(1).max(20_000) }),
    answer: z.object({ cursor: z.string(), state: z.record(z.string(), z.unknown()) }),
  }),
}
