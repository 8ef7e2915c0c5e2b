/**
 * What an agent that takes work up is told (RS1), within a budget (RS4). Pure. Everything is given newest first, and the newest
 * is what stays when not everything fits. What failed and is marked `avoid` is never left out: told shorter, if need be down to
 * its id, before one of them is missing.
 */
import type { Approach } from '../approach/lifecycle.ts'
import type { TaskStatus } from '../task/lifecycle.ts'
import { cutToTokens, estimateTokens } from './token-estimate.ts'

export interface RememberedTask {
  readonly taskId: string
  readonly name: string
  readonly status: TaskStatus
  readonly phase: number
  readonly progressPercent: number
  readonly blockedBy: string | null
}

export interface Remembered {
  readonly previousState: string | null
  readonly currentPhase: number | null
  readonly currentTask: RememberedTask | null
  readonly failed: readonly Approach[]
  readonly verified: readonly Approach[]
  /** Untried ones that are to be tried next. */
  readonly next: readonly Approach[]
  readonly remaining: readonly RememberedTask[]
}

/** What is left of an approach; the id always is. */
export type ToldApproach = Pick<Approach, 'id'> & Partial<Omit<Approach, 'id' | 'history'>>

export interface ResumeContext {
  readonly previousState: string | null
  readonly currentPhase: number | null
  readonly currentTask: RememberedTask | null
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
/** An approach that takes more than this part of the budget is told without its details. */
const longestShare = 0.125
/** What stands around the lists. */
const frameTokens = 100
const wordsOfBrief = 50

export function resumeContext(all: Remembered, budgetTokens: number): ResumeContext {
  const previousState = all.previousState && cutToTokens(all.previousState, budgetTokens * shareOfState)
  const purse = new Purse(budgetTokens)
  purse.pay(frameTokens + estimateTokens(previousState ?? '') + costOf(all.currentTask ?? ''))

  const warnings = warned(
    all.failed.filter(({ avoid }) => avoid),
    purse,
    budgetTokens,
  )
  const lists = {
    nextApproaches: { from: all.next.map((each) => tellable(each, budgetTokens)), told: [] as ToldApproach[] },
    remainingTasks: { from: [...all.remaining], told: [] as RememberedTask[] },
    verifiedApproaches: { from: all.verified.map((each) => tellable(each, budgetTokens)), told: [] as ToldApproach[] },
    failedApproaches: {
      from: all.failed.filter(({ avoid }) => !avoid).map((each) => tellable(each, budgetTokens)),
      told: [] as ToldApproach[],
    },
  }
  takeTurns(Object.values(lists) as unknown as Fillable[], purse)
  const isCut = (name: keyof typeof lists) => lists[name].told.length < lists[name].from.length
  return {
    previousState,
    currentPhase: all.currentPhase,
    currentTask: all.currentTask,
    failedApproaches: [...warnings, ...lists.failedApproaches.told],
    verifiedApproaches: lists.verifiedApproaches.told,
    nextApproaches: lists.nextApproaches.told,
    remainingTasks: lists.remainingTasks.told,
    leftOut: {
      failedApproaches: isCut('failedApproaches'),
      verifiedApproaches: isCut('verifiedApproaches'),
      nextApproaches: isCut('nextApproaches'),
      remainingTasks: isCut('remainingTasks'),
    },
    budgetTokens,
  }
}

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

const costOf = (thing: unknown): number => estimateTokens(JSON.stringify(thing)) + 1

/** All of them, each as fully as there is room for: first the bare ids, then the newest told more and more of. */
function warned(approaches: readonly Approach[], purse: Purse, budgetTokens: number): ToldApproach[] {
  const told: ToldApproach[] = approaches.map(({ id }) => ({ id, avoid: true }))
  for (const each of told) purse.pay(costOf(each))
  const floor = budgetTokens * (1 - shareOfWarnings)
  for (const form of [brief, whole]) {
    for (const [at, approach] of approaches.entries()) {
      const fuller = form(approach)
      const more = costOf(fuller) - costOf(told[at])
      if (purse.left - more < floor) break
      purse.pay(more)
      told[at] = fuller
    }
  }
  return told
}

interface Fillable {
  readonly from: readonly unknown[]
  readonly told: unknown[]
}

/** One of each in turn, newest first, so that no list starves another; a list whose next one does not fit is full. */
function takeTurns(lists: readonly Fillable[], purse: Purse): void {
  let open = [...lists]
  while (open.length > 0) {
    open = open.filter(({ from, told }) => {
      if (told.length === from.length) return false
      const next = from[told.length]
      const cost = costOf(next)
      if (cost > purse.left) return false
      purse.pay(cost)
      told.push(next)
      return true
    })
  }
}

const tellable = (approach: Approach, budgetTokens: number): ToldApproach => {
  const full = whole(approach)
  return costOf(full) > budgetTokens * longestShare ? brief(approach) : full
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
