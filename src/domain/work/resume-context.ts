/**
 * Builds the context for an agent that resumes work (RS1), within a budget (RS4). Lists are newest
 * first, and the newest entries are kept. Failed approaches marked `avoid` are never left out; they
 * are shortened, down to their ids if needed. Pure.
 */

import { type AgentDecision, barely } from '../approvals/decision-for-agent.ts'
import { cutToTokens, estimateTokens } from '../conversations/messages.ts'
import type { Instant } from '../instant.ts'
import type { Approach } from './approach-lifecycle.ts'
import type { TaskStatus } from './task-lifecycle.ts'
import type { WorkSession } from './work-session-lifecycle.ts'

export interface RememberedTask {
  readonly taskId: string
  readonly name: string
  readonly status: TaskStatus
  readonly phase: number
  readonly progressPercent: number
  readonly blockedBy: string | null
}

/** A task that is done, and what came of it. */
export interface CompletedTask {
  readonly taskId: string
  readonly name: string
  readonly completedAt: Instant | null
  /** As its agent gave it; cut text of it where it is long. */
  readonly result: unknown
}

/** The part of a list that was read, newest first, and whether there is more. */
export interface Remembering<Item> {
  readonly items: readonly Item[]
  readonly more: boolean
}

export interface Remembered {
  readonly previousState: string | null
  readonly currentPhase: number | null
  readonly currentTask: RememberedTask | null
  /** Approvals and their decisions (AP8), newest first. */
  readonly decisions: readonly AgentDecision[]
  /** Failed approaches to avoid; of older ones only the ids. */
  readonly warnings: readonly Approach[]
  readonly olderWarnings: readonly string[]
  /** Failed approaches that may be tried again. */
  readonly failed: Remembering<Approach>
  readonly verified: Remembering<Approach>
  readonly next: Remembering<Approach>
  readonly remaining: Remembering<RememberedTask>
  /** Completed along the whole line. */
  readonly completed: Remembering<CompletedTask>
}

/** The lists of which only the newest may be given. */
type CutList =
  | 'failedApproaches'
  | 'verifiedApproaches'
  | 'nextApproaches'
  | 'remainingTasks'
  | 'completedTasks'

/** An approach cut to fit; always with the id. */
export type GivenApproach = Pick<Approach, 'id'> & Partial<Omit<Approach, 'id' | 'history'>>

export interface ResumeContext {
  readonly previousState: string | null
  readonly currentPhase: number | null
  readonly currentTask: RememberedTask | null
  readonly decisions: readonly AgentDecision[]
  readonly failedApproaches: readonly GivenApproach[]
  readonly verifiedApproaches: readonly GivenApproach[]
  readonly nextApproaches: readonly GivenApproach[]
  readonly remainingTasks: readonly RememberedTask[]
  readonly completedTasks: readonly CompletedTask[]
  readonly leftOut: Readonly<Record<CutList, boolean>>
  readonly budgetTokens: number
}

/** Shares of the budget for the state, and for warnings in full. */
const shareOfState = 0.25
const shareOfWarnings = 0.6
/** Share of the budget for the text of decisions; older ones are listed by status only. */
const shareOfDecisions = 0.25
/** An approach that takes a larger share of the budget loses its details; a result is cut to it. */
const maxShare = 0.125
/** Cost of the text around the lists. */
const frameTokens = 100
const wordsOfBrief = 50
/** The least cost of a warning with more than its id. */
const leastBriefTokens = 20

/** Warnings with more than their ids. */
export const maxWarnings = (budgetTokens: number): number =>
  Math.ceil((budgetTokens * shareOfWarnings) / leastBriefTokens)

export function resumeContext(all: Remembered, budgetTokens: number): ResumeContext {
  const previousState =
    all.previousState && cutToTokens(all.previousState, budgetTokens * shareOfState)
  const purse = new Purse(budgetTokens)
  purse.pay(frameTokens + estimateTokens(previousState ?? '') + costOf(all.currentTask ?? ''))
  const decisions = decided(all.decisions, purse, budgetTokens)
  const warnings = warned(all, purse, budgetTokens)
  const tell = (approach: Approach): GivenApproach => tellable(approach, budgetTokens)
  const next = new Telling(all.next, tell)
  const remaining = new Telling(all.remaining, (task) => task)
  const verified = new Telling(all.verified, tell)
  const failed = new Telling(all.failed, tell)
  const completed = new Telling(all.completed, (task) => withShortResult(task, budgetTokens))
  takeTurns([next, remaining, verified, failed, completed], purse)
  return {
    previousState,
    currentPhase: all.currentPhase,
    currentTask: all.currentTask,
    decisions,
    failedApproaches: [...warnings, ...failed.included],
    verifiedApproaches: verified.included,
    nextApproaches: next.included,
    remainingTasks: remaining.included,
    completedTasks: completed.included,
    leftOut: {
      failedApproaches: failed.leftOut,
      verifiedApproaches: verified.leftOut,
      nextApproaches: next.leftOut,
      remainingTasks: remaining.leftOut,
      completedTasks: completed.leftOut,
    },
    budgetTokens,
  }
}

/** Whether a list fitted completely although there is more of it, so more must be read. */
export const wantsMore = (all: Remembered, context: ResumeContext): boolean =>
  (all.failed.more &&
    fitsWhole(
      all.failed,
      context.failedApproaches.length - all.warnings.length - all.olderWarnings.length,
    )) ||
  (all.verified.more && fitsWhole(all.verified, context.verifiedApproaches.length)) ||
  (all.next.more && fitsWhole(all.next, context.nextApproaches.length)) ||
  (all.remaining.more && fitsWhole(all.remaining, context.remainingTasks.length)) ||
  (all.completed.more && fitsWhole(all.completed, context.completedTasks.length))

