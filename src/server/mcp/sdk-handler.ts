/**
 * The official SDK, for everything that is not a plain call: handshakes, lists, discovery, batches, and whatever is wrong in some
 * way. Loaded with the first such request (SP1). It keeps nothing between requests, so a restart costs a client nothing (MC1).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { type AuthInfo, createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { Doors } from '../doors.ts'
import type { Presented } from '../security/credentials.ts'
import { instructions } from './instructions.ts'
import { runTool } from './run-tool.ts'
import type { ServerInfo } from './tool-answer.ts'
import { listedTools, toolNamed } from './tool-list.ts'

export interface SdkRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: unknown
  readonly presented: Presented
  readonly requestId: string
}

export interface SdkHandler {
  handle(request: SdkRequest): Promise<void>
  close(): Promise<void>
}

export function createSdkHandler(doors: Doors, serverInfo: ServerInfo): SdkHandler {
  const onerror = (error: Error): void => doors.logger.debug({ err: error }, 'An MCP request was refused')
  const handler = createMcpHandler(() => serverFor(doors, serverInfo), { onerror })
  const nodeHandler = toNodeHandler(handler, { onerror })
  return {
    handle: ({ request, response, body, presented, requestId }) => {
      // The door has checked the credential; the SDK only carries it to the tool.
      const auth: AuthInfo = {
        token: '',
        clientId: presented.who.id,
        scopes: [...presented.who.scopes],
        extra: { presented, requestId },
      }
      return nodeHandler(Object.assign(request, { auth }), response, body)
    },
    close: () => handler.close(),
  }
}

/** The low-level server, with lists made beforehand: a request costs no registration of tools. */
function serverFor(doors: Doors, serverInfo: ServerInfo): Server {
  const server = new Server(serverInfo, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler('tools/list', () => ({ tools: listedTools() }))
  server.setRequestHandler('tools/call', ({ params }, { http, mcpReq }) => {
    const tool = toolNamed(params.name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    const carried = http?.authInfo?.extra as { presented: Presented; requestId: string } | undefined
    if (!carried) throw new ProtocolError(ProtocolErrorCode.InternalError, 'The credential was lost on its way')
    const { presented, requestId } = carried
    return runTool(tool, params.arguments, { doors, presented, gone: () => mcpReq.signal }, requestId)
  })
  return server
}
