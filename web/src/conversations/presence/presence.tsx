/** Says in words where the agent of a chat is, with the waiting time (CH9). */

import { ElapsedTime } from '../../parts/elapsed-time.tsx'
import type { LiveState } from '../../shell/state-dot.tsx'
import { useWords, useWriting } from '../../translations/messages.tsx'
import type { AgentPresence } from './agent-presence.ts'

const dots: Record<AgentPresence['is'], LiveState> = {
  connecting: 'starting',
  waiting: 'starting',
  starting: 'starting',
  leaving: 'starting',
  away: 'ended',
  left: 'ended',
  ready: 'idle',
  thinking: 'working',
  asking: 'waiting',
  held: 'waiting',
  unreachable: 'waiting',
  noCoordinator: 'waiting',
  failed: 'failed',
  offline: 'failed',
}

export const markOf = ({ is }: AgentPresence): LiveState => dots[is]

interface PresenceProps {
  readonly presence: AgentPresence
  /** What came last in the running turn. */
  readonly step?: string | undefined
  /** At its vendor's limit, and at nothing else. */
  readonly limited?: boolean
  /** Whether its last turn has ended without an answer. */
  readonly failed?: boolean
}

export function Presence({ presence, step, limited = false, failed = false }: PresenceProps) {
  const { console: words } = useWords()
  const hint = useHint(presence)
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2" data-presence={presence.is}>
      <span role="status">
        {limited ? (
          words.limitReached
        ) : failed && presence.is === 'ready' ? (
          words.lastFailed
        ) : (
          <PresenceText presence={presence} step={step} />
        )}
      </span>
      {hint && <span className="text-faint">{hint}</span>}
    </p>
  )
}

function PresenceText({ presence, step }: PresenceProps) {
  const { chat, connection } = useWords()
  const writing = useWriting()
  switch (presence.is) {
    case 'offline':
      return presence.since === undefined
        ? connection.never
        : connection.offline(writing.clock(presence.since))
    case 'left':
    case 'unreachable':
      return chat.state[presence.is](writing.clock(presence.at))
    case 'waiting':
    case 'starting':
      return <ElapsedTime since={presence.since} format={chat.state[presence.is]} />
    case 'thinking':
      return chat.state[
        step === 'text' ? 'writing' : step === 'tool' || step === 'plan' ? 'working' : 'thinking'
      ]
    default:
      return chat.state[presence.is]
  }
}

function useHint(presence: AgentPresence): string | undefined {
  const { state } = useWords().chat
  if (presence.is === 'starting') return state.startingSteps[presence.step]
  if (presence.is === 'waiting') return state.waitingHint
  if (presence.is === 'left') return state.leftHint
  return presence.is === 'unreachable' ? state.unreachableHint : undefined
}
