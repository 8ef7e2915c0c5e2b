/**
 * Trims the beginning of a stream whose state is in tables: of the relay and of orders to coordinators, a day is kept and never fewer
 * than ten thousand events. Whoever asks for what is gone gets a snapshot. A bounded number in one commit.
 */
import { later } from '../../domain/instant.ts'
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import { deleteEventsThrough, raiseFloor, selectEventTime, selectLongStreams, selectPosition } from '../../store/log/event-log.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { firstRunningSeq } from '../../store/turns/turns.ts'

const keptEvents = 10_000
const keptMs = 24 * 3_600_000
/** In one commit, so that nobody waits for it. */
const trimmedAtOnce = 1000

const trimmedKinds = ['coordinator', 'user-session', 'turns'] as const

export const trimStream = defineUseCase({
  name: 'trim-stream',
  streams: ({ stream }: { stream: StreamName }) => [stream],
  run: async (tx, { stream }, { now }): Promise<{ trimmed: number; more: boolean }> => {
    const isTrimmed = trimmedKinds.some((kind) => kind === parseStream(stream)?.kind)
    const position = await tx.first(selectPosition, { name: stream })
    if (!isTrimmed || !position) return { trimmed: 0, more: false }
    const { head, floor } = position
    const through = Math.min(head - keptEvents, floor + trimmedAtOnce, await beforeRunningTurns(tx, stream))
    if (through <= floor) return { trimmed: 0, more: false }
    // Times grow with the numbers: when the last is old enough, all are.
    const last = await tx.first(selectEventTime, { stream, seq: through })
    if (!last || last.at > later(now, -keptMs)) return { trimmed: 0, more: false }
    await tx.write(deleteEventsThrough, { stream, seq: through })
    await tx.write(raiseFloor, { name: stream, floor: through })
    return { trimmed: through - floor, more: head - keptEvents > through }
  },
})

/** What a turn that runs has said so far is joined from the log when it ends, so that much stays. */
async function beforeRunningTurns(reader: Reader, stream: StreamName): Promise<number> {
  const { kind, id = '' } = parseStream(stream) ?? {}
  const first =
    kind === 'coordinator' ? undefined : await firstRunningSeq(reader, kind === 'turns' ? { key: id } : { userSessionId: id })
  return first === undefined ? Number.POSITIVE_INFINITY : first - 1
}

const foundAtOnce = 1000

/** The streams that have more events than are kept at least; whether they are trimmed `trim-stream` decides. */
export const findLongStreams = defineQuery({
  name: 'find-long-streams',
  run: async (reader, _: Record<never, never>): Promise<StreamName[]> => {
    const names: StreamName[] = []
    for (const kind of trimmedKinds) {
      // `;` is what follows `:` in every order.
      const between = { from: `${kind}:`, to: `${kind};`, kept: keptEvents, limit: foundAtOnce }
      for (const { name } of await reader.all(selectLongStreams, between)) names.push(name)
    }
    return names
  },
})
