/**
 * Approaches that worked, failed, or could be tried next (AR1). Earlier versions are kept in the
 * history. Pure.
 */
import type { Instant } from '../instant.ts'

export const approachKinds = ['verified', 'failed', 'untried'] as const
export type ApproachKind = (typeof approachKinds)[number]

export interface ApproachContent {
  readonly category: string
  readonly description: string
  readonly details: unknown
  readonly evidence: unknown
  readonly learnings: readonly string[]
  readonly reusable: boolean
  readonly failureReason: string | null
  readonly error: string | null
  /** RS4: must be included in every resume context. */
  readonly avoid: boolean
  readonly priority: string | null
  readonly nextToTry: boolean
  readonly note: string | null
}

/** An earlier version, with who changed it and when. */
export interface ApproachRevision {
  readonly at: Instant
  readonly by: string
  readonly before: Partial<ApproachContent> & {
    readonly kind?: ApproachKind
    readonly date?: string
  }
}

export type Approach = ApproachContent & {
  readonly id: string
  readonly kind: ApproachKind
  /** The day of its current kind. */
  readonly date: string
  /** Oldest first. */
  readonly history: readonly ApproachRevision[]
}

/** New values of an approach; unnamed fields get the kind's defaults. */
export type ApproachWords = Pick<ApproachContent, 'category' | 'description'> &
  Partial<ApproachContent>

export interface ApproachChange extends Partial<ApproachContent> {
  readonly kind?: ApproachKind
}

export type ApproachDecision =
  | { readonly outcome: 'changed'; readonly approach: Approach }
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'refused'
      readonly refusal: { readonly code: 'wrong_state'; readonly kind: ApproachKind }
    }

/** Kept text changes. The version before it was tried is always kept. */
const maxKeptChanges = 100

const nothing: Omit<ApproachContent, 'category' | 'description'> = {
  details: null,
  evidence: null,
  learnings: [],
  reusable: false,
  failureReason: null,
  error: null,
  avoid: false,
  priority: null,
  nextToTry: false,
  note: null,
}

/** Defaults by kind: failed approaches are to be avoided unless said otherwise. */
const usual: Readonly<Record<ApproachKind, Partial<ApproachContent>>> = {
  verified: { reusable: true },
  failed: { avoid: true },
  untried: { priority: 'medium' },
}

export const dayOf = (at: Instant): string => at.slice(0, 10)

export const contentOf = (kind: ApproachKind, words: ApproachWords): ApproachContent => ({
  ...nothing,
  ...usual[kind],
  ...given(words),
})

/**
 *   untried ──▶ verified | failed      (both final: what comes to light later is an approach of its own)
 *
 * What belongs to an untried one alone (`priority`, `nextToTry`) goes into the history with it.
 */
export function change(
  current: Approach,
  wanted: ApproachChange,
  { at, by }: { at: Instant; by: string },
): ApproachDecision {
  const { kind = current.kind, ...words } = wanted
  const moves = kind !== current.kind
  if (moves && current.kind !== 'untried')
    return { outcome: 'refused', refusal: { code: 'wrong_state', kind: current.kind } }
  const rest = moves ? { ...untriedNoMore, ...usual[kind], date: dayOf(at) } : {}
  const changed: Approach = { ...current, ...rest, ...given(words), kind }
  const before = differences(current, changed)
  if (Object.keys(before).length === 0) return { outcome: 'unchanged' }
  return {
    outcome: 'changed',
    approach: { ...changed, history: newestRevisions([...current.history, { at, by, before }]) },
  }
}

const untriedNoMore = { priority: null, nextToTry: false } as const

function newestRevisions(history: readonly ApproachRevision[]): ApproachRevision[] {
  const tooMany = history.filter(({ before }) => before.kind === undefined).length - maxKeptChanges
  let dropped = 0
  return history.filter(({ before }) => before.kind !== undefined || dropped++ >= tooMany)
}

function differences(before: Approach, after: Approach): ApproachRevision['before'] {
  const { id: _, history: __, ...was } = before
  const same = (name: string): boolean =>
    JSON.stringify(was[name as keyof typeof was]) === JSON.stringify(after[name as keyof Approach])
  return Object.fromEntries(Object.entries(was).filter(([name]) => !same(name)))
}

/** The given fields; `undefined` counts as not given. */
const given = <Words extends object>(words: Words): Words =>
  Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as Words

const letters: Readonly<Record<ApproachKind, string>> = { verified: '', failed: 'f', untried: 'u' }

/**
 * Ids of approaches (ID1): `approach_001`, `approach_f001`, `approach_u001`, counted by project and
 * first kind. Pure.
 */
export const approachId = (kind: ApproachKind, number: number): string =>
  `approach_${letters[kind]}${String(number).padStart(3, '0')}`

/** The kind and number of an id; undefined for an id assigned elsewhere. */
export function parseApproachId(
  id: string,
): { readonly kind: ApproachKind; readonly number: number } | undefined {
  const [, letter, digits] = /^approach_([fu]?)(\d{3,15})$/.exec(id) ?? []
  if (digits === undefined) return undefined
  const kinds: Readonly<Record<string, ApproachKind>> = { f: 'failed', u: 'untried' }
  return { kind: kinds[letter ?? ''] ?? 'verified', number: Number(digits) }
}
