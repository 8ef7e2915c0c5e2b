/**
 * Queries about requests to coordinators and their answers. Written under the lock of the
 * coordinator's stream.
 */
import type { Instant } from '../../domain/instant.ts'
import {
  maxOpenRequests,
  type OpenCoordinatorRequest,
  repeatableRequests,
} from '../../protocol/processes/coordinator-requests.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type CoordinatorRequestRow = Tables['questions']

const selectOpen = statement<{ coordinatorId: string; now: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('questions')
    .select(['id', 'epoch', 'kind', 'ask'])
    .where('coordinator_id', '=', p.coordinatorId)
    .where('answered_at', 'is', null)
    .where('deadline', '>', p.now)
    .orderBy('deadline')
    .limit(p.limit),
)

/** If a part arrives twice, the first one wins. */
export const insertAnswer = statement<Tables['question_answers']>()((db, p) =>
  db
    .insertInto('question_answers')
    .values({ question_id: p.question_id, part: p.part, said: p.said })
    .onConflict((conflict) => conflict.doNothing()),
)

export const selectAnswer = statement<{ questionId: string }>()((db, p) =>
  db
    .selectFrom('question_answers')
    .select('said')
    .where('question_id', '=', p.questionId)
    .orderBy('part'),
)

export const selectCoordinatorRequestsBefore = statement<{ before: Instant; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('questions')
      .select('id')
      .where('asked_at', '<=', p.before)
      .orderBy('asked_at')
      .limit(p.limit),
)

/** Open requests to any instance of the coordinator. */
export const openCoordinatorRequests = (reader: Reader, coordinatorId: string, now: Instant) =>
  reader.all(selectOpen, { coordinatorId, now, limit: maxOpenRequests })

/**
 * Open requests to the current instance, and those of earlier ones that have the same effect when
 * they are repeated (FS8).
 */
export const openCoordinatorRequestsOf = async (
  reader: Reader,
  {
    coordinatorId,
    epoch,
    now,
  }: { readonly coordinatorId: string; readonly epoch: number; readonly now: Instant },
): Promise<OpenCoordinatorRequest[]> =>
  (await openCoordinatorRequests(reader, coordinatorId, now))
    .filter((row) => row.epoch === epoch || repeatableRequests.has(row.kind))
    .map((row) => ({ questionId: row.id, ask: JSON.parse(row.ask) }))
