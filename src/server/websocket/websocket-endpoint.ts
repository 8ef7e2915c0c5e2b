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
import type { SocketDoor } from '../door.ts'
import type { Gate } from '../http/gate.ts'
import { answerProblemOn } from '../http/problem-answer.ts'
import { SocketConnection } from './connection.ts'

/** Larger messages close the connection with 1009 (SE8). */
const maxPayload = 8 * 1024 * 1024
/** Time a client has to answer our close frame. */
const closeTimeout = 15_000

export function acceptSockets(
  server: Server,
  deps: ServerDependencies,
  gate: Gate,
  doors: readonly SocketDoor[],
): void {
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
    const isHere = request.url?.split('?', 1)[0] === '/ws'
    const presented = await (isHere
      ? deps.credentials.ofUpgrade(request)
      : deps.credentials.of(request))
    if (!isHere) throw new Refusal('not_found', refusalText('socketsAtWs'))
    const webSockets = await loaded
    deps.connections.admit(presented)
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      new SocketConnection(webSocket, socket as Socket, presented, gate.idOf(request), deps, doors)
    })
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
