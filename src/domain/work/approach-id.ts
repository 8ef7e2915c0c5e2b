/** Ids of approaches (ID1): `approach_001`, `approach_f001`, `approach_u001`, counted by project and first kind. Pure. */
import type { ApproachKind } from './approach-lifecycle.ts'

const letters: Readonly<Record<ApproachKind, string>> = { verified: '', failed: 'f', untried: 'u' }

export const approachId = (kind: ApproachKind, number: number): string =>
  `approach_${letters[kind]}${String(number).padStart(3, '0')}`

/** The kind and number of an id; undefined for an id assigned elsewhere. */
export function parseApproachId(id: string): { readonly kind: ApproachKind; readonly number: number } | undefined {
  const [, letter, digits] = /^approach_([fu]?)(\d{3,15})$/.exec(id) ?? []
  if (digits === undefined) return undefined
  const kind = letter === 'f' ? 'failed' : letter === 'u' ? 'untried' : 'verified'
  return { kind, number: Number(digits) }
}
