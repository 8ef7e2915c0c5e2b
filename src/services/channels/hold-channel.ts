/**
 * Decides which server run serves a channel. The node that runs the jobs (SC5) takes it over and renews its hold; a replaced
 * one is told and stops sending. An expired hold means that nobody serves the channel.
 */

import { systemId } from '../../domain/access/caller.ts'
import type { ChannelName } from '../../domain/channels/key.ts'
import { later } from '../../domain/instant.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { home } from '../../domain/stream-name.ts'
import { maskDetail } from '../../platform/log/mask.ts'
import { type ChannelRow, updateChannel } from '../../store/channels/channels.ts'
import { noticeColumn } from '../../store/fields.ts'
import { defineUseCase } from '../../store/store.ts'
import { openChannel } from './channel-chat-record.ts'
import { announceChannel } from './channel-record.ts'

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
  streams: () => [home],
  run: async (tx, { channel, holder, take, forMs }: HoldInput, { now }): Promise<{ held: boolean }> => {
    const row = await openChannel(tx, channel, now)
    const isOurs = row.holder === holder
    if (!isOurs && !take) return { held: false }
    const held = { ...row, holder: forMs === 0 ? null : holder, held_until: forMs === 0 ? null : later(now, forMs) }
    await tx.write(updateChannel, isOurs ? held : { ...held, state: 'connecting', trouble: null, notice: null, since: now })
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

/** Records the state a channel's holder reports: its account, or what is wrong. An unchanged state is not written. */
export const recordChannelState = defineUseCase('record-channel-state', {
  streams: () => [home],
  run: async (tx, { channel, holder, state, trouble, account }: ReportedState, { now }): Promise<{ noted: boolean }> => {
    const row = await tx.row('channels', { channel })
    if (row?.holder !== holder) return { noted: false }
    const detail = maskDetail(trouble)
    const words = detail && textOf(detail)
    const named = { ...row, name: account?.name ?? row.name, link: account?.link ?? row.link }
    if (row.state === state && row.trouble === words && row.name === named.name) return { noted: true }
    await tx.write(updateChannel, {
      ...named,
      state,
      trouble: words,
      notice: noticeColumn(detail),
      since: row.state === state ? row.since : now,
    })
    await announceChannel(tx, channel, systemId, now)
    return { noted: true }
  },
})
