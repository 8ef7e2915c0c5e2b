/**
 * WebSocket endpoint: upgrades pass the same gate and credentials as requests; a refused upgrade is
 * answered as HTTP.
 */

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocketServer } from 'ws'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { ServerDoor, SocketAddress } from '../door.ts'
import type { Gate } from '../http/gate.ts'
import { answerProblemOn } from '../http/problem-answer.ts'
import type { Presented } from '../security/credentials.ts'
import { SocketConnection } from './connection.ts'

/** Larger messages close the connection with 1009 (SE8). */
const maxPayload = 8 * 1024 * 1024
/** Where events and the relay are. */
const relayPath = '/ws'
/** Time a client has to answer our close frame. */
const closeTimeout = 15_000

export function acceptSockets(
  server: Server,
  deps: ServerDependencies,
  gate: Gate,
  doors: readonly ServerDoor[],
): void {
  const onTheSocket = doors.flatMap(({ socket }) => (socket ? [socket] : []))
  const addresses = new Map<string, SocketAddress>([
    [
      relayPath,
      {
        load: async () => (accepted) => {
          new SocketConnection(accepted, deps, onTheSocket)
        },
      },
    ],
    ...doors.flatMap(({ sockets }) => Object.entries(sockets ?? {})),
  ])
  let loading: Promise<WebSocketServer> | undefined
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The client disconnected while it was being refused.
    socket.on('error', () => socket.destroy())
    loading ??= webSocketServer(deps, gate)
    upgrade(request, socket, head, loading).catch((error: unknown) => {
      answerProblemOn(socket, gate.refuse(error, request), gate.idOf(request), deps.https)
    })
  })

  async function upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    loaded: Promise<WebSocketServer>,
  ): Promise<void> {
    gate.check(request)
    const [path = '', query] = request.url?.split('?') ?? []
    const address = addresses.get(path)
    const token = address?.tokenParameter && new URLSearchParams(query).get(address.tokenParameter)
    const presented = await presentedBy(request, { path, token })
    if (!address) throw new Refusal('not_found', refusalText('socketsAtWs'))
    const accept = await address.load(deps)
    const webSockets = await loaded
    deps.connections.admit(presented)
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      accept({ webSocket, socket: socket as Socket, presented, id: gate.idOf(request) })
    })
  }

  function presentedBy(
    request: IncomingMessage,
    { path, token }: { readonly path: string; readonly token: string | null | undefined },
  ): Promise<Presented> {
    const { credentials } = deps
    if (typeof token === 'string') return credentials.ofDoor(request, token)
    return path === relayPath ? credentials.ofUpgrade(request) : credentials.of(request)
  }
}

/** Loads the WebSocket server with the first upgrade, to keep the start fast. */
async function webSocketServer(deps: ServerDependencies, gate: Gate): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  // A variable, because the types do not know closeTimeout yet.
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    closeTimeout,
  }
  const server = new WebSocketServer(options)
  server.on('wsClientError', (_, socket, request) => {
    const refusal = new Refusal('invalid_request', refusalText('noHandshake'))
    answerProblemOn(socket, gate.refuse(refusal, request), gate.idOf(request), deps.https)
  })
  return server
}
