/**
 * Messages on the WebSocket `/ws` that every feature shares: subscribing to streams from a cursor.
 * Answers carry `requestId`, events carry `seq`; a message is never both.
 */
import * as z from 'zod'

export const maxStreamsPerClient = 100
/** Over so many streams, each with the longest name a conversation may have, whatever characters it is made of. */
export const maxCursorLength = 60_000

const RequestId = z.string().min(1).max(200).optional()
const Streams = z.array(z.string().min(1).max(300)).min(1).max(maxStreamsPerClient)

const Subscribe = z.object({
  type: z.literal('subscribe'),
  streams: Streams,
  /** Where the reader stopped; without one it starts at the heads. */
  after: z.string().max(maxCursorLength).optional(),
  requestId: RequestId,
})

const Unsubscribe = z.object({ type: z.literal('unsubscribe'), streams: Streams, requestId: RequestId })

export const ClientMessage = z.discriminatedUnion('type', [Subscribe, Unsubscribe])
export type ClientMessage = z.output<typeof ClientMessage>

/** Close codes (RL5). */
export const closeCodes = { revoked: 4001, resume: 4008, goingAway: 1012, tooLarge: 1009 } as const
