/** Shows whether a channel is connected, by shape and word. */
import type { Channel } from '../../../src/protocol/channels/channel.ts'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useChannelWords } from './words.ts'

const dots: Record<Channel['state'], LiveState> = {
  off: 'starting',
  connecting: 'starting',
  connected: 'ready',
  failing: 'failed',
}

export function ChannelState({ channel: { state } }: { channel: Channel }) {
  const words = useChannelWords()
  return (
    <span className="inline-flex items-center gap-2" data-channel={state}>
      <StateDot state={dots[state]} />
      {words.states[state]}
    </span>
  )
}
