/**
 * Reads from a server until the last thing it waits for has come. It looks at bytes and parses
 * nothing, so it is never what is waited for.
 */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

export interface Replay {
  readonly ms: number
  readonly bytes: Buffer
}

export function readUntil(port: number, request: string | Buffer, last: string): Promise<Replay> {
  const needle = Buffer.from(last)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let edge = Buffer.alloc(0)
    const from = performance.now()
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request))
    socket.on('error', reject)
    socket.on('end', () =>
      reject(
        new Error(
          `The server ended before ${last} came: ${Buffer.concat(chunks).subarray(0, 500)}`,
        ),
      ),
    )
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      // What is waited for may lie across two chunks.
      if (
        !chunk.includes(needle) &&
        !Buffer.concat([edge, chunk.subarray(0, needle.length)]).includes(needle)
      ) {
        edge = Buffer.from(chunk.subarray(-needle.length))
        return
      }
      const ms = performance.now() - from
      socket.removeAllListeners('end').destroy()
      resolve({ ms, bytes: Buffer.concat(chunks) })
    })
  })
}

export const getRequest = (port: number, path: string, token = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`

/** The handshake and, right behind it, one message in a masked frame. */
export function socketRequest(port: number, token: string, message: string): Buffer {
  const handshake =
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
    `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
  const text = Buffer.from(message)
  // RFC 6455: final text frame, masked with zeros, a length of 16 bits.
  const head = Buffer.from([0x81, 0x80 | 126, text.length >> 8, text.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat([Buffer.from(handshake), head, text])
}
