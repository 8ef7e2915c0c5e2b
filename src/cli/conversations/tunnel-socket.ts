/** The WebSocket of a tunnel to `/acp`, and in words why there is none. */
import { WebSocket } from 'ws'
import { closeCodes } from '../../protocol/socket.ts'
import type { Connection } from '../connect.ts'
import { CommandFailure } from '../failure.ts'
import type { TunnelConnection } from './acp-tunnel.ts'

export interface TunnelSocket {
  send(text: string): void
  /** As if the connection had been lost. */
  drop(): void
  close(): void
}

/** A server that takes longer is tried again. */
const handshakeMs = 10_000
/** More than the longest message of a server. */
const maxPayload = 32 * 1024 * 1024

/** `find`: looks for the server and reads the credential anew. */
export function openTunnelSocket(
  find: () => Promise<Connection>,
  version: string,
  connection: TunnelConnection,
): TunnelSocket {
  let socket: WebSocket | undefined
  let isClosed = false
  let isOver = false
  const end = (why: string, isRefused = false): void => {
    if (isOver || isClosed) return
    isOver = true
    connection.onEnd(why, isRefused)
  }
  const open = ({ url, token }: Connection): void => {
    if (isClosed) return
    socket = new WebSocket(`${url.replace(/^http/, 'ws')}/acp`, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: handshakeMs,
      perMessageDeflate: false,
      maxPayload,
    })
    socket.on('open', connection.onOpen)
    socket.on('message', (data) => connection.onText(String(data)))
    socket.on('error', (error) => end(`The server at ${url} cannot be reached: ${error.message}`))
    socket.on('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy()
      end(refusalWords(statusCode, url, version), statusCode === 401)
    })
    socket.on('close', (code) => {
      const isRevoked = code === closeCodes.revoked
      end(isRevoked ? signInWords : `The server at ${url} has closed the connection.`, isRevoked)
    })
  }
  find().then(open, (error: unknown) => end(...wordsOf(error)))
  return {
    send: (text) => socket?.send(text),
    drop: () => socket?.terminate(),
    close: () => {
      isClosed = true
      socket?.terminate()
    },
  }
}

const signInWords =
  'The credential was not accepted. Set HOLDFAST_TOKEN, or name a file with --token-file, where ' +
  'this agent is configured.'

function refusalWords(status: number, url: string, version: string): string {
  if (status === 401) return signInWords
  if (status === 404)
    return (
      `The server at ${url} is older than this command (${version}) and knows no editors. Stop it, ` +
      'and start the version of this command.'
    )
  return `The server at ${url} refused the connection with status ${status}.`
}

const wordsOf = (error: unknown): [words: string, isRefused: boolean] => {
  if (!(error instanceof CommandFailure)) return [String(error), false]
  return [`${error.message} ${error.next}`, error.exit === 'refused']
}
