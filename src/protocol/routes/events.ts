/** Live changes (HT6) and the state they start from. */
import * as z from 'zod'
import type { Route } from '../route.ts'
import { maxCursorLength } from '../socket.ts'
import { PanelIds } from '../text.ts'

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
      /** Chat panels that are open where this stream is read: they count as open for as long as it lasts, and a minute more. */
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
