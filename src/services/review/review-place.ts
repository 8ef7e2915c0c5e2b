/**
 * Where the files of a conversation's review are, and the trees of its views (RV1). Where a
 * workplace is gone: in the project's folder, whose repository is the same.
 */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { TreePair } from '../../protocol/review/review-requests.ts'
import { selectNewestFiles } from '../../store/review/comments.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { selectFirstState } from '../../store/turns/turn-files.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { workplaceOf, workplaceOn } from '../conversations/conversation-workplace.ts'
import { stateFrom } from '../turns/turn-files.ts'

export interface ReviewPlace {
  readonly coordinatorId: string
  readonly projectId: string
  readonly folders: string[]
  /** All changes. */
  readonly view: TreePair
}

export async function reviewPlace(reader: Reader, key: string): Promise<ReviewPlace> {
  streamOfKey(key)
  const row = await existingConversation(reader, key)
  const place = await workplaceOn(reader, row)
  const files = await reader.first(selectNewestFiles, { key })
  const projectId = place?.projectId ?? files?.project_id
  const path = projectId && (await reader.row('projects', { id: projectId }))?.path
  const own = place?.folder ?? files?.top
  const isSame = files !== undefined && files.top !== null && files.top === place?.folder
  const coordinatorId = isSame ? files.coordinator_id : place?.coordinatorId
  const machine = coordinatorId ?? files?.coordinator_id
  const isAway = !place && (await workplaceOf(reader, row))?.folder
  if (machine === undefined && isAway) throw new Refusal('coordinator_away')
  if (!projectId || !own || machine === undefined)
    throw new Refusal('wrong_state', refusalText('nothingToReview'))
  const first = (await reader.first(selectFirstState, { key }))?.before_state ?? null
  const newest = stateFrom(files?.after_state ?? files?.before_state ?? null)
  return {
    coordinatorId: machine,
    projectId,
    folders: [...new Set([own, ...(path ? [path] : [])])],
    view: {
      from: 'fork',
      first: stateFrom(first)?.tree ?? null,
      to: null,
      newest: newest?.tree ?? null,
    },
  }
}

interface ViewQuery {
  readonly key: string
  readonly view: 'all' | 'uncommitted' | 'since'
  readonly turnId?: string | undefined
  readonly by: string
}

/** The trees of a view, and the machine that has them. */
export const findReviewPlace = defineQuery('find-review-place', {
  scope: 'anybody',
  on: 'conversation',
  run: async (reader, { key, view, turnId, by }: ViewQuery): Promise<ReviewPlace> => {
    const place = await reviewPlace(reader, key)
    if (turnId !== undefined) {
      const files = await reader.row('turn_files', { turn_id: turnId })
      if (files?.conversation_key !== key)
        throw new Refusal('not_found', refusalText('noTurnIn', { id: turnId, key }), { turnId })
      const [from, to] = [stateFrom(files.before_state)?.tree, stateFrom(files.after_state)?.tree]
      if (from === undefined || to === undefined)
        throw new Refusal('wrong_state', refusalText('noFileState'), { turnId })
      return { ...place, view: { ...place.view, from, to } }
    }
    if (view === 'uncommitted') return { ...place, view: { ...place.view, from: 'head' } }
    if (view !== 'since') return place
    const seen = await reader.row('reviewed_trees', { person_id: by, conversation_key: key })
    return { ...place, view: { ...place.view, from: seen?.tree ?? 'fork' } }
  },
})
