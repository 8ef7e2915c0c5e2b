/** Sessions that people already have (IM). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import {
  ImportedSession,
  PastAgent,
  PastPiece,
  PastSessionsPage,
  pieceLimit,
  TakenPiece,
  TakenSessions,
} from './past-session.ts'

/** Sessions of one request; the page asks for a few, to show how far it is. */
const maxTakenAtOnce = 20

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
  listPastSessions: route({
    method: 'GET',
    path: '/api/coordinators/{coordinatorId}/past-sessions',
    summary: 'List the sessions in agents’ own files on a machine; nothing is started or kept',
    query: z.object({
      agent: PastAgent.optional(),
      q: z.string().max(200).default(''),
      cursor: z
        .string()
        .regex(/^\d{1,9}$/, 'must be the `nextCursor` of a page')
        .optional(),
    }),
    answer: PastSessionsPage,
  }),
  takePastSessions: route({
    method: 'POST',
    path: '/api/coordinators/{coordinatorId}/past-sessions',
    summary: 'Take in sessions from a machine, one after the other; what is there already is left',
    body: z.strictObject({
      agent: PastAgent,
      sessions: z.array(z.string().min(1).max(200)).min(1).max(maxTakenAtOnce),
    }),
    status: 202,
    answer: TakenSessions,
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

/** The ids that a body names; inside, one says which sessions are meant. */
export const idsIn = (body: { readonly sessions: readonly string[] }): readonly string[] =>
  body.sessions
