/**
 * Completes rewinds, undoings and forks (FS8, FS9): applies what a machine answered to the
 * conversation, so that it agrees with its files. `askMachine` is the step before.
 */

import { Refusal } from '../../../domain/errors.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import type { ForkAnswer, RestoreAnswer } from '../../../protocol/worktrees/file-state.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { afterAllMessages, measured } from '../../../store/conversations/messages.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import {
  bringBackRewound,
  type FileOperationRow,
  rewindMessages,
  selectFilesOf,
} from '../../../store/turns/turn-files.ts'
import { changeConversation } from '../../conversations/conversation-record.ts'
import type { RewindPlan } from '../../conversations/undoable-rewind.ts'
import { rewoundSince } from '../../turns/turn-files.ts'
import { cancelQueuedTurns } from '../../turns/turn-record.ts'
import { createFork } from './create-fork.ts'
import type { AskedOperation } from './file-operations.ts'

interface Completion extends Pick<AskedOperation, 'id' | 'key' | 'projectId'> {
  /** The machine's answer; null: it was never asked, so nothing was changed. */
  readonly answer: RestoreAnswer | ForkAnswer | null
}

export interface FinishedOperation {
  readonly state: FileOperationRow['state']
  readonly turnId: string
  readonly forkKey: string | null
}

/** Applies a machine's answer to the conversation. Applying it again changes nothing. */
export const finishOperation = defineUseCase('finish-operation', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key, projectId }: Completion) => [conversationStream(key), projectStream(projectId)],
  run: async (tx, { id, answer }, context): Promise<FinishedOperation> => {
    const row = await tx.row('file_operations', { id })
    if (!row) throw new Refusal('not_found')
    const { plan } = JSON.parse(row.ask)
    const finished = (state: FileOperationRow['state']) => ({
      state,
      turnId: row.turn_id,
      forkKey: plan.forkKey ?? null,
    })
    // A rewind that its machine was asked for may have begun.
    const hasBegun = !answer && row.result !== null && row.kind !== 'fork'
    if (row.state !== 'asked' || hasBegun) return finished(row.state)
    const ended_at = context.now
    if (!answer || ('outcome' in answer && answer.outcome !== 'done')) {
      const result = answer ? JSON.stringify(answer) : row.result
      await tx.update('file_operations', { ...row, state: 'refused', result, ended_at })
      return finished('refused')
    }
    const history =
      'outcome' in answer
        ? await moveConversation(tx, row, plan, context)
        : await createFork(tx, row, plan, answer, context)
    await tx.update('file_operations', {
      ...row,
      state: 'done',
      result: JSON.stringify({ ...answer, history }),
      ended_at,
    })
    return finished('done')
  },
})

/** How a conversation was before. */
interface History extends Pick<ConversationRow, 'kept_after' | 'summary' | 'summary_through'> {
  /** What was brought back, each with the rewind that had taken it. */
  readonly messages?: readonly (readonly [seq: number, by: string])[]
  readonly turns?: readonly (readonly [turnId: string, by: string])[]
}

/**
 * Moves the conversation to where its files are. Its next turn opens a new context, primed up to
 * there (CX4).
 */
async function moveConversation(
  tx: Tx,
  operation: FileOperationRow,
  plan: RewindPlan,
  { now }: Context,
): Promise<History | null> {
  const { id, conversation_key: key, turn_id: turnId, asked_by: by, kind } = operation
  const row = await tx.row('conversations', { key })
  if (!row) return null
  const { kept_after, summary, summary_through } = row
  const undone =
    plan.undoes === undefined ? undefined : await tx.row('file_operations', { id: plan.undoes })
  const covers = summary_through > plan.cut
  const {
    messages = [],
    turns = [],
    ...earlier
  }: History = undone
    ? JSON.parse(undone.result ?? '{}').history
    : {
        kept_after: plan.keptAfter,
        summary: covers ? '' : summary,
        summary_through: covers ? plan.keptAfter : summary_through,
      }
  await cancelQueuedTurns(tx, key, now)
  const all = await tx.all(selectFilesOf, { key })
  const at = all.findIndex((each) => each.turn_id === turnId)
  const since = undone ? new Set([undone.id]) : await rewoundSince(tx, key, all[at])
  const until = {
    key,
    cut: undone ? afterAllMessages : plan.cut,
    begunAt: all[at]?.created_at ?? '',
  }
  const back: { messages: [number, string][]; turns: [string, string][] } = {
    messages: [],
    turns: [],
  }
  for (const by of since)
    for (const { seq } of await tx.all(bringBackRewound, { ...until, by }))
      back.messages.push([seq, by])
  if (!undone) await tx.write(rewindMessages, { ...until, by: id })
  for (const [seq, rewound_by] of messages)
    await tx.update('messages', { conversation_key: key, seq, rewound_by })
  const taken = new Map(turns)
  for (const [index, each] of all.entries()) {
    const isPast =
      undone || (index < at && each.from_seq < plan.cut) || (index === at && plan.to === 'after')
    const stillRewoundBy = since.has(each.rewound_by ?? '') ? null : each.rewound_by
    const rewound_by = isPast
      ? (taken.get(each.turn_id) ?? stillRewoundBy)
      : (each.rewound_by ?? id)
    if (rewound_by === each.rewound_by) continue
    await tx.update('turn_files', { ...each, rewound_by })
    if (rewound_by === null && each.rewound_by !== null)
      back.turns.push([each.turn_id, each.rewound_by])
  }
  const { count } = await measured(tx, key, earlier.kept_after)
  const { chars } = await measured(tx, key, Math.max(earlier.kept_after, earlier.summary_through))
  const { originals: chapter_messages } = await measured(tx, key, row.chapter_after)
  const counted = { message_count: count, unsummarised_chars: chars, chapter_messages }
  await changeConversation(tx, row, { ...earlier, ...counted, generation: row.generation + 1 }, now)
  const data = {
    operationId: id,
    turnId,
    to: plan.to,
    undone: kind === 'undo',
    through: plan.cut,
    by,
  }
  tx.append(conversationStream(key), { type: 'conversation-rewound', data }, [
    projectStream(operation.project_id),
  ])
  return { kept_after, summary, summary_through, ...back }
}
