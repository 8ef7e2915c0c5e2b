/** Creates a code that pairs one chat, once, within ten minutes (CN2). It is shown once. */
import type { ChannelName } from '../../domain/channels/key.ts'
import { maxPairingCodes, newCode, pairingCodeLifetimeMs } from '../../domain/channels/pairing.ts'
import { later } from '../../domain/instant.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { PairingCode } from '../../protocol/channels/channel.ts'
import { deletePairingCode, insertPairingCode, selectChannel, selectPairingCodes } from '../../store/channels/channels.ts'
import { defineUseCase } from '../../store/store.ts'

export const createPairingCode = defineUseCase('create-pairing-code', {
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { channel, by }: { channel: ChannelName; by: string }, { now, random }): Promise<PairingCode> => {
    const codes = await tx.all(selectPairingCodes, { channel, limit: 2 * maxPairingCodes })
    const valid = codes.filter(({ expires_at }) => expires_at > now).slice(-(maxPairingCodes - 1))
    for (const each of codes) if (!valid.includes(each)) await tx.write(deletePairingCode, { channel, hash: each.hash })
    const code = newCode(random.text)
    const expiresAt = later(now, pairingCodeLifetimeMs)
    await tx.write(insertPairingCode, { channel, hash: hashSecret(code), created_by: by, created_at: now, expires_at: expiresAt })
    const link = (await tx.first(selectChannel, { channel }))?.link ?? null
    return { code, expiresAt, link: link && `${link}?start=${code}` }
  },
})
