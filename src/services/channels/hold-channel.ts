/**
 * Decides which server run serves a channel. The node that runs the jobs (SC5) takes it over and
 * renews its hold; a replaced one is told and stops sending. An expired hold means that nobody
 * serves the channel.
 */
import { systemId } from '../../domain/access/caller.ts'
import type { ChannelName } from '../../domain/channels/key.ts'
import { askingLifetimeMs } from '../../domain/channels/pairing.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { home } from '../../domain/stream-name.ts'
import { maskDetail } from '../../platform/log/mask.ts'
import type { Channel } from '../../protocol/channels/channel.ts'
import { type ChannelRow, routeIn, selectChannelCounts } from '../../store/channels/channels.ts'
import { noticeColumn, noticeFrom } from '../../store/fields.ts'
import { defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { openChannel } from './channel-chat-record.ts'

interface HoldInput {
  readonly channel: ChannelName
  /** This run of the server. */
  readonly holder: string
  /** True to take over, false to renew. */
  readonly take: boolean
  /** 0 releases it. */
  readonly forMs: number
}

export const holdChannel = defineUseCase('hold-channel', {
  scope: 'server',
  on: 'nobody',
  streams: () => [home],
  run: async (
    tx,
    { channel, holder, take, forMs }: HoldInput,
    { now },
  ): Promise<{ held: boolean }> => {
    const row = await openChannel(tx, channel, now)
    const isOurs = row.holder === holder
    if (!isOurs && !take) return { held: false }
    const begun = { state: 'connecting', trouble: null, notice: null, since: now } as const
    await tx.update('channels', {
      channel,
      ...(isOurs ? {} : begun),
      holder: forMs === 0 ? null : holder,
      held_until: forMs === 0 ? null : later(now, forMs),
    })
    if (!isOurs || forMs === 0) await announceChannel(tx, channel, systemId, now)
    return { held: forMs > 0 }
  },
})

interface ReportedState {
  readonly channel: ChannelName
  readonly holder: string
  readonly state: ChannelRow['state']
  readonly trouble: Detail | null
  readonly account?: { readonly name: string; readonly link: string | null } | undefined
}

/**
 * Records the state a channel's holder reports: its account, or what is wrong. An unchanged state
 * is not written.
 */
export const recordChannelState = defineUseCase('record-channel-state', {
  scope: 'server',
  on: 'nobody',
  streams: () => [home],
  run: async (
    tx,
    { channel, holder, state, trouble, account }: ReportedState,
    { now },
  ): Promise<{ noted: boolean }> => {
    const row = await tx.row('channels', { channel })
    if (row?.holder !== holder) return { noted: false }
    const detail = maskDetail(trouble)
    const words = detail && textOf(detail)
    const name = account?.name ?? row.name
    if (row.state === state && row.trouble === words && row.name === name) return { noted: true }
    await tx.update('channels', {
      channel,
      name,
      link: account?.link ?? row.link,
      state,
      trouble: words,
      notice: noticeColumn(detail),
      since: row.state === state ? row.since : now,
    })
    await announceChannel(tx, channel, systemId, now)
    return { noted: true }
  },
})

// Builds the public view of a channel and announces its changes.

/** A reported state counts while its node holds the channel. Otherwise the channel is off. */
export async function channelView(
  reader: Reader,
  channel: ChannelName,
  now: Instant,
): Promise<Channel> {
  const row = await reader.row('channels', { channel })
  const counts = await reader.first(selectChannelCounts, {
    channel,
    askedAfter: later(now, -askingLifetimeMs),
  })
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

export async function announceChannel(
  tx: Tx,
  channel: ChannelName,
  by: string,
  now: Instant,
): Promise<Channel> {
  const view = await channelView(tx, channel, now)
  const { state, trouble, notice, name, link, route } = view
  tx.append(home, {
    type: 'channel-changed',
    data: { channel: { channel, state, trouble, notice, name, link, route }, by },
  })
  return view
}
