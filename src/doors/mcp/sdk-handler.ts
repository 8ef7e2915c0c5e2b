/**
 * The official SDK, for everything but plain tool calls: handshakes, lists, discovery, batches and
 * invalid requests. Loaded with the first such request (SP1). Keeps nothing between requests (MC1).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  type AuthInfo,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import { mask } from '../../platform/log/mask.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { refusalOf } from '../../server/http/problem-answer.ts'
import type { Presented } from '../../server/security/credentials.ts'
import { instructionsFor } from './instructions.ts'
import { nextStepFor } from './next-steps.ts'
import { listResources, readResource, resourceTemplates } from './resources.ts'
import { runTool } from './run-tool.ts'
import type { ServerInfo } from './tool-answer.ts'
import { listedTools, toolNamed, toolsOf } from './tool-list.ts'

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

export function createSdkHandler(deps: ServerDependencies, serverInfo: ServerInfo): SdkHandler {
  const onerror = (error: Error): void => deps.logger.debug({ err: error }, 'mcp request refused')
  const handler = createMcpHandler(
    ({ authInfo }) => serverFor(deps, serverInfo, carriedBy(authInfo).presented),
    { onerror },
  )
  const nodeHandler = toNodeHandler(handler, { onerror })
  return {
    handle: ({ request, response, body, presented, requestId }) => {
      // The credential is already checked; the SDK only passes it to the tool.
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

/** Builds the low-level server with prepared lists, so a request registers no tools. */
function serverFor(deps: ServerDependencies, serverInfo: ServerInfo, { who }: Presented): Server {
  const server = new Server(serverInfo, {
    capabilities: { tools: {}, resources: {} },
    instructions: instructionsFor(who),
  })
  server.setRequestHandler('tools/list', async (_, { http }) => ({
    tools: listedTools(await toolsOf(deps.app, carriedBy(http?.authInfo).presented)),
  }))
  server.setRequestHandler('tools/call', ({ params }, { http, mcpReq }) => {
    const tool = toolNamed(params.name)
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    const { presented, requestId } = carriedBy(http?.authInfo)
    return runTool(
      tool,
      params.arguments,
      { deps, presented, gone: () => mcpReq.signal },
      requestId,
    )
  })
  server.setRequestHandler('resources/list', ({ params }, { http }) => {
    const carried = carriedBy(http?.authInfo)
    return toProtocolErrors(deps, carried, () =>
      listResources(deps.app, carried.presented.who, params?.cursor),
    )
  })
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { http }) => {
    const carried = carriedBy(http?.authInfo)
    const found = await toProtocolErrors(deps, carried, () =>
      readResource(deps.app, carried.presented.who, uri),
    )
    if (!found) throw new ResourceNotFoundError(uri)
    return found
  })
  return server
}

interface Carried {
  readonly presented: Presented
  readonly requestId: string
}

function carriedBy(auth: AuthInfo | undefined): Carried {
  const carried = auth?.extra as Carried | undefined
  if (!carried)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'The credential was lost on its way')
  return carried
}

/**
 * Converts a refusal to a protocol error with our code, because resources have no results with
 * `isError`.
 */
async function toProtocolErrors<T>(
  { logger, figures }: ServerDependencies,
  { requestId }: Carried,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const refusal = refusalOf(error, requestId, logger)
    figures.refusedWith(refusal.code)
    const ours =
      refusal.code === 'internal'
        ? ProtocolErrorCode.InternalError
        : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(ours, mask(refusal.message), {
      code: refusal.code,
      next: nextStepFor(refusal.code),
    })
  }
}
