/** Builds the public view of a channel and announces its changes. */
import type { ChannelName } from '../../domain/channels/key.ts'
import { askingLifetimeMs } from '../../domain/channels/pairing.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { home } from '../../domain/stream-name.ts'
import type { Channel } from '../../protocol/channels/channel.ts'
import { type ChannelRow, routeIn, selectChannelCounts } from '../../store/channels/channels.ts'
import { noticeFrom } from '../../store/fields.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** A reported state counts while its node holds the channel. Otherwise the channel is off. */
export async function channelView(reader: Reader, channel: ChannelName, now: Instant): Promise<Channel> {
  const row = await reader.row('channels', { channel })
  const counts = await reader.first(selectChannelCounts, { channel, askedAfter: later(now, -askingLifetimeMs) })
  return {
    ...holdState(row, now),
    channel,
    lastInAt: row?.last_in_at ?? null,
    lastOutAt: row?.last_out_at ?? null,
    waiting: Number(counts?.waiting ?? 0),
    chats: Number(counts?.paired ?? 0),
    asking: Number(counts?.asking ?? 0),
  }
}

function holdState(row: ChannelRow | undefined, now: Instant) {
  const isHeld = row?.held_until != null && row.held_until > now
  return {
    state: row && isHeld ? row.state : ('off' as const),
    since: row && isHeld ? row.since : null,
    trouble: row && isHeld ? row.trouble : null,
    notice: row && isHeld ? noticeFrom(row.notice) : null,
    name: row?.name ?? null,
    link: row?.link ?? null,
    route: routeIn(row),
  }
}

export async function announceChannel(tx: Tx, channel: ChannelName, by: string, now: Instant): Promise<Channel> {
  const view = await channelView(tx, channel, now)
  const { state, trouble, notice, name, link, route } = view
  tx.append(home, { type: 'channel-changed', data: { channel: { channel, state, trouble, notice, name, link, route }, by } })
  return view
}
