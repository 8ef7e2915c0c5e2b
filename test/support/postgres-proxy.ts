/**
 * Stands between a node and PostgreSQL and does what networks do: loses notifications, cuts
 * connections, and cuts exactly around a COMMIT. Speaks just enough of the protocol to see where a
 * message ends.
 */
import { createServer, connect as dial, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** NotificationResponse. */
const notification = 'A'.charCodeAt(0)

/**
 * Cut before PostgreSQL has seen the COMMIT, or after it has done it and before the answer comes
 * back.
 */
type CutAt = 'before-commit' | 'after-commit'

export interface PostgresProxy {
  readonly url: string
  /** How many notifications were lost so far. */
  readonly lost: () => number
  loseNotifications(): void
  /** The next transaction that commits is cut off. Resolves when that has happened. */
  cutNext(at: CutAt): Promise<void>
  /** Closes every connection; new ones are accepted. */
  cutAll(): void
}

export async function proxyTo(url: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let losing = false
  let lost = 0
  let cut: { at: CutAt; done: () => void } | undefined

  const server = createServer((node) => {
    const postgres = dial(Number(port), hostname)
    const end = (): void => {
      node.destroy()
      postgres.destroy()
    }
    for (const socket of [node, postgres]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    let cutOnAnswer: (() => void) | undefined
    node.on('data', (bytes: Buffer) => {
      if (cut && bytes.includes('hf_commit')) {
        const { at, done } = cut
        cut = undefined
        if (at === 'before-commit') {
          end()
          return done()
        }
        cutOnAnswer = done
      }
      postgres.write(bytes)
    })
    const filter = messages((type, message) => {
      if (losing && type === notification) {
        lost++
        return
      }
      if (!node.destroyed) node.write(message)
    })
    postgres.on('data', (bytes: Buffer) => {
      if (cutOnAnswer) {
        end()
        return cutOnAnswer()
      }
      filter(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const through = new URL(url)
  through.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    url: through.href,
    lost: () => lost,
    loseNotifications: () => {
      losing = true
    },
    cutNext: (at) =>
      new Promise((done) => {
        cut = { at, done }
      }),
    cutAll: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Takes a stream of bytes apart into messages: one byte of type, four of length. */
function messages(each: (type: number, message: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5 && rest.length >= rest.readInt32BE(1) + 1) {
      const length = rest.readInt32BE(1) + 1
      each(rest[0] ?? 0, rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  }
}
