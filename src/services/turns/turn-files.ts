/**
 * Records the files before and after a turn (FS7): the intent with the commit that begins it, the
 * states as its machine reports them.
 */
import type { Launch } from '../../domain/processes/lifecycle.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import type { EndFiles, TurnFiles, TurnOrder } from '../../protocol/turns/link.ts'
import { FileChanges, type FileState } from '../../protocol/worktrees/file-state.ts'
import { selectLastMessage } from '../../store/conversations/messages.ts'
import { messagesOfTurn } from '../../store/conversations/unread.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import {
  maxOperations,
  selectFirstState,
  selectOperationsOf,
  type TurnFilesRow,
} from '../../store/turns/turn-files.ts'
import type { TurnRow } from '../../store/turns/turns.ts'

/** The part of a turn's order about its files. A summary changes none. */
export async function expectFiles(
  tx: Tx,
  turn: TurnRow,
  { coordinatorId }: Pick<Launch, 'coordinatorId'>,
  { now }: Pick<Context, 'now'>,
): Promise<Pick<TurnOrder, 'files'>> {
  if (turn.about === 'summary') return {}
  const key = turn.conversation_key
  const conversation = await tx.row('conversations', { key })
  // In a shared checkout, what others changed between the turns would be counted.
  const isOwnFolder = turn.user_session_id !== null || conversation?.workplace === 'worktree'
  const first = isOwnFolder
    ? stateFrom((await tx.first(selectFirstState, { key }))?.before_state ?? null)?.tree
    : undefined
  const stored = await tx.row('turn_files', { turn_id: turn.id })
  const none = {
    top: null,
    before_state: null,
    after_state: null,
    changes: null,
    left_out: null,
    rewound_by: null,
  }
  if (stored) await tx.update('turn_files', { ...stored, ...none, coordinator_id: coordinatorId })
  else
    await tx.insert('turn_files', {
      turn_id: turn.id,
      conversation_key: key,
      project_id: turn.project_id,
      coordinator_id: coordinatorId,
      ...none,
      from_seq: await lastSeqBefore(tx, turn),
      kept_after: conversation?.kept_after ?? 0,
      created_at: now,
    })
  return { files: { key, ...(first && { first }) } }
}

/** The conversation's last message before the turn's prompt. */
async function lastSeqBefore(reader: Reader, turn: TurnRow): Promise<number> {
  const key = turn.conversation_key
  const own = (await messagesOfTurn(reader, turn.id)).filter(
    ({ conversationKey }) => conversationKey === key,
  )
  const seqs = [
    ...own.map(({ seq }) => seq),
    ...(turn.about === 'prompt' && turn.through_seq !== null ? [turn.through_seq] : []),
  ]
  if (seqs.length > 0) return Math.min(...seqs) - 1
  const last = (await reader.first(selectLastMessage, { key }))?.seq ?? 0
  // A task's prompt was stored just before.
  return turn.about === 'task' ? Math.max(0, last - 1) : last
}

/**
 * Stores what a machine reports. `after` comes with the end of the turn, or after its process has
 * exited.
 */
export async function recordFiles(
  tx: Tx,
  turnId: string,
  {
    before,
    after,
  }: {
    readonly before?: TurnFiles | null | undefined
    readonly after?: EndFiles | null | undefined
  },
): Promise<void> {
  const row = await tx.row('turn_files', { turn_id: turnId })
  if (!row) return
  const leftOut = [
    ...(row.left_out === null ? [] : JSON.parse(row.left_out)),
    ...(before?.leftOut ?? []),
    ...(after?.leftOut ?? []),
  ]
  const names = [...new Map(leftOut.map((each) => [each.path, each])).values()]
  await tx.update('turn_files', {
    ...row,
    top: before?.top ?? after?.top ?? row.top,
    before_state: before ? JSON.stringify(before.state) : row.before_state,
    after_state: after ? JSON.stringify(after.state) : row.after_state,
    changes: after?.changes
      ? JSON.stringify({ ...after.changes, ...(after.total && { total: after.total }) })
      : row.changes,
    left_out: names.length === 0 ? null : JSON.stringify(names),
  })
}

/**
 * The rewinds since a turn began. What they took back was there then; what earlier ones took back
 * was not.
 */
export async function rewoundSince(
  reader: Reader,
  key: string,
  turn: TurnFilesRow | undefined,
): Promise<ReadonlySet<string>> {
  const operations = await reader.all(selectOperationsOf, { key, limit: maxOperations })
  const since = operations.filter(
    ({ kind, ended_at }) => kind === 'rewind' && (ended_at ?? '') > (turn?.created_at ?? ''),
  )
  return new Set(since.map(({ id }) => id))
}

export const stateFrom = (text: string | null): FileState | null =>
  text === null ? null : JSON.parse(text)

type FilesOfTurn = Pick<ConversationTurn, 'before' | 'after' | 'changes' | 'rewound'>

const filesView = (row: TurnFilesRow | undefined): FilesOfTurn => ({
  before: stateFrom(row?.before_state ?? null)?.tree ?? null,
  after: stateFrom(row?.after_state ?? null)?.tree ?? null,
  changes: FileChanges.nullable().parse(JSON.parse(row?.changes ?? 'null')),
  rewound: (row?.rewound_by ?? null) !== null,
})

export const filesOfTurn = async (reader: Reader, turnId: string): Promise<FilesOfTurn> =>
  filesView(await reader.row('turn_files', { turn_id: turnId }))
