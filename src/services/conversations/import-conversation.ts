/**
 * Takes in a piece of a conversation from a file (CV7). The store is the truth: nothing that is there is changed. A conversation that is not there
 * begins with what the file says; of one that is there, the messages that its archive does not have are added at its end. So the
 * same file twice adds nothing, also after a reset or a cutover, and one that was interrupted goes on. What comes in is history:
 * nobody has to answer it.
 */
import { readFlags } from '../../domain/conversations/flags.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, instant } from '../../domain/instant.ts'
import type { ConversationPiece, ImportedPiece } from '../../protocol/conversations/import.ts'
import { messagesAfter, selectLastMessage } from '../../store/conversations/messages.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { beginImported, fileImported } from './chapter-record.ts'
import { changeConversation, isSame, mayBegin, openConversation, streamOfKey, writeMessage } from './conversation-record.ts'

/** Read at a time. Most often the piece is found where the one before ended, or nothing is there. */
const archivePage = 500

type Piece = ConversationPiece & {
  readonly key: string
  readonly by: string
  /** It comes from the files of this store itself, not from outside. */
  readonly ours?: boolean
}

export const importConversation = defineUseCase({
  name: 'import-conversation',
  streams: ({ key }: Piece) => [streamOfKey(key)],
  run: async (tx, { key, by, ours, ...piece }: Piece, { now, random }): Promise<ImportedPiece> => {
    const read = readFlags(piece.flags)
    if ('refused' in read) throw new Refusal(read.refused.code, read.refused.detail, { field: read.refused.field })
    // A clock that goes ahead elsewhere does not make it later than it is.
    const said = earlier(known(piece.updated) ?? now, now)
    const given = {
      summary: piece.summary,
      flags: JSON.stringify(read.flags),
      created_at: earlier(known(piece.created) ?? said, said),
      updated_at: said,
    }
    if (!ours) await mayBegin(tx, key)
    const { row, created } = await openConversation(tx, key, now, given)
    const found = created ? nothingFound : await findInArchive(tx, key, piece.after ?? 0, piece.messages)
    const missing = piece.messages.slice(found.count)
    const isNew = missing.length > 0 || (created && row.summary !== '')
    const begun = isNew ? await beginImported(tx, row, now, said) : row
    let counted = begun
    for (const each of missing)
      counted = (await writeMessage(tx, counted, { ...each, senderId: by, receiverId: null }, { now: said, random })).counted
    if (missing.length > 0) await changeConversation(tx, counted, {}, row.updated_at > said ? row.updated_at : said)
    if (isNew) await fileImported(tx, counted, now)
    const after = missing.length > 0 ? ((await tx.first(selectLastMessage, { key }))?.seq ?? 0) : found.through
    return { key, created, added: missing.length, alreadyThere: found.count, after }
  },
})

/** Some programs write a time that was never set as the first of January of year 1. */
const known = (at: Instant | null | undefined): Instant | undefined => (at && at > instant(0) ? at : undefined)

const earlier = (one: Instant, other: Instant): Instant => (one < other ? one : other)

const nothingFound = { count: 0, through: 0 }

/** How many of the messages, from the first on, stand in the archive behind a number in the same order; others may be between. */
async function findInArchive(reader: Reader, key: string, after: number, messages: ConversationPiece['messages']) {
  let count = 0
  let through = after
  for (let seq = after; count < messages.length; ) {
    const page = await messagesAfter(reader, { key, seq, hidden: false, limit: archivePage })
    for (const each of page) {
      const wanted = messages[count]
      if (!wanted || !isSame(each, wanted)) continue
      count++
      through = each.seq
    }
    const last = page.at(-1)
    if (!last || page.length < archivePage) break
    seq = last.seq
  }
  return { count, through }
}
