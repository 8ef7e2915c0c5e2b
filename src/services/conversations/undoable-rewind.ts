/**
 * Finds the rewind of a conversation that can be undone (FS8): the last one, unless something was
 * said since.
 */
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { Reader } from '../../store/store.ts'
import {
  type FileOperationRow,
  maxOperations,
  selectFilesOf,
  selectOperationsOf,
} from '../../store/turns/turn-files.ts'

export async function undoableRewind(
  reader: Reader,
  key: string,
): Promise<Conversation['rewound']> {
  const last = await lastRewind(reader, key)
  const plan: RewindPlan | undefined = last && JSON.parse(last.ask).plan
  return (
    last &&
    plan && {
      turnId: last.turn_id,
      to: plan.to,
      by: last.asked_by,
      at: last.ended_at ?? last.asked_at,
    }
  )
}

/** How the conversation changes when the machine is done. */
export interface RewindPlan {
  readonly to: 'before' | 'after'
  /** The last message that stays, and where the history begins. */
  readonly cut: number
  readonly keptAfter: number
  /** FS8: the rewind to undo. */
  readonly undoes?: string
}

/** The last rewind that was not undone, unless something was said since. */
export async function lastRewind(
  reader: Reader,
  key: string,
): Promise<FileOperationRow | undefined> {
  const done = (await reader.all(selectOperationsOf, { key, limit: maxOperations })).filter(
    ({ state }) => state === 'done',
  )
  const undone = new Set(done.map(({ ask }) => JSON.parse(ask).plan.undoes))
  const last = done.find(({ id, kind }) => kind === 'rewind' && !undone.has(id))
  if (!last) return undefined
  const since = (await reader.all(selectFilesOf, { key })).some(
    ({ created_at }) => created_at > (last.ended_at ?? ''),
  )
  return since ? undefined : last
}
