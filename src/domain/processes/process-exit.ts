/**
 * Decides which sessions end when a coordinator reports that a process exited (PX1-PX6). Never ends
 * a session whose process is known to run. Pure.
 *
 *   seen before                                                            → duplicate
 *   from an epoch that was taken over                                      → fenced
 *   with a launch id       the sessions which that launch holds            → ended, process_exited
 *                          it holds none: logged out, or never signed in   → nothing
 *   without a launch id    (sessions held by launches alive elsewhere are not in question, nor are those launches)
 *     processes left │ sessions in question │ work at hand   │
 *     ───────────────┼──────────────────────┼────────────────┼───────────────────────────────────────────
 *     any            │ 0                    │ any            │ nothing
 *     0              │ 1 or 2               │ any            │ all ended, orphaned
 *     ≥ as sessions  │ 1 or 2               │ any            │ nothing
 *     1              │ 2, one suspected     │ any            │ judging goes on: one death explains one suspect
 *     1              │ 2                    │ task           │ the chat session is judged
 *     1              │ 2                    │ chat only      │ the task session is judged
 *     1              │ 2                    │ none           │ nothing, the time to live decides
 *
 * "Judged" means: it ends, orphaned, unless a call on it begins within the grace (settleSuspicion).
 * No grace: it ends at once. A suspect that is shown to live has the other one judged
 * (nextSuspect): somebody has died.
 */
import type { LiveAgentSession } from '../agent-sessions/lifecycle.ts'
import { currentWork, type Work } from '../agent-sessions/work-detection.ts'
import { type Instant, later } from '../instant.ts'

export interface ExitReport {
  /** Processes of the pair that the reporter has left. */
  readonly remaining: number
  readonly launchId: string | null
  /** The reporter's epoch; null for coordinators without one. */
  readonly epoch: number | null
}

/** Live sessions of the pair: at most one chat and one task session (AS4). */
export type HeldSession = Pick<LiveAgentSession, 'id' | 'purpose' | 'launchId' | 'suspectedAt'>

export interface ExitFacts {
  /** A report with this id was decided before (PX6). */
  readonly seenBefore: boolean
  /** The current epoch for the launch or the reporter; null when there is none. */
  readonly currentEpoch: number | null
  readonly live: readonly HeldSession[]
  /** PX5: running launches of the pair on other coordinators. */
  readonly launchesElsewhere: readonly string[]
  readonly work: Work
  readonly graceMs: number
}

export type ExitDecision =
  | {
      readonly decision: 'ended'
      readonly ended: readonly { readonly id: string; readonly reason: ExitEndReason }[]
    }
  | { readonly decision: 'nothing' }
  /** `begins`: the suspicion is new, so `suspectedAt` must be written. */
  | {
      readonly decision: 'judging'
      readonly suspectId: string
      readonly until: Instant
      readonly begins: boolean
    }
  | { readonly decision: 'duplicate' }
  | { readonly decision: 'fenced'; readonly currentEpoch: number }

type ExitEndReason = 'process_exited' | 'orphaned'

const nothing: ExitDecision = { decision: 'nothing' }

export function decideExit(now: Instant, report: ExitReport, facts: ExitFacts): ExitDecision {
  if (facts.seenBefore) return { decision: 'duplicate' }
  const { currentEpoch, live } = facts
  if (report.epoch !== null && currentEpoch !== null && report.epoch < currentEpoch)
    return { decision: 'fenced', currentEpoch }
  const { launchId } = report
  if (launchId === null) return decideWithoutLaunch(now, report.remaining, facts)
  return end(
    live.filter((held) => held.launchId === launchId),
    'process_exited',
  )
}

/** PX3-PX5: for coordinators that do not say which process exited. */
function decideWithoutLaunch(
  now: Instant,
  remaining: number,
  { live, launchesElsewhere, work, graceMs }: ExitFacts,
): ExitDecision {
  const isElsewhere = (held: HeldSession): boolean =>
    held.launchId !== null && launchesElsewhere.includes(held.launchId)
  const inQuestion = live.filter((held) => !isElsewhere(held))
  // PX5: a launch elsewhere without a session may have signed in without naming its launch.
  const withoutSession = launchesElsewhere.filter(
    (launch) => !live.some((held) => held.launchId === launch),
  )
  const processesLeft = remaining + withoutSession.length
  if (processesLeft === 0) return end(inQuestion, 'orphaned')
  if (inQuestion.length <= processesLeft) return nothing
  const suspected = inQuestion.find((held) => held.suspectedAt !== null)
  const suspect = suspected ?? inQuestion.find((held) => held.purpose === idlePurpose(work))
  if (!suspect) return nothing
  if (graceMs === 0) return end([suspect], 'orphaned')
  return {
    decision: 'judging',
    suspectId: suspect.id,
    until: later(suspect.suspectedAt ?? now, graceMs),
    begins: !suspected,
  }
}

/** PX4: the process that has work survived, so the other session is the orphan. */
function idlePurpose(work: Work): 'chat' | 'task' | undefined {
  const atHand = currentWork(work)
  if (atHand === 'no_work') return undefined
  return atHand === 'task' ? 'chat' : 'task'
}

const end = (over: readonly HeldSession[], reason: ExitEndReason): ExitDecision =>
  over.length === 0 ? nothing : { decision: 'ended', ended: over.map(({ id }) => ({ id, reason })) }

/** The other session of a pair whose suspect is alive. */
export interface OtherSession {
  readonly id: string
  readonly heardAt: Instant
  /** The launch is recorded as running. */
  readonly processKnownToLive: boolean
}

/**
 * PX4: the next suspect when the one suspected since `suspectedAt` is alive. Sessions with a later
 * call are alive too.
 */
export const nextSuspect = <Other extends OtherSession>(
  suspectedAt: Instant,
  others: readonly Other[],
): Other | undefined =>
  others.find(({ heardAt, processKnownToLive }) => heardAt < suspectedAt && !processKnownToLive)

export type SuspicionSettled = 'alive' | 'undecided' | 'orphaned'

/**
 * PX4: evidence wins over inference. A call that began after the report comes from a running
 * process. One that began before, such as a held call, proves nothing. A call after the grace
 * period still counts until the suspicion is settled.
 */
export function settleSuspicion(
  now: Instant,
  suspectedAt: Instant,
  lastCallBeganAt: Instant | null,
  graceMs: number,
): SuspicionSettled {
  if (lastCallBeganAt !== null && lastCallBeganAt > suspectedAt) return 'alive'
  return now < later(suspectedAt, graceMs) ? 'undecided' : 'orphaned'
}
