/** Routes for operators, monitoring and first use (HT3, HT5). */
import * as z from 'zod'
import type { Route } from '../route.ts'
import { maxCursorLength } from '../socket.ts'
import { PanelIds } from '../text.ts'

export const systemRoutes = {
  getHealth: {
    method: 'GET',
    path: '/healthz',
    scope: 'nobody',
    summary: 'Whether the server is alive',
    status: 200,
    answer: z.object({ status: z.literal('ok'), version: z.string() }),
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    scope: 'nobody',
    summary: 'Whether the store can be read and written, so that requests can be served',
    status: 200,
    answer: z.object({ status: z.literal('ready') }),
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    scope: 'read',
    summary: 'Figures for Prometheus',
    status: 200,
    media: 'text/plain; version=0.0.4; charset=utf-8',
  },
  getDiskUse: {
    method: 'GET',
    path: '/api/disk',
    scope: 'read',
    summary:
      'What the logs of the coordinator beside the server take on the disk, and can take at most: older lines go by themselves',
    status: 200,
    answer: z.object({ logs: z.object({ bytes: z.int(), atMostBytes: z.int() }) }),
  },
  getOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    scope: 'anybody',
    summary: 'This list of routes as an OpenAPI 3.1 document',
    status: 200,
    media: 'application/json; charset=utf-8',
  },
  getDocs: {
    method: 'GET',
    path: '/api/docs',
    scope: 'anybody',
    summary: 'This list of routes, and every error, for people',
    status: 200,
    media: 'text/html; charset=utf-8',
  },
  getDocsStyle: {
    method: 'GET',
    path: '/api/docs/style.css',
    scope: 'anybody',
    summary: 'The looks of `/api/docs`',
    status: 200,
    media: 'text/css; charset=utf-8',
  },
} as const satisfies Record<string, Route>

/** Live changes (HT6) and the state they start from. */
export const eventRoutes = {
  watchEvents: {
    method: 'GET',
    path: '/api/events',
    scope: 'read',
    summary:
      'Follow streams as server-sent events; Last-Event-ID or `after` resumes. A comma inside a name is %2C, a percent sign %25',
    query: z.object({
      /** Comma-separated: `home,project:ID`; see stream-list.ts. */
      streams: z.string().min(1).max(20_000),
      after: z.string().max(maxCursorLength).optional(),
      /** Chat panels open while this stream is read; they count as open that long, and a minute more. */
      panels: PanelIds.optional(),
    }),
    status: 200,
    media: 'text/event-stream',
  },
  getSnapshot: {
    method: 'GET',
    path: '/api/snapshot',
    scope: 'read',
    summary: 'The state of streams and the cursor to follow them from, out of one read',
    query: z.object({ streams: z.string().min(1).max(20_000) }),
    status: 200,
    answer: z.object({ cursor: z.string(), state: z.record(z.string(), z.unknown()) }),
  },
} as const satisfies Record<string, Route>
