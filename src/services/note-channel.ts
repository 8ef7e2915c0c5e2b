/** What the server that holds a channel sees of it: connected as whom, or what is wrong. Seen again, nothing is written. */
import type { ChannelName } from '../domain/channel/key.ts'
import { systemId } from '../domain/credential/who.ts'
import { home } from '../domain/stream/name.ts'
import { mask } from '../platform/mask.ts'
import { type ChannelRow, selectChannel, updateChannel } from '../store/queries/channels.ts'
import { defineUseCase } from '../store/store.ts'
import { tellChannel } from './channel-record.ts'

interface Seen {
  readonly channel: ChannelName
  readonly holder: string
  readonly state: ChannelRow['state']
  readonly trouble: string | null
  readonly account?: { readonly name: string; readonly link: string | null } | undefined
}

export const noteChannel = defineUseCase({
  name: 'note-channel',
  streams: () => [home],
  run: async (tx, { channel, holder, state, trouble, account }: Seen, { now }): Promise<{ noted: boolean }> => {
    const row = await tx.first(selectChannel, { channel })
    if (row?.holder !== holder) return { noted: false }
    const words = trouble === null ? null : mask(trouble)
    const named = { ...row, name: account?.name ?? row.name, link: account?.link ?? row.link }
    if (row.state === state && row.trouble === words && row.name === named.name) return { noted: true }
    await tx.write(updateChannel, { ...named, state, trouble: words, since: row.state === state ? row.since : now })
    await tellChannel(tx, channel, systemId, now)
    return { noted: true }
  },
})
