/** Routes for operators, monitoring and first use (HT3, HT5). */
import * as z from 'zod'
import { route } from '../route.ts'
import { maxCursorLength } from '../socket.ts'
import { PanelIds } from '../text.ts'

export const systemRoutes = {
  getHealth: route('GET /healthz', 'nobody', {
    answer: z.object({ status: z.literal('ok'), version: z.string() }),
  })`
    Whether the server is alive`,
  getReadiness: route('GET /readyz', 'nobody', {
    answer: z.object({ status: z.literal('ready') }),
  })`
    Whether the store can be read and written, so that requests can be served`,
  getMetrics: route('GET /metrics', 'read', {
    media: 'text/plain; version=0.0.4; charset=utf-8',
  })`Figures for Prometheus`,
  getDiskUse: route('GET /api/disk', 'read', {
    answer: z.object({ logs: z.object({ bytes: z.int(), atMostBytes: z.int() }) }),
  })`
    What the logs of the coordinator beside the server take on the disk, and can take at most: older lines go by themselves`,
  getOpenApi: route('GET /api/openapi.json', 'anybody', {
    media: 'application/json; charset=utf-8',
  })`
    This list of routes as an OpenAPI 3.1 document`,
  getDocs: route('GET /api/docs', 'anybody', { media: 'text/html; charset=utf-8' })`
    This list of routes, and every error, for people`,
  getDocsStyle: route('GET /api/docs/style.css', 'anybody', {
    media: 'text/css; charset=utf-8',
  })`The looks of \`/api/docs\``,
}

/** Live changes (HT6) and the state they start from. */
export const eventRoutes = {
  watchEvents: route('GET /api/events', 'read', {
    query: z.object({
      /** Comma-separated: `home,project:ID`; see stream-list.ts. */
      streams: z.string().min(1).max(20_000),
      after: z.string().max(maxCursorLength).optional(),
      /** Chat panels open while this stream is read; they count as open that long, and a minute more. */
      panels: PanelIds.optional(),
    }),
    media: 'text/event-stream',
  })`
    Follow streams as server-sent events; Last-Event-ID or \`after\` resumes. A comma inside a name is %2C, a percent sign %25`,
  getSnapshot: route('GET /api/snapshot', 'read', {
    query: z.object({ streams: z.string().min(1).max(20_000) }),
    answer: z.object({ cursor: z.string(), state: z.record(z.string(), z.unknown()) }),
  })`
    The state of streams and the cursor to follow them from, out of one read`,
}
