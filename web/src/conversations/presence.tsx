/** Says in a line where the agent is, with its dot and how long one has waited (CH9). */

import { ElapsedTime } from '../parts/elapsed-time.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import type { AgentPresence } from './agent-presence.ts'

const dots: Record<AgentPresence['is'], LiveState> = {
  connecting: 'starting',
  waiting: 'starting',
  starting: 'starting',
  leaving: 'starting',
  away: 'starting',
  left: 'starting',
  ready: 'ready',
  thinking: 'working',
  asking: 'waiting',
  held: 'waiting',
  unreachable: 'waiting',
  noCoordinator: 'waiting',
  failed: 'failed',
  offline: 'failed',
}

export function Presence({ where }: { where: AgentPresence }) {
  const hint = useHint(where)
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm text-quiet" data-presence={where.is}>
      <StateDot state={dots[where.is]} />
      <span role="status">
        <Said where={where} />
      </span>
      {hint && <span className="text-faint">{hint}</span>}
    </p>
  )
}

function Said({ where }: { where: AgentPresence }) {
  const { chat, connection } = useWords()
  const writing = useWriting()
  switch (where.is) {
    case 'offline':
      return where.since === undefined ? connection.never : connection.offline(writing.clock(where.since))
    case 'left':
    case 'unreachable':
      return chat.state[where.is](writing.clock(where.at))
    case 'waiting':
    case 'starting':
      return <ElapsedTime since={where.since} format={chat.state[where.is]} />
    default:
      return chat.state[where.is]
  }
}

function useHint(where: AgentPresence): string | undefined {
  const { state } = useWords().chat
  if (where.is === 'starting') return state.startingSteps[where.step]
  if (where.is === 'waiting') return state.waitingHint
  if (where.is === 'left') return state.leftHint
  return where.is === 'unreachable' ? state.unreachableHint : undefined
}
