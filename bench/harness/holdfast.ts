/**
 * A Holdfast of its own on a folder, and its owner on one connection: where a measurement of the
 * whole server begins.
 */
import { KeepAlive, requestBytes } from './keep-alive.ts'
import {
  holdfastCommand,
  ownerTokenIn,
  type ServerProcess,
  startProcess,
} from './server-process.ts'

interface OwnHoldfast {
  readonly server: ServerProcess
  readonly token: string
  readonly person: KeepAlive
  /** What the owner asks, and the answer. */
  asked<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
}

export async function openHoldfast(data: string, watched: boolean): Promise<OwnHoldfast> {
  const server = await startProcess(holdfastCommand(data), { path: '/readyz', watched })
  const token = ownerTokenIn(data)
  const person = await KeepAlive.open(server.port)
  return {
    server,
    token,
    person,
    asked: (method, path, body) => person.json(requestBytes(method, path, body, { token })),
  }
}
