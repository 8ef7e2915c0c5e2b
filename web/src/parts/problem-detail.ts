/** Translates the detail of an error that the server sent. */
import type { Problem } from '../../../src/protocol/problem.ts'
import { saidIn } from '../../../src/protocol/sentence-forms.ts'
import type { Messages } from '../translations/en.ts'

/** Translates the server's own sentences; the name of the field comes first. */
export function problemDetail({ field, detail }: Problem, { sentences, refusals }: Messages): string {
  if (!sentences || !refusals) return detail
  const spoken = [sentences, refusals]
  if (typeof field !== 'string' || !detail.startsWith(`${field}: `)) return saidIn(spoken, detail)
  return `${refusals.fields[field] ?? field}: ${saidIn(spoken, detail.slice(field.length + 2))}`
}
