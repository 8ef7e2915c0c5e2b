/**
 * What an agent that takes work up is told (RS1), within a budget (RS4). Pure. Everything is given newest first, and the newest
 * is what stays when not everything fits. What failed and is marked `avoid` is never left out: told shorter, if need be down to
 * its id, before one of them is missing.
 */

import { barely, type ToldDecision } from '../approvals/decision-for-agent.ts'
import type { Approach } from './approach-lifecycle.ts'
import type { TaskStatus } from './task-lifecycle.ts'
import { cutToTokens, estimateTokens } from './token-estimate.ts'

export interface RememberedTask {
  readonly taskId: string
  readonly name: string
  readonly status: TaskStatus
  readonly phase: number
  readonly progressPercent: number
  readonly blockedBy: string | null
}

/** As much of a list as was read, newest first, and whether there is more. */
export interface Remembering<Item> {
  readonly items: readonly Item[]
  readonly more: boolean
}

export interface Remembered {
  readonly previousState: string | null
  readonly currentPhase: number | null
  readonly currentTask: RememberedTask | null
  /** What people were asked and what they decided (AP8), newest first. */
  readonly decisions: readonly ToldDecision[]
  /** What failed and must be avoided; of those that are older only the ids are known. */
  readonly warnings: readonly Approach[]
  readonly olderWarnings: readonly string[]
  /** What failed and may be tried again. */
  readonly failed: Remembering<Approach>
  readonly verified: Remembering<Approach>
  /** Untried ones that are to be tried next. */
  readonly next: Remembering<Approach>
  readonly remaining: Remembering<RememberedTask>
}

/** What is left of an approach; the id always is. */
export type ToldApproach = Pick<Approach, 'id'> & Partial<Omit<Approach, 'id' | 'history'>>

export interface ResumeContext {
  readonly previousState: string | null
  readonly currentPhase: number | null
  readonly currentTask: RememberedTask | null
  readonly decisions: readonly ToldDecision[]
  readonly failedApproaches: readonly ToldApproach[]
  readonly verifiedApproaches: readonly ToldApproach[]
  readonly nextApproaches: readonly ToldApproach[]
  readonly remainingTasks: readonly RememberedTask[]
  /** Of which there are more than fit. */
  readonly leftOut: Readonly<Record<'failedApproaches' | 'verifiedApproaches' | 'nextApproaches' | 'remainingTasks', boolean>>
  readonly budgetTokens: number
}

/** Of the budget, for what was said about the state; and up to where what must be avoided is told at length. */
const shareOfState = 0.25
const shareOfWarnings = 0.6
/** Of the budget, for the words of decisions; of older ones only how they stand is told. */
const shareOfDecisions = 0.25
/** An approach that takes more than this part of the budget is told without its details. */
const maxShare = 0.125
/** What stands around the lists. */
const frameTokens = 100
const wordsOfBrief = 50
/** The least that a warning costs when it is told in more than its id. */
const leastBriefTokens = 20

/** So many warnings at most are told in more than their ids; of others nothing else need be known. */
export const mostWarningsTold = (budgetTokens: number): number => Math.ceil((budgetTokens * shareOfWarnings) / leastBriefTokens)

export function resumeContext(all: Remembered, budgetTokens: number): ResumeContext {
  const previousState = all.previousState && cutToTokens(all.previousState, budgetTokens * shareOfState)
  const purse = new Purse(budgetTokens)
  purse.pay(frameTokens + estimateTokens(previousState ?? '') + costOf(all.currentTask ?? ''))
  const decisions = decided(all.decisions, purse, budgetTokens)
  const warnings = warned(all, purse, budgetTokens)
  const tell = (approach: Approach): ToldApproach => tellable(approach, budgetTokens)
  const next = new Telling(all.next, tell)
  const remaining = new Telling(all.remaining, (task) => task)
  const verified = new Telling(all.verified, tell)
  const failed = new Telling(all.failed, tell)
  takeTurns([next, remaining, verified, failed], purse)
  return {
    previousState,
    currentPhase: all.currentPhase,
    currentTask: all.currentTask,
    decisions,
    failedApproaches: [...warnings, ...failed.told],
    verifiedApproaches: verified.told,
    nextApproaches: next.told,
    remainingTasks: remaining.told,
    leftOut: {
      failedApproaches: failed.leftOut,
      verifiedApproaches: verified.leftOut,
      nextApproaches: next.leftOut,
      remainingTasks: remaining.leftOut,
    },
    budgetTokens,
  }
}

