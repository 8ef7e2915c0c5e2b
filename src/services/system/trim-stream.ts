/**
 * Trims the beginning of streams whose state is in tables: relay, turns, and orders to coordinators. Keeps a day and at least
 * ten thousand events. A reader of trimmed events gets a snapshot.
 */
import { later } from '../../domain/instant.ts'
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import { deleteEventsThrough, raiseFloor, selectEventTime, selectLongStreams, selectPosition } from '../../store/log/event-log.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { firstRunningSeq } from '../../store/turns/turns.ts'

const keptEvents = 10_000
const keptMs = 24 * 3_600_000
/** Events in one commit. */
const trimmedAtOnce = 1000

const trimmedKinds = ['coordinator', 'user-session', 'turns'] as const

export const trimStream = defineUseCase('trim-stream', {
  streams: ({ stream }: { stream: StreamName }) => [stream],
  run: async (tx, { stream }, { now }): Promise<{ trimmed: number; more: boolean }> => {
    const isTrimmed = trimmedKinds.some((kind) => kind === parseStream(stream)?.kind)
    const position = await tx.first(selectPosition, { name: stream })
    if (!isTrimmed || !position) return { trimmed: 0, more: false }
    const { head, floor } = position
    const through = Math.min(head - keptEvents, floor + trimmedAtOnce, await beforeRunningTurns(tx, stream))
    if (through <= floor) return { trimmed: 0, more: false }
    // Times grow with the numbers, so an old last event means that all are old.
    const last = await tx.first(selectEventTime, { stream, seq: through })
    if (!last || last.at > later(now, -keptMs)) return { trimmed: 0, more: false }
    await tx.write(deleteEventsThrough, { stream, seq: through })
    await tx.write(raiseFloor, { name: stream, floor: through })
    return { trimmed: through - floor, more: head - keptEvents > through }
  },
})

/** Keeps the pieces of running turns, which are joined from the log when they end. */
async function beforeRunningTurns(reader: Reader, stream: StreamName): Promise<number> {
  const { kind, id = '' } = parseStream(stream) ?? {}
  const first =
    kind === 'coordinator' ? undefined : await firstRunningSeq(reader, kind === 'turns' ? { key: id } : { userSessionId: id })
  return first === undefined ? Number.POSITIVE_INFINITY : first - 1
}

const foundAtOnce = 1000

/** Lists the streams with more events than the minimum. `trim-stream` decides. */
export const findLongStreams = defineQuery(async (reader, _: Record<never, never>): Promise<StreamName[]> => {
  const names: StreamName[] = []
  for (const kind of trimmedKinds) {
    // `;` follows `:` in every collation.
    const between = { from: `${kind}:`, to: `${kind};`, kept: keptEvents, limit: foundAtOnce }
    for (const { name } of await reader.all(selectLongStreams, between)) names.push(name)
  }
  return names
})
