/**
 * Which run of which server serves a channel. The node that has the duties (SC5) takes it, whoever had it before, and renews its hold
 * while it serves; one that was replaced is told so and sends nothing more. A hold that has run out shows that nobody serves it.
 */
import type { ChannelName } from '../domain/channel/key.ts'
import { systemId } from '../domain/credential/who.ts'
import { later } from '../domain/instant.ts'
import { home } from '../domain/stream/name.ts'
import { updateChannel } from '../store/queries/channels.ts'
import { defineUseCase } from '../store/store.ts'
import { tellChannel } from './channel-record.ts'
import { openChannel } from './chat-record.ts'

interface Hold {
  readonly channel: ChannelName
  /** This run of this server. */
  readonly holder: string
  /** Takes it from whoever has it; otherwise it is renewed, if it is still ours. */
  readonly take: boolean
  /** 0 gives it back. */
  readonly forMs: number
}

export const holdChannel = defineUseCase({
  name: 'hold-channel',
  streams: () => [home],
  run: async (tx, { channel, holder, take, forMs }: Hold, { now }): Promise<{ held: boolean }> => {
    const row = await openChannel(tx, channel, now)
    const isOurs = row.holder === holder
    if (!isOurs && !take) return { held: false }
    const held = { ...row, holder: forMs === 0 ? null : holder, held_until: forMs === 0 ? null : later(now, forMs) }
    await tx.write(updateChannel, isOurs ? held : { ...held, state: 'connecting', trouble: null, since: now })
    if (!isOurs || forMs === 0) await tellChannel(tx, channel, systemId, now)
    return { held: forMs > 0 }
  },
})
