/** Sessions that people already have (IM). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { ImportedSession, PastAgent, PastPiece, pieceLimit, TakenPiece } from './past-session.ts'

export const pastRoutes = {
  takePastSession: route({
    method: 'POST',
    path: '/api/imported-sessions',
    summary:
      'Take in a piece of a session of an agent’s own: turns that are there already are left',
    body: PastPiece,
    bodyLimit: pieceLimit,
    answer: TakenPiece,
  }),
  listImportedSessions: route({
    method: 'GET',
    path: '/api/imported-sessions',
    summary: 'List the sessions that the caller has taken in, also those deleted again',
    ...listOf(ImportedSession, { agent: PastAgent.optional() }),
  }),
  deleteImportedSessions: route({
    method: 'DELETE',
    path: '/api/imported-sessions',
    summary:
      'Delete what the caller has taken in from an agent and nobody continued here; its own ' +
      'files stay',
    query: z.object({ agent: PastAgent }),
    answer: z.object({ deleted: z.int() }),
  }),
}