const fitsWhole = ({ items }: Remembering<unknown>, given: number): boolean => given >= items.length

class Purse {
  #left: number
  constructor(tokens: number) {
    this.#left = tokens
  }
  get left(): number {
    return this.#left
  }
  pay(tokens: number): void {
    this.#left -= tokens
  }
}

class Telling<Item, Included> {
  readonly included: Included[] = []
  readonly #from: Remembering<Item>
  readonly #tell: (item: Item) => Included

  constructor(from: Remembering<Item>, tell: (item: Item) => Included) {
    this.#from = from
    this.#tell = tell
  }

  get leftOut(): boolean {
    return this.#from.more || this.included.length < this.#from.items.length
  }

  /** False when there is no next entry, or no room for it. */
  one(purse: Purse): boolean {
    const item = this.#from.items[this.included.length]
    if (item === undefined) return false
    const included = this.#tell(item)
    const cost = costOf(included)
    if (cost > purse.left) return false
    purse.pay(cost)
    this.included.push(included)
    return true
  }
}

/**
 * Takes one entry of each list in turn, newest first, so that none starves another. A list whose
 * next does not fit is full.
 */
function takeTurns(lists: readonly { one(purse: Purse): boolean }[], purse: Purse): void {
  for (let open = lists; open.length > 0; ) open = open.filter((list) => list.one(purse))
}

const costOf = (thing: unknown): number => estimateTokens(JSON.stringify(thing)) + 1

/** Includes all; the newest with their text. */
function decided(
  decisions: readonly AgentDecision[],
  purse: Purse,
  budgetTokens: number,
): AgentDecision[] {
  const floor = purse.left - budgetTokens * shareOfDecisions
  return decisions.map((each) => {
    const included = purse.left - costOf(each) >= floor ? each : barely(each)
    purse.pay(costOf(included))
    return included
  })
}

/** Includes all, as fully as fits: first the ids, then more and more of the newest. */
function warned(
  { warnings, olderWarnings }: Remembered,
  purse: Purse,
  budgetTokens: number,
): GivenApproach[] {
  const older = olderWarnings.map(bare)
  const included = warnings.map(({ id }) => bare(id))
  const costs = included.map(costOf)
  for (const cost of costs) purse.pay(cost)
  for (const each of older) purse.pay(costOf(each))
  const floor = budgetTokens * (1 - shareOfWarnings)
  for (const form of [brief, whole]) {
    for (const [at, approach] of warnings.entries()) {
      const fuller = form(approach)
      const cost = costOf(fuller)
      const more = cost - (costs[at] ?? 0)
      if (purse.left - more < floor) break
      purse.pay(more)
      costs[at] = cost
      included[at] = fuller
    }
  }
  return [...included, ...older]
}

const bare = (id: string): GivenApproach => ({ id, avoid: true })

function tellable(approach: Approach, budgetTokens: number): GivenApproach {
  const full = whole(approach)
  return costOf(full) > budgetTokens * maxShare ? brief(approach) : full
}

function withShortResult(task: CompletedTask, budgetTokens: number): CompletedTask {
  const tokens = budgetTokens * maxShare
  if (costOf(task.result) <= tokens) return task
  const text = typeof task.result === 'string' ? task.result : JSON.stringify(task.result)
  return { ...task, result: cutToTokens(text, tokens) }
}

/** Drops empty fields. */
function whole({ history: _, ...approach }: Approach): GivenApproach {
  const says = ([, value]: [string, unknown]): boolean =>
    value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(approach).filter(says)) as GivenApproach
}

const brief = ({ id, category, description, failureReason, avoid }: Approach): GivenApproach => ({
  id,
  category,
  description: cutToTokens(description, wordsOfBrief),
  ...(failureReason !== null && { failureReason: cutToTokens(failureReason, wordsOfBrief) }),
  ...(avoid && { avoid }),
})

// The lineage of work sessions (RS1), and whether one may be resumed (RS3). Pure.

/** Generations searched for what was learned. */
export const maxAncestors = 1000

/** Failed attempts after which it is not resumed again. */
const maxResumeFailures = 2

export type ResumeDecision =
  | { readonly outcome: 'fork' }
  /** Already resumed, and running. */
  | { readonly outcome: 'same'; readonly childId: string }
  | {
      readonly outcome: 'refused'
      readonly refusal:
        | { readonly code: 'work_session_running' | 'work_session_completed' }
        | { readonly code: 'set_aside'; readonly reason: string }
    }

export interface ResumeFacts {
  readonly state: WorkSession['state']
  readonly setAside: string | null
  /** The one of its descendants that runs. */
  readonly runningId: string | null
}

/**
 *   interrupted ──resume──▶ one child; the same, or what was resumed from it, while that runs; then
 *   another
 */
export function decideResume({ state, setAside, runningId }: ResumeFacts): ResumeDecision {
  if (state === 'running') return { outcome: 'refused', refusal: { code: 'work_session_running' } }
  if (state === 'completed')
    return { outcome: 'refused', refusal: { code: 'work_session_completed' } }
  if (runningId !== null) return { outcome: 'same', childId: runningId }
  return setAside === null
    ? { outcome: 'fork' }
    : { outcome: 'refused', refusal: { code: 'set_aside', reason: setAside } }
}

/** RS3: the result of a failed attempt. */
export const afterFailure = (
  failures: number,
  why: string,
): { failures: number; setAside: string | null } => ({
  failures: failures + 1,
  setAside: failures + 1 >= maxResumeFailures ? why : null,
})
