/** A channel as readers see it. What a node said of it counts while that node holds it; otherwise nobody serves it. */
import type { ChannelName } from '../domain/channel/key.ts'
import { askingLifetimeMs } from '../domain/channel/pairing.ts'
import { type Instant, later } from '../domain/instant.ts'
import type { Channel } from '../protocol/channel.ts'
import { routeIn } from '../store/queries/channel-chats.ts'
import { type ChannelRow, selectChannel, selectChannelCounts } from '../store/queries/channels.ts'
import type { Reader } from '../store/store.ts'

export async function channelView(reader: Reader, channel: ChannelName, now: Instant): Promise<Channel> {
  const row = await reader.first(selectChannel, { channel })
  const counts = await reader.first(selectChannelCounts, { channel, askedAfter: later(now, -askingLifetimeMs) })
  return {
    ...standingOf(row, now),
    channel,
    lastInAt: row?.last_in_at ?? null,
    lastOutAt: row?.last_out_at ?? null,
    waiting: Number(counts?.waiting ?? 0),
    chats: Number(counts?.paired ?? 0),
    asking: Number(counts?.asking ?? 0),
  }
}

function standingOf(row: ChannelRow | undefined, now: Instant) {
  const isHeld = row?.held_until != null && row.held_until > now
  return {
    state: row && isHeld ? row.state : ('off' as const),
    since: row && isHeld ? row.since : null,
    trouble: row && isHeld ? row.trouble : null,
    name: row?.name ?? null,
    link: row?.link ?? null,
    route: routeIn(row),
  }
}
