/**
 * A connection to Discord's gateway. The library keeps the session and the number of the newest
 * event; here the number of the last one that was handled counts, so that a session that is resumed
 * brings what was not stored. The library would connect again by itself, at once and for ever: once
 * a connection is over it waits for a session that never comes.
 */
import type { REST } from '@discordjs/rest'
import { CloseCodes, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws'
import * as z from 'zod'
import { Connection } from '../../adapters/connection.ts'
import { closedFor, unreachable } from './discord-failures.ts'

/** Servers and channels, messages in them, direct messages, and their contents. */
const intents = 37_377 as TheirOptions['intents']
const readyWithinMs = 30_000
/** How long a closing frame may take. */
const closeWithinMs = 2000

type TheirOptions = ConstructorParameters<typeof WebSocketManager>[0]
type TheirInfo = Awaited<ReturnType<TheirOptions['retrieveSessionInfo'] & {}>>

/** What a connection is resumed with: the library's, with the number of the last event handled. */
export const Resumption = z.looseObject({ sequence: z.number() })
export type Resumption = z.output<typeof Resumption>

export interface Dispatch {
  readonly t: string
  readonly s: number
  readonly d: unknown
}

interface GatewayOptions {
  readonly token: string
  readonly rest: REST
  readonly resumption: Resumption | null
  /** Handles one event, in order; the next waits for it. */
  readonly handle: (event: Dispatch, resumption: Resumption | null) => Promise<void>
  /** Runs once messages can come, before the first is handled. */
  readonly ready: () => Promise<void>
  readonly signal: AbortSignal
}

/** Resolves when the connection ended and may be made again at once, with the session left. */
export async function serveGateway(options: GatewayOptions): Promise<Resumption | null> {
  const { token, rest, handle, ready, signal } = options
  const connection = new Connection()
  let resumption = options.resumption
  let isOver = false
  let isReady = false
  const never = new Promise<never>(() => {})
  const manager = new WebSocketManager({
    token,
    rest,
    intents,
    shardCount: 1,
    handshakeTimeout: readyWithinMs,
    helloTimeout: readyWithinMs,
    readyTimeout: readyWithinMs,
    retrieveSessionInfo: () => (isOver ? never : (resumption as TheirInfo)),
    updateSessionInfo: (_, info) => {
      if (isOver) return
      // A number that is only newer is not yet ours.
      if (info === null) resumption = null
      else if (!resumption || !isSame({ ...info }, resumption)) resumption = { ...info }
    },
  })
  const opened = () => {
    if (isReady) return
    isReady = true
    ready().then(
      () => connection.open(),
      (error: unknown) => connection.fail(error),
    )
  }
  manager.on(WebSocketShardEvents.Ready, opened)
  manager.on(WebSocketShardEvents.Resumed, opened)
  manager.on(WebSocketShardEvents.Dispatch, (event) =>
    connection.add(async () => {
      const { s: sequence } = event
      const reached = resumption && {
        ...resumption,
        sequence: Math.max(resumption.sequence, sequence),
      }
      await handle(event as Dispatch, reached)
      if (reached && resumption && isSame(reached, resumption)) resumption = reached
    }),
  )
  manager.on(WebSocketShardEvents.Error, () => {})
  manager.on(WebSocketShardEvents.SocketError, () => {})
  manager.on(WebSocketShardEvents.Closed, (code) => {
    isOver = true
    const failure = closedFor(code)
    if (failure) connection.fail(failure)
    else if (isReady || code === CloseCodes.Resuming) connection.end()
    else if (options.resumption !== null) {
      // What cannot be resumed is begun anew; what was missed is fetched.
      resumption = null
      connection.end()
    } else connection.fail(unreachable(String(code)))
  })
  const stop = () => connection.end()
  signal.addEventListener('abort', stop, { once: true })
  try {
    manager.connect().catch((error: unknown) => connection.fail(error))
    await connection.ended
  } finally {
    signal.removeEventListener('abort', stop)
    isOver = true
    const closing = Promise.resolve(manager.destroy({ code: CloseCodes.Resuming })).catch(() => {})
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, closeWithinMs)
    await Promise.race([closing, late.promise])
    clearTimeout(timer)
  }
  return resumption
}

/** Whether both are the same session, whatever event it has come to. */
const isSame = (one: Resumption, other: Resumption): boolean =>
  JSON.stringify({ ...one, sequence: 0 }) === JSON.stringify({ ...other, sequence: 0 })
