/**
 * Imports a part of a conversation from a file (CV7). Stored data is never changed: a missing
 * conversation is created from the file, and messages missing from an existing one are appended.
 * Importing the same file twice adds nothing, and an interrupted import can continue. Imported
 * messages are not unread.
 */
import type { Scope } from '../../domain/access/scopes.ts'
import { readFlags } from '../../domain/conversations/flags.ts'
import { putInName } from '../../domain/conversations/senders.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, instant } from '../../domain/instant.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { FileThread } from '../../protocol/conversations/conversation-file.ts'
import type { ConversationPiece, ImportedPiece } from '../../protocol/conversations/import.ts'
import { identityToBegin } from '../../store/conversations/conversation-identity.ts'
import { messagesAfter, selectLastMessage } from '../../store/conversations/messages.ts'
import { projectOf } from '../../store/projects/projects.ts'
import { defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import {
  beginImportedChapter,
  changeConversation,
  closeImportedChapter,
  openConversation,
  requireCreatable,
  streamOfKey,
  writeMessage,
} from './conversation-record.ts'
import { requireOwnMessages } from './own-messages.ts'
import { isSame } from './same-message.ts'

/** Messages read at a time. Usually the first page holds the match. */
const archivePage = 500

type Piece = ConversationPiece & {
  readonly key: string
  readonly by: string
  readonly scopes?: readonly Scope[]
  /** Set for files of this store itself. */
  readonly ours?: boolean
  /** Whose alone it was, as these files say. */
  readonly privateTo?: string | null
  readonly thread?: FileThread | undefined
}

export const importConversation = defineUseCase('import-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Piece) => [streamOfKey(key)],
  run: async (
    tx,
    { key, by, ours, privateTo, thread, scopes, ...piece }: Piece,
    context,
  ): Promise<ImportedPiece> => {
    await requireOwnMessages(tx, scopes, key, piece.messages)
    const { now } = context
    const read = readFlags(piece.flags)
    if ('refused' in read)
      throw new Refusal(read.refused.code, read.refused.detail, { field: read.refused.field })
    // A time in the future is replaced by now.
    const updatedAt = earlier(realTime(piece.updated) ?? now, now)
    const given = {
      summary: piece.summary,
      summary_by: piece.summary === '' || ours ? null : by,
      flags: JSON.stringify(read.flags),
      extra: piece.extra ? JSON.stringify(piece.extra) : null,
      account_id: ours ? (privateTo ?? null) : null,
      created_at: earlier(realTime(piece.created) ?? updatedAt, updatedAt),
      updated_at: updatedAt,
      ...(ours && thread && (await threadColumns(tx, { key, thread, by }, now))),
    }
    if (!ours) await requireCreatable(tx, key)
    const { row, created } = await openConversation(tx, key, now, given)
    const found = created
      ? nothingFound
      : await findInArchive(tx, key, piece.after ?? 0, piece.messages)
    const missing = piece.messages.slice(found.count)
    const isNew = missing.length > 0 || (created && row.summary !== '')
    const begun = isNew ? await beginImportedChapter(tx, row, now, updatedAt) : row
    let counted = begun
    for (const each of missing) {
      const { role = each.role, name } = each.extra ?? {}
      const message = {
        ...each,
        senderId: by,
        senderName: putInName(String(role), name),
        receiverId: null,
      }
      counted = (await writeMessage(tx, counted, message, { ...context, now: updatedAt })).counted
    }
    if (missing.length > 0)
      await changeConversation(
        tx,
        counted,
        {},
        row.updated_at > updatedAt ? row.updated_at : updatedAt,
      )
    if (isNew) await closeImportedChapter(tx, counted, now)
    const after =
      missing.length > 0 ? ((await tx.first(selectLastMessage, { key }))?.seq ?? 0) : found.through
    return { key, created, added: missing.length, alreadyThere: found.count, after }
  },
})

interface SavedThread {
  readonly key: string
  readonly by: string
  readonly thread: FileThread
}

/** SN26: a session as its file says it was. Its project may have had nothing else. */
async function threadColumns(tx: Tx, { key, by, thread }: SavedThread, now: Instant) {
  const { project_id: id } = thread
  tx.lock(home)
  if (!(await tx.row('projects', { id }))) {
    const row = { id, name: id, path: null, settings: '{}', created_at: now, updated_at: now }
    await tx.insert('projects', row)
    const data = { project: projectOf(row, []), by }
    tx.append(home, { type: 'project-created', data }, [projectStream(id)])
  }
  const isThread = identityToBegin(key).kind === 'session'
  return { ...thread, ...(isThread && { lane: key }) }
}

/** Ignores year 1, which some programs write for a missing time. */
const realTime = (at: Instant | null | undefined): Instant | undefined =>
  at && at > instant(0) ? at : undefined

const earlier = (one: Instant, other: Instant): Instant => (one < other ? one : other)

const nothingFound = { count: 0, through: 0 }

/**
 * Counts how many of the messages, from the first on, follow `after` in the archive in this order,
 * others in between or not.
 */
async function findInArchive(
  reader: Reader,
  key: string,
  after: number,
  messages: ConversationPiece['messages'],
) {
  let count = 0
  let through = after
  for (let seq = after; count < messages.length; ) {
    // FS8: what a rewind took back is there too.
    const page = await messagesAfter(reader, { key, seq, hidden: true, limit: archivePage })
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
