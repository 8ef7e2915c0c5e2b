/**
 * What was tried, what failed, and what could be tried next (AR1). Pure. What an approach was before it was changed is never
 * overwritten: it moves into the history.
 */
import type { Instant } from '../instant.ts'

export const approachKinds = ['verified', 'failed', 'untried'] as const
export type ApproachKind = (typeof approachKinds)[number]

export interface ApproachContent {
  readonly category: string
  readonly description: string
  readonly details: unknown
  /** What shows that it works. */
  readonly evidence: unknown
  readonly learnings: readonly string[]
  readonly reusable: boolean
  readonly failureReason: string | null
  readonly error: string | null
  /** RS4: whoever takes the work up must be told. */
  readonly avoid: boolean
  readonly priority: string | null
  readonly nextToTry: boolean
  readonly note: string | null
}

/** What it was, as far as that was changed, and who changed it when. */
export interface ApproachRevision {
  readonly at: Instant
  readonly by: string
  readonly before: Partial<ApproachContent> & { readonly kind?: ApproachKind; readonly date?: string }
}

export type Approach = ApproachContent & {
  readonly id: string
  readonly kind: ApproachKind
  /** The day on which it became what it is. */
  readonly date: string
  /** Oldest first. */
  readonly history: readonly ApproachRevision[]
}

/** What somebody says about an approach; what is not named is as the kind has it. */
export type ApproachWords = Pick<ApproachContent, 'category' | 'description'> & Partial<ApproachContent>

export interface ApproachChange extends Partial<ApproachContent> {
  readonly kind?: ApproachKind
}

export type ApproachDecision =
  | { readonly outcome: 'changed'; readonly approach: Approach }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'refused'; readonly refusal: { readonly code: 'wrong_state'; readonly kind: ApproachKind } }

/** Changes of words that are kept; what it was before it was tried is kept whatever comes after. */
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

/** What each kind says about itself without being asked: what failed is to be avoided until somebody says otherwise. */
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
export function change(current: Approach, asked: ApproachChange, { at, by }: { at: Instant; by: string }): ApproachDecision {
  const { kind = current.kind, ...words } = asked
  const moves = kind !== current.kind
  if (moves && current.kind !== 'untried') return { outcome: 'refused', refusal: { code: 'wrong_state', kind: current.kind } }
  const rest = moves ? { ...untriedNoMore, ...usual[kind], date: dayOf(at) } : {}
  const changed: Approach = { ...current, ...rest, ...given(words), kind }
  const before = differences(current, changed)
  if (Object.keys(before).length === 0) return { outcome: 'unchanged' }
  return { outcome: 'changed', approach: { ...changed, history: kept([...current.history, { at, by, before }]) } }
}

const untriedNoMore = { priority: null, nextToTry: false } as const

function kept(history: readonly ApproachRevision[]): ApproachRevision[] {
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

/** What was said; `undefined` is not. */
const given = <Words extends object>(words: Words): Words =>
  Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as Words
