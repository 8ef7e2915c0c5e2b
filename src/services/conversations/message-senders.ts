/** Names the senders of messages, as agents and people read them. */

import { ownerId, systemId } from '../../domain/access/caller.ts'
import { looksLikeRole } from '../../domain/conversations/senders.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { Reader } from '../../store/store.ts'

interface Sender {
  readonly sender_id: string
  readonly sender_name: string | null
}

export const senderOf = ({ senderId, senderName }: Message): Sender => ({
  sender_id: senderId,
  sender_name: senderName ?? null,
})

interface Senders {
  readonly nameOf: (row: Sender) => string
  /** CV14: a person put it in for somebody else. */
  readonly isPutIn: (row: Sender) => boolean
}

/**
 * Resolves senders to the names they are told under: a person's or an agent's name, the role of
 * what was put in, or else the name or id on the channel, with the id where the name is somebody
 * else's or reads like a role (CX17).
 */
export async function sendersOf(reader: Reader, rows: readonly Sender[]): Promise<Senders> {
  // The owner may have no row of its own.
  const own = new Map<string, string>([[ownerId, ownerId]])
  for (const id of new Set(rows.map((row) => row.sender_id))) {
    const name =
      (await reader.row('people', { id }))?.name ?? (await reader.row('agents', { id }))?.name
    if (name !== undefined) own.set(id, name)
  }
  const taken = new Set<string>()
  for (const { sender_id, sender_name } of rows)
    if (sender_name !== null && !own.has(sender_id) && (await isTaken(reader, sender_name)))
      taken.add(sender_name)
  return {
    isPutIn: ({ sender_id, sender_name }) => sender_name !== null && own.has(sender_id),
    nameOf: ({ sender_id, sender_name }) => {
      const ownName = own.get(sender_id)
      if (sender_name !== null && (ownName !== undefined || sender_id === systemId))
        return sender_name
      const name = sender_name ?? ownName ?? sender_id
      return looksLikeRole(name) || taken.has(name) ? `${name} (${sender_id})` : name
    },
  }
}

const isTaken = async (reader: Reader, name: string): Promise<boolean> =>
  (await reader.row('people', { name })) !== undefined ||
  (await reader.row('agents', { name })) !== undefined
