/**
 * The rows of Now, a session in each, in the first group that applies: it waits for the person,
 * failed, finished unseen, or is at work. What is idle, archived or settled is left out. Pure.
 */
import { isHeld, type RunningAgent } from '../../../src/client/running.ts'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { askedIn } from '../approvals/waiting.ts'
import type { LiveState } from '../shell/live-state.ts'

export const nowGroups = ['waiting', 'failed', 'finished', 'working'] as const
export type NowGroup = (typeof nowGroups)[number]

export interface NowRow {
  readonly id: string
  readonly state: LiveState
  readonly at: string
  readonly projectId: string | null
  readonly agentId: string | null
  readonly talk?: ListedConversation | undefined
  /** What is asked in it, oldest first. */
  readonly approvals: readonly Approval[]
  readonly work?: WorkSession
  readonly other?: OtherAgent
}

export interface OtherAgent {
  readonly running: RunningAgent
  readonly state: LiveState
  readonly word: string
}

export type NowRows = Readonly<Record<NowGroup, readonly NowRow[]>>

export interface WhatIsKnown {
  readonly approvals: readonly Approval[]
  /** The newest sessions, and those that agents work in, which say more. */
  readonly recent: readonly ListedConversation[]
  readonly live: readonly ListedConversation[]
  readonly interrupted: readonly WorkSession[]
  /** Agents whose work no session tells, but idle ones. */
  readonly others: readonly OtherAgent[]
  /** The row under the cursor stays until the person leaves it. */
  readonly under: string | undefined
}

export function rowsOfNow(known: WhatIsKnown): NowRows {
  const talks = new Map(known.recent.map((each) => [each.key, each]))
  for (const each of known.live) talks.set(each.key, each)
  const listed = [...talks.values()].filter(
    ({ kind, archived, lastMessage }) => kind !== 'agent' && !archived && lastMessage !== null,
  )
  const waiting = waitingRows(known, listed)
  const above = new Set(waiting.map(({ talk }) => talk?.key))
  const rest = listed.filter(({ key }) => !above.has(key))
  const works = new Set(known.interrupted.map(({ id }) => id))
  const groupOf = (talk: ListedConversation): NowGroup | undefined => {
    if (works.has(talk.workSessionId ?? '') && talk.activity !== 'working') return undefined
    // Read in the pane beside the list, it stays under the cursor.
    const isRead = talk.key === known.under && !talk.unread && !talk.settled
    return group(talk) ?? (isRead && finishedStates.has(talk.activity) ? 'finished' : undefined)
  }
  const inGroup = (wanted: NowGroup) =>
    rest.filter((talk) => groupOf(talk) === wanted).map(rowOfTalk)
  const isHeldBack = ({ running }: OtherAgent) => isHeld(running)
  return {
    waiting,
    failed: [
      ...inGroup('failed'),
      ...known.interrupted.map(rowOfWork),
      ...known.others.filter((each) => isHeldBack(each) && !coveredBy(each, rest)).map(rowOfAgent),
    ].sort(newestFirst),
    finished: inGroup('finished').sort(newestFirst),
    working: [
      ...inGroup('working').sort(newestFirst),
      ...known.others.filter((each) => !isHeldBack(each)).map(rowOfAgent),
    ],
  }
}

const newestFirst = (a: NowRow, b: NowRow): number => (a.at < b.at ? 1 : -1)

function group(talk: ListedConversation): NowGroup | undefined {
  const { activity, settled, unread, waitsFor } = talk
  if (activity === 'failed' || activity === 'interrupted') return settled ? undefined : 'failed'
  if (activity === 'working' || activity === 'starting' || activity === 'limited') return 'working'
  // For the folder, or for somebody else.
  if (activity === 'waiting') return waitsFor || talk.doing ? 'working' : undefined
  return unread && !settled ? 'finished' : undefined
}

function waitingRows(
  { approvals, under }: WhatIsKnown,
  listed: readonly ListedConversation[],
): NowRow[] {
  const bySession = Map.groupBy(
    approvals.filter(({ ofOther }) => !ofOther),
    askedIn,
  )
  return [...bySession].flatMap(([id, asked]): NowRow[] => {
    const pending = asked.filter(({ status }) => status === 'pending')
    const shown = pending.length > 0 ? pending : id === under ? asked.slice(-1) : []
    const [first] = shown
    if (!first) return []
    const talk = listed.find(({ doing }) => doing?.turnId === id)
    const { projectId, leaderId, submittedAt } = first
    return [
      {
        id,
        state: 'waiting',
        at: submittedAt,
        projectId,
        agentId: leaderId,
        talk,
        approvals: shown,
      },
    ]
  })
}

const finishedStates: ReadonlySet<string | undefined> = new Set(['idle', 'ended', undefined])

const rowOfTalk = (talk: ListedConversation): NowRow => ({
  id: talk.key,
  state: stateOf(talk),
  at: talk.lastMessage?.createdAt ?? talk.updated,
  projectId: talk.projectId,
  agentId: talk.agentId,
  talk,
  approvals: [],
})

function stateOf({ activity, waitsFor, unread }: ListedConversation): LiveState {
  if (waitsFor) return 'starting'
  if (finishedStates.has(activity) && unread) return 'finished'
  return activity ?? 'idle'
}

const rowOfWork = (work: WorkSession): NowRow => ({
  id: work.id,
  state: 'interrupted',
  at: work.endedAt ?? work.startedAt,
  projectId: work.projectId,
  agentId: null,
  approvals: [],
  work,
})

const rowOfAgent = (other: OtherAgent): NowRow => ({
  id: `agent-${other.running.key}`,
  state: other.state,
  at: other.running.since,
  projectId: other.running.projectId,
  agentId: other.running.agentId,
  approvals: [],
  other,
})

/** A session that cannot go on because its agent is held says so itself. */
const coveredBy = (
  { running: { agentId, projectId } }: OtherAgent,
  listed: readonly ListedConversation[],
): boolean =>
  listed.some(
    (talk) => talk.agentId === agentId && talk.projectId === projectId && group(talk) === 'failed',
  )

/** How many rows of each group are shown, so that all heads are in sight. */
export function shownRows(rows: NowRows, most: number): Readonly<Record<NowGroup, number>> {
  const shown = { waiting: 0, failed: 0, finished: 0, working: 0 }
  for (let left = most, moved = true; left > 0 && moved; ) {
    moved = false
    for (const each of nowGroups) {
      if (left === 0 || shown[each] >= rows[each].length) continue
      shown[each]++
      left--
      moved = true
    }
  }
  return shown
}
