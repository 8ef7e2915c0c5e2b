/** Where the agent is: connecting, waited for, ready, thinking, gone, or unknown because the server is away (CH9). */
import { useEffect, useState } from 'react'
import type { AgentSession } from '../../../src/protocol/agent-session.ts'
import { type Connection, useConnection } from '../live/connection.ts'
import { useWords, useWriting } from '../messages/messages.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import type { Called } from './use-chat-panel.ts'

interface PresenceProps {
  readonly agentSession: AgentSession | null | undefined
  /** Whether it was handed something that it has not answered. */
  readonly thinking: boolean
  /** Undefined when nobody called it. */
  readonly called: Called | undefined
  /** When somebody last wrote to it, by the server's clock. */
  readonly askedAt: string | undefined
}

type Where =
  | { readonly is: 'connecting' | 'ready' | 'thinking' | 'leaving' | 'away' }
  | { readonly is: 'offline'; readonly since: number | undefined }
  | { readonly is: 'waiting'; readonly since: number }
  | { readonly is: 'left'; readonly at: number }

const dots: Record<Where['is'], LiveState> = {
  connecting: 'starting',
  waiting: 'starting',
  leaving: 'starting',
  away: 'starting',
  left: 'starting',
  ready: 'ready',
  thinking: 'working',
  offline: 'failed',
}

function whereIs({ agentSession, thinking, called, askedAt }: PresenceProps, connection: Connection): Where {
  if (connection.state === 'offline') return { is: 'offline', since: connection.since }
  if (connection.state !== 'live' || agentSession === undefined) return { is: 'connecting' }
  // One that is here for a task may answer too.
  if (thinking && agentSession === null) return { is: 'thinking' }
  if (agentSession?.state === 'active') return { is: thinking ? 'thinking' : 'ready' }
  if (agentSession?.state === 'terminating') return { is: 'leaving' }
  const leftAt = agentSession?.endedAt
  if (!leftAt) return called ? { is: 'waiting', since: called.at } : { is: 'away' }
  if (called?.before === agentSession.id) return { is: 'waiting', since: called.at }
  return askedAt && askedAt > leftAt ? { is: 'waiting', since: Date.parse(askedAt) } : { is: 'left', at: Date.parse(leftAt) }
}

export function Presence(props: PresenceProps) {
  const { chat, connection: words } = useWords()
  const writing = useWriting()
  const where = whereIs(props, useConnection())
  const hint = where.is === 'waiting' ? chat.state.waitingHint : where.is === 'left' ? chat.state.leftHint : undefined
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm text-quiet" data-presence={where.is}>
      <StateDot state={dots[where.is]} />
      {/* The seconds tick for the eye only. */}
      <span role="status">
        {where.is === 'offline' && (where.since === undefined ? words.never : words.offline(writing.clock(where.since)))}
        {where.is === 'left' && chat.state.left(writing.clock(where.at))}
        {where.is === 'waiting' && <Waited since={where.since} />}
        {where.is !== 'offline' && where.is !== 'left' && where.is !== 'waiting' && chat.state[where.is]}
      </span>
      {hint && <span className="text-faint">{hint}</span>}
    </p>
  )
}

function Waited({ since }: { since: number }) {
  const { chat } = useWords()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span aria-live="off" className="tabular-nums">
      {chat.state.waiting(chat.seconds(Math.max(0, Math.floor((now - since) / 1000))))}
    </span>
  )
}
