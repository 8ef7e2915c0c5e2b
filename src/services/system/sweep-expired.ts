/** Clears away what has expired: rows, and the beginnings of streams. */

import { type Instant, later } from '../../domain/instant.ts'
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import { outputKeptDays } from '../../protocol/processes/output-kept.ts'
import {
  deleteEventsThrough,
  selectEventTime,
  selectLongStreams,
  selectPosition,
} from '../../store/log/event-log.ts'
import { receiptLifetimeMs } from '../../store/log/receipts.ts'
import { selectCoordinatorRequestsBefore } from '../../store/processes/coordinator-requests.ts'
import { defineQuery, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import {
  clearOutputsBefore,
  deleteExitReportsBefore,
  deleteExpiredCredentials,
  deleteExpiredPasses,
  deleteReceiptsBefore,
} from '../../store/system/leases.ts'
import { firstRunningSeq } from '../../store/turns/turns.ts'
import { selectUploadsBefore } from '../../store/work/artifacts.ts'

export const maxSweptRows = 1000
const dayMs = 24 * 3_600_000
/** Longer than a slow line needs for the largest artifact. */
const uploadLifetimeMs = dayMs
/** Each has up to a few thousand parts. */
const maxSweptUploads = 10
const maxSweptCoordinatorRequests = 100

/**
 * Deletes expired rows: passes, credentials, receipts (HT4), exit reports (PX6), unfinished uploads
 * (CK5), requests to coordinators, old process output (CO4). Expired rows are refused anyway; this
 * keeps the tables small. A bounded number per run keeps writers from waiting.
 */
export const sweepExpired = defineUseCase('sweep-expired', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<{ swept: number; more: boolean }> => {
    const swept = await sweep(tx, now)
    return { swept, more: swept === maxSweptRows }
  },
})

async function sweep(tx: Tx, now: Instant): Promise<number> {
  const steps = [
    { statement: deleteExpiredPasses, before: now },
    { statement: deleteExpiredCredentials, before: now },
    { statement: deleteReceiptsBefore, before: later(now, -receiptLifetimeMs) },
    // A report delivered even later is treated as new.
    { statement: deleteExitReportsBefore, before: later(now, -receiptLifetimeMs) },
    { statement: clearOutputsBefore, before: later(now, -outputKeptDays * dayMs) },
  ]
  let left = maxSweptRows
  for (const { statement, before } of steps) {
    if (left > 0)
      left -= (
        await tx.all<{ before: Instant; limit: number }, object>(statement, { before, limit: left })
      ).length
  }
  await sweepUploads(tx, later(now, -uploadLifetimeMs))
  await sweepCoordinatorRequests(tx, later(now, -receiptLifetimeMs))
  return maxSweptRows - left
}

/** Requests to coordinators are kept as long as the receipts of their requests (HT4). */
async function sweepCoordinatorRequests(tx: Tx, before: Instant): Promise<void> {
  for (const { id } of await tx.all(selectCoordinatorRequestsBefore, {
    before,
    limit: maxSweptCoordinatorRequests,
  })) {
    await tx.delete('question_answers', { question_id: id })
    await tx.delete('questions', { id })
  }
}

async function sweepUploads(tx: Tx, before: Instant): Promise<void> {
  for (const { id } of await tx.all(selectUploadsBefore, { before, limit: maxSweptUploads })) {
    await tx.delete('upload_parts', { upload_id: id })
    await tx.delete('uploads', { id })
  }
}

const keptEvents = 10_000
const keptMs = 24 * 3_600_000
const trimmedAtOnce = 1000

const trimmedKinds = ['coordinator', 'user-session', 'turns'] as const

/**
 * Trims the beginning of streams whose state is in tables: relay, turns, and orders to
 * coordinators. Keeps a day and at least ten thousand events. A reader of trimmed events gets a
 * snapshot.
 */
export const trimStream = defineUseCase('trim-stream', {
  scope: 'server',
  on: 'nobody',
  streams: ({ stream }: { stream: StreamName }) => [stream],
  run: async (tx, { stream }, { now }): Promise<{ trimmed: number; more: boolean }> => {
    const isTrimmed = trimmedKinds.some((kind) => kind === parseStream(stream)?.kind)
    const position = await tx.first(selectPosition, { name: stream })
    if (!isTrimmed || !position) return { trimmed: 0, more: false }
    const { head, floor } = position
    const through = Math.min(
      head - keptEvents,
      floor + trimmedAtOnce,
      await beforeRunningTurns(tx, stream),
    )
    if (through <= floor) return { trimmed: 0, more: false }
    // Times grow with the numbers, so an old last event means that all are old.
    const last = await tx.first(selectEventTime, { stream, seq: through })
    if (!last || last.at > later(now, -keptMs)) return { trimmed: 0, more: false }
    await tx.write(deleteEventsThrough, { stream, seq: through })
    await tx.update('streams', { name: stream, floor: through })
    return { trimmed: through - floor, more: head - keptEvents > through }
  },
})

/** Keeps the pieces of running turns, which are joined from the log when they end. */
async function beforeRunningTurns(reader: Reader, stream: StreamName): Promise<number> {
  const { kind, id = '' } = parseStream(stream) ?? {}
  const first =
    kind === 'coordinator'
      ? undefined
      : await firstRunningSeq(reader, kind === 'turns' ? { key: id } : { userSessionId: id })
  return first === undefined ? Number.POSITIVE_INFINITY : first - 1
}

const foundAtOnce = 1000

/** Lists the streams with more events than the minimum. `trim-stream` decides. */
export const findLongStreams = defineQuery('find-long-streams', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>): Promise<StreamName[]> => {
    const names: StreamName[] = []
    for (const kind of trimmedKinds) {
      // `;` follows `:` in every collation.
      const between = { from: `${kind}:`, to: `${kind};`, kept: keptEvents, limit: foundAtOnce }
      for (const { name } of await reader.all(selectLongStreams, between)) names.push(name)
    }
    return names
  },
})
