/**
 * Carries the comments of a conversation through the states that came since (RV2): what a machine
 * has to be asked, and how its answer is kept.
 */
import { conversationStream } from '../../domain/stream-name.ts'
import type { CoordinatorRequest } from '../../protocol/processes/coordinator-requests.ts'
import { type CarriedPlace, maxCarriedSteps } from '../../protocol/review/review-requests.ts'
import { type CommentRow, selectPlaces, selectStatesSince } from '../../store/review/comments.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { stateFrom } from '../turns/turn-files.ts'
import { commentsOf, keepPlace } from './comment-record.ts'
import { type ReviewPlace, reviewPlace } from './review-place.ts'

/** Two states for each turn. */
const maxTurns = maxCarriedSteps / 2

interface CarryRequest extends Pick<ReviewPlace, 'coordinatorId' | 'projectId'> {
  readonly ask: CoordinatorRequest
  /** When the newest turn that is among the steps began. */
  readonly throughTurn: string
}

/** Null: there is no comment that would have to be carried. */
export const findCarryRequest = defineQuery('find-carry-request', {
  scope: 'anybody',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<CarryRequest | null> => {
    const open = (await commentsOf(reader, key)).filter(({ state }) => state !== 'resolved')
    if (open.length === 0) return null
    const { view, folders, ...machine } = await reviewPlace(reader, key)
    const since = open.map(({ through_turn }) => through_turn).sort()[0] ?? ''
    const turns = await reader.all(selectStatesSince, { key, since, limit: maxTurns })
    const places = Map.groupBy(await reader.all(selectPlaces, { key }), (row) => row.comment_id)
    const steps: { readonly tree: string; readonly turn: string; readonly isBefore: boolean }[] = []
    for (const { created_at: turn, before_state, after_state } of turns)
      for (const [isBefore, state] of [
        [true, before_state] as const,
        [false, after_state] as const,
      ]) {
        const tree = stateFrom(state)?.tree
        if (tree !== undefined) steps.push({ tree, turn, isBefore })
      }
    const firstStep = (row: CommentRow): number => {
      const at = steps.findIndex(
        ({ turn, isBefore }) => turn > row.through_turn && !(isBefore && turn <= row.created_at),
      )
      return at === -1 ? steps.length : at
    }
    const comments = open.map((row) => ({
      id: row.id,
      path: row.path,
      tree: row.tree,
      step: firstStep(row),
      origin: row.blob,
      places: (places.get(row.id) ?? [])
        .slice(-maxCarriedSteps)
        .map(({ blob, line, end_line }) => ({ blob, line, endLine: end_line })),
    }))
    const trees = steps.map(({ tree }) => tree)
    return {
      ...machine,
      ask: { kind: 'review-carry', folders, key, view, steps: trees, comments },
      throughTurn: await newestTurn(reader, key),
    }
  },
})

/** When the newest turn began whose end is known, or empty. */
export async function newestTurn(reader: Reader, key: string): Promise<string> {
  const [row] = await reader.query((db) =>
    db
      .selectFrom('turn_files')
      .select('created_at')
      .where('conversation_key', '=', key)
      .where('after_state', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(1),
  )
  return row?.created_at ?? ''
}

interface CarriedComments {
  readonly key: string
  readonly items: readonly CarriedPlace[]
  readonly throughTurn: string
}

/** Keeps where comments are now. A place that is known stays. */
export const keepPlaces = defineUseCase('keep-places', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key }: CarriedComments) => [conversationStream(key)],
  run: async (tx, { key, items, throughTurn }): Promise<void> => {
    for (const { id, path, tree, places, at } of items) {
      const row = await tx.row('comments', { id })
      // Carried further meanwhile.
      if (!row || row.conversation_key !== key || row.through_turn > throughTurn) continue
      for (const place of places) await keepPlace(tx, row, place)
      await tx.update('comments', {
        id,
        tree,
        path,
        through_turn: throughTurn,
        now_side: at?.side ?? null,
        now_file: at?.file ?? row.now_file,
        now_line: at?.line ?? row.now_line,
        now_end_line: at?.endLine ?? row.now_end_line,
      })
    }
  },
})