/** Whether a list was told to its end although there is more of it: whoever reads has read too little. */
export const wantsMore = (all: Remembered, context: ResumeContext): boolean =>
  (all.failed.more && toldOf(all.failed, context.failedApproaches.length - all.warnings.length - all.olderWarnings.length)) ||
  (all.verified.more && toldOf(all.verified, context.verifiedApproaches.length)) ||
  (all.next.more && toldOf(all.next, context.nextApproaches.length)) ||
  (all.remaining.more && toldOf(all.remaining, context.remainingTasks.length))

const toldOf = ({ items }: Remembering<unknown>, told: number): boolean => told >= items.length

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

/** One list on its way into the context. */
class Telling<Item, Told> {
  readonly told: Told[] = []
  readonly #from: Remembering<Item>
  readonly #tell: (item: Item) => Told

  constructor(from: Remembering<Item>, tell: (item: Item) => Told) {
    this.#from = from
    this.#tell = tell
  }

  get leftOut(): boolean {
    return this.#from.more || this.told.length < this.#from.items.length
  }

  /** False when there is no next one, or no room for it. */
  one(purse: Purse): boolean {
    const item = this.#from.items[this.told.length]
    if (item === undefined) return false
    const told = this.#tell(item)
    const cost = costOf(told)
    if (cost > purse.left) return false
    purse.pay(cost)
    this.told.push(told)
    return true
  }
}

/** One of each in turn, newest first, so that no list starves another; a list whose next one does not fit is full. */
function takeTurns(lists: readonly { one(purse: Purse): boolean }[], purse: Purse): void {
  for (let open = lists; open.length > 0; ) open = open.filter((list) => list.one(purse))
}

const costOf = (thing: unknown): number => estimateTokens(JSON.stringify(thing)) + 1

/** All of them; the newest with their words. */
function decided(decisions: readonly ToldDecision[], purse: Purse, budgetTokens: number): ToldDecision[] {
  const floor = purse.left - budgetTokens * shareOfDecisions
  return decisions.map((each) => {
    const told = purse.left - costOf(each) >= floor ? each : barely(each)
    purse.pay(costOf(told))
    return told
  })
}

/** All of them, each as fully as there is room for: first the bare ids, then the newest told more and more of. */
function warned({ warnings, olderWarnings }: Remembered, purse: Purse, budgetTokens: number): ToldApproach[] {
  const older = olderWarnings.map(bare)
  const told = warnings.map(({ id }) => bare(id))
  const costs = told.map(costOf)
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
      told[at] = fuller
    }
  }
  return [...told, ...older]
}

const bare = (id: string): ToldApproach => ({ id, avoid: true })

function tellable(approach: Approach, budgetTokens: number): ToldApproach {
  const full = whole(approach)
  return costOf(full) > budgetTokens * maxShare ? brief(approach) : full
}

/** What it says, without what it does not. */
function whole({ history: _, ...approach }: Approach): ToldApproach {
  const says = ([, value]: [string, unknown]): boolean =>
    value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(approach).filter(says)) as ToldApproach
}

const brief = ({ id, category, description, failureReason, avoid }: Approach): ToldApproach => ({
  id,
  category,
  description: cutToTokens(description, wordsOfBrief),
  ...(failureReason !== null && { failureReason: cutToTokens(failureReason, wordsOfBrief) }),
  ...(avoid && { avoid }),
})
