/**
 * Says since when the page no longer shows the server's current state, and that it is reconnecting.
 */
import { useLayoutEffect, useRef } from 'react'
import { type Connection, useConnection } from '../live/connection.ts'
import { reconnectNow } from '../live/live.ts'
import { useHome } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { useWaitStage } from '../parts/wait-stage.ts'
import type { Messages } from '../translations/en.ts'
import { useWords, useWriting } from '../translations/messages.tsx'
import { type LiveState, StateDot } from './state-dot.tsx'

/**
 * Along the top while offline; nothing while all is well. A connection that is back within a moment
 * was never worth a word.
 */
export function ConnectionStrip() {
  const words = useWords()
  const connection = useConnection()
  const home = useHome()
  const writing = useWriting()
  const offline = connection.state === 'offline'
  const shown = useWaitStage(offline) !== 'nothing' && offline
  const strip = useRef<HTMLDivElement>(null)
  // Pages as high as the screen leave it its room (parts/page.tsx): where one writes stays in
  // sight.
  useLayoutEffect(() => {
    const place = strip.current
    if (!shown || !place) return
    const root = document.documentElement.style
    const observer = new ResizeObserver(() =>
      root.setProperty('--strip', `${place.offsetHeight}px`),
    )
    observer.observe(place)
    return () => {
      observer.disconnect()
      root.removeProperty('--strip')
    }
  }, [shown])
  return (
    <div ref={strip} role="status" className="sticky top-0 z-20">
      {shown && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-warn-wash px-4 py-1.5 text-warn md:px-8">
          <span className="font-medium">
            {connection.since === undefined
              ? words.connection.never
              : words.connection.offline(writing.clock(connection.since))}
          </span>
          {home && <span>{words.connection.kept}</span>}
          <span>{words.connection.trying}</span>
          <Button className="ml-auto" onClick={reconnectNow}>
            {words.connection.now}
          </Button>
        </div>
      )}
    </div>
  )
}

const states: Record<Connection['state'], LiveState> = {
  connecting: 'starting',
  live: 'ready',
  offline: 'failed',
  'signed-out': 'failed',
}

function connectionWord(
  connection: Connection,
  words: Messages,
  clock: (at: number) => string,
): string {
  if (connection.state === 'live') return words.connection.live
  if (connection.state === 'connecting') return words.connection.connecting
  if (connection.state === 'signed-out') return words.signIn.signedOut
  return connection.since === undefined
    ? words.connection.never
    : words.connection.offline(clock(connection.since))
}

export function ConnectionState() {
  const words = useWords()
  const connection = useConnection()
  const writing = useWriting()
  return (
    <span className="inline-flex items-center gap-2">
      <StateDot state={states[connection.state]} />
      {connectionWord(connection, words, writing.clock)}
    </span>
  )
}

/** The connection in the rail: a dot with a short word. */
export function ConnectionDot() {
  const words = useWords()
  const connection = useConnection()
  const writing = useWriting()
  return (
    <span
      className="ml-auto inline-flex items-center gap-1.5 px-2 text-xs text-faint"
      title={connectionWord(connection, words, writing.clock)}
    >
      <StateDot state={states[connection.state]} />
      {connection.state === 'live' ? words.connection.live : ''}
      {connection.state === 'offline' && connection.since !== undefined
        ? writing.clock(connection.since)
        : ''}
    </span>
  )
}
