/**
 * MCP endpoint (MC1): Streamable HTTP at `/mcp`, behind the same gate. Its code is loaded with the
 * first request (SP1).
 */
import type { FastifyInstance } from 'fastify'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { Door } from '../door.ts'
import type { McpRequests } from './mcp-requests.ts'

function registerMcp(app: FastifyInstance, deps: ServerDependencies): void {
  let requests: Promise<McpRequests> | undefined
  const load = (): Promise<McpRequests> => {
    requests ??= import('./mcp-requests.ts').then((loaded) => new loaded.McpRequests(deps))
    return requests
  }
  app.route({
    // The SDK answers unsupported methods.
    method: ['POST', 'GET', 'DELETE', 'PUT', 'PATCH'],
    url: '/mcp',
    config: { lasting: true },
    handler: async (request, reply) => (await load()).answer(request, reply),
  })
  app.addHook('preClose', async () => {
    await (await requests)?.close()
  })
}

export const mcpDoor: Door = { http: registerMcp }
