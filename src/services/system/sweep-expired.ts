/**
 * Deletes expired rows: sign-in codes, credentials, receipts (HT4), exit reports (PX6), unfinished uploads (CK5), questions to
 * coordinators, old process output (CO4). Expired rows are refused anyway; this keeps the tables small. A bounded number per
 * run keeps writers from waiting.
 */

import { type Instant, later } from '../../domain/instant.ts'
import { outputKeptDays } from '../../protocol/processes/output-kept.ts'
import { receiptLifetimeMs } from '../../store/log/receipts.ts'
import { deleteAnswer, deleteQuestion, selectQuestionsBefore } from '../../store/processes/coordinator-requests.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import {
  clearOutputsBefore,
  deleteExitReportsBefore,
  deleteExpiredCredentials,
  deleteExpiredSignInCodes,
  deleteReceiptsBefore,
} from '../../store/system/leases.ts'
import { deleteParts, deleteUpload, selectUploadsBefore } from '../../store/work/artifacts.ts'

export const maxSweptRows = 1000
const dayMs = 24 * 3_600_000
/** Longer than a slow line needs for the largest artifact. */
const uploadLifetimeMs = dayMs
/** Each has up to a few thousand parts. */
const maxSweptUploads = 10
const maxSweptQuestions = 100

export const sweepExpired = defineUseCase('sweep-expired', {
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<{ swept: number; more: boolean }> => {
    const swept = await sweep(tx, now)
    return { swept, more: swept === maxSweptRows }
  },
})

async function sweep(tx: Tx, now: Instant): Promise<number> {
  const steps = [
    { statement: deleteExpiredSignInCodes, before: now },
    { statement: deleteExpiredCredentials, before: now },
    { statement: deleteReceiptsBefore, before: later(now, -receiptLifetimeMs) },
    // A report delivered even later is treated as new.
    { statement: deleteExitReportsBefore, before: later(now, -receiptLifetimeMs) },
    { statement: clearOutputsBefore, before: later(now, -outputKeptDays * dayMs) },
  ]
  let left = maxSweptRows
  for (const { statement, before } of steps) {
    if (left > 0) left -= (await tx.all<{ before: Instant; limit: number }, object>(statement, { before, limit: left })).length
  }
  await sweepUploads(tx, later(now, -uploadLifetimeMs))
  await sweepQuestions(tx, later(now, -receiptLifetimeMs))
  return maxSweptRows - left
}

/** Questions are kept as long as the receipts of their requests (HT4). */
async function sweepQuestions(tx: Tx, before: Instant): Promise<void> {
  for (const { id } of await tx.all(selectQuestionsBefore, { before, limit: maxSweptQuestions })) {
    await tx.write(deleteAnswer, { questionId: id })
    await tx.write(deleteQuestion, { id })
  }
}

async function sweepUploads(tx: Tx, before: Instant): Promise<void> {
  for (const { id } of await tx.all(selectUploadsBefore, { before, limit: maxSweptUploads })) {
    await tx.write(deleteParts, { uploadId: id })
    await tx.write(deleteUpload, { id })
  }
}
