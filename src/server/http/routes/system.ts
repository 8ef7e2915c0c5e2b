/** Health, readiness, figures and documentation (HT3, HT5). What only newcomers ask for is loaded when they do. */
import { Refusal } from '../../../domain/errors.ts'
import type { systemRoutes } from '../../../protocol/routes/system.ts'
import { countProcesses } from '../../../services/count-processes.ts'
import type { HandlersOf } from '../handler.ts'
import { health } from '../health.ts'

export const systemHandlers: HandlersOf<typeof systemRoutes> = {
  getHealth: async ({ doors }) => health(doors.version),
  getReadiness: async ({ doors }) => {
    if (doors.closing) throw new Refusal('shutting_down')
    await doors.store.check()
    return { status: 'ready' }
  },
  getMetrics: async ({ doors }) => {
    const { metricsText } = await import('../metrics.ts')
    return metricsText({
      version: doors.version,
      doors: doors.figures,
      store: doors.store.figures(),
      openWebSockets: doors.connections.count('websocket'),
      openEventStreams: doors.connections.count('event-stream'),
      followedStreams: doors.tails.size,
      feedWaitingBytes: doors.connections.waitingBytes,
      heldCalls: doors.agents.held.size,
      // A store that fails is no reason to say nothing at all.
      counts: await doors.store.query(countProcesses, {}).catch(() => ({ processes: null, coordinators: null })),
    })
  },
  getDiskUse: async ({ doors }) => ({ logs: doors.files.logs() }),
  getOpenApi: async ({ doors }) => {
    const { openApiText } = await import('../openapi.ts')
    return openApiText(doors.version)
  },
  getDocs: async ({ doors }) => {
    const { docsPage } = await import('../docs-page.ts')
    return docsPage(doors.version)
  },
  getDocsStyle: async () => {
    const { docsStyle } = await import('../docs-style.ts')
    return docsStyle
  },
}
