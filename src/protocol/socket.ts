/**
 * Messages on `/ws`: subscribing to streams from a cursor. Answers carry `requestId`, events `seq`;
 * never both.
 */
import * as z from 'zod'

export const maxStreamsPerClient = 100
/** Length of a subscription with the maximum number of streams and the longest names. */
export const maxCursorLength = 60_000

const RequestId = z.string().min(1).max(200).optional()
const Streams = z.array(z.string().min(1).max(300)).min(1).max(maxStreamsPerClient)

export const Subscribe = z.object({
  type: z.literal('subscribe'),
  streams: Streams,
  /** The reader's position; without one it starts at the heads. */
  after: z.string().max(maxCursorLength).optional(),
  requestId: RequestId,
})

export const Unsubscribe = z.object({
  type: z.literal('unsubscribe'),
  streams: Streams,
  requestId: RequestId,
})

export const ClientMessage = z.discriminatedUnion('type', [Subscribe, Unsubscribe])

export const closeCodes = { revoked: 4001, resume: 4008, goingAway: 1012, tooLarge: 1009 } as const
