/** Each receipt can answer: its text is JSON, or sealed as receipts are; only its owner can open those. */
import type { Finding } from '../deep-check.ts'
import { looksSealed } from '../receipts.ts'
import type { Reader } from '../store.ts'
import { pagesOf } from '../table-pages.ts'
import type { Tables } from '../tables.ts'

export async function* keptReceipts(reader: Reader): AsyncGenerator<Finding> {
  for await (const page of pagesOf(reader, 'receipts')) {
    for (const receipt of page) {
      const what = problemWith(receipt)
      if (what) yield { check: 'receipts', where: `${receipt.operation} of ${receipt.credential_id}, key ${receipt.key}`, what }
    }
  }
}

function problemWith({ answer, sealed, created_at }: Tables['receipts']): string | undefined {
  if (Number.isNaN(Date.parse(created_at))) return `has the time ${created_at}`
  if (sealed) return looksSealed(answer) ? undefined : 'is sealed, but not as we seal'
  try {
    JSON.parse(answer)
    return undefined
  } catch {
    return 'has an answer that is no JSON'
  }
}
