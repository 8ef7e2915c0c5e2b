import { describe, expect, test } from 'vitest'
import { type Instant, later } from '../../../src/domain/instant.ts'
import {
  decideExit,
  type ExitDecision,
  type ExitFacts,
  type ExitReport,
  type HeldSession,
  settleSuspicion,
} from '../../../src/domain/processes/process-exit.ts'

const now: Instant = '2026-03-01T09:00:00.000Z'
const graceMs = 10_000

const chat: HeldSession = { id: 'chat', purpose: 'chat', launchId: null, suspectedAt: null }
const task: HeldSession = { id: 'task', purpose: 'task', launchId: null, suspectedAt: null }
const by = (launchId: string, held: HeldSession): HeldSession => ({ ...held, launchId })
const suspected = (held: HeldSession): HeldSession => ({ ...held, suspectedAt: later(now, -4000) })

const taskWork = { hasTask: true, unreadMessages: 0 }
const chatWork = { hasTask: false, unreadMessages: 1 }
const bothWork = { hasTask: true, unreadMessages: 1 }
const noWork = { hasTask: false, unreadMessages: 0 }

const noFacts: ExitFacts = {
  seenBefore: false,
  currentEpoch: null,
  live: [],
  launchesElsewhere: [],
  work: noWork,
  graceMs,
}

const decided = (report: Partial<ExitReport>, facts: Partial<ExitFacts>): ExitDecision =>
  decideExit(
    now,
    { remaining: 0, launchId: null, epoch: null, ...report },
    { ...noFacts, ...facts },
  )

const exited = (...ids: string[]): ExitDecision => ({
  decision: 'ended',
  ended: ids.map((id) => ({ id, reason: 'process_exited' })),
})
const orphaned = (...ids: string[]): ExitDecision => ({
  decision: 'ended',
  ended: ids.map((id) => ({ id, reason: 'orphaned' })),
})
const judging = (suspectId: string): ExitDecision => ({
  decision: 'judging',
  suspectId,
  until: later(now, graceMs),
  begins: true,
})
const nothing: ExitDecision = { decision: 'nothing' }

type Row = [
  cell: string,
  report: Partial<ExitReport>,
  facts: Partial<ExitFacts>,
  decision: ExitDecision,
]
const check = (
  _cell: string,
  report: Partial<ExitReport>,
  facts: Partial<ExitFacts>,
  decision: ExitDecision,
): void => {
  expect(decided(report, facts)).toEqual(decision)
}

describe('a report with a launch id', () => {
  test.each<Row>([
    [
      'ends the session that launch holds',
      { launchId: 'a' },
      { live: [by('a', chat)] },
      exited('chat'),
    ],
    [
      'leaves the other one alone',
      { launchId: 'a' },
      { live: [by('a', chat), by('b', task)] },
      exited('chat'),
    ],
    [
      'leaves one alone that named no launch',
      { launchId: 'a' },
      { live: [chat, by('a', task)] },
      exited('task'),
    ],
    [
      'ends both where one launch holds both',
      { launchId: 'a' },
      { live: [by('a', chat), by('a', task)] },
      exited('chat', 'task'),
    ],
    ['ends nothing after a logout', { launchId: 'a' }, { live: [by('b', chat)] }, nothing],
    ['ends nothing if it never signed in', { launchId: 'a' }, { live: [] }, nothing],
    [
      'ends nothing that named no launch, even with none left',
      { launchId: 'a', remaining: 0 },
      { live: [chat, task] },
      nothing,
    ],
    [
      'does not count or guess',
      { launchId: 'a', remaining: 1 },
      { live: [chat, task], work: taskWork },
      nothing,
    ],
    [
      'believes the launch, not the number',
      { launchId: 'a', remaining: 9 },
      { live: [by('a', task)] },
      exited('task'),
    ],
    [
      'acts at once, whatever the work',
      { launchId: 'a' },
      { live: [by('a', task)], work: bothWork },
      exited('task'),
    ],
  ])('[PX2] %s', check)
})

describe('a report without a launch id that leaves no process', () => {
  test.each<Row>([
    ['ends a chat', { remaining: 0 }, { live: [chat] }, orphaned('chat')],
    ['ends a task', { remaining: 0 }, { live: [task], work: taskWork }, orphaned('task')],
    [
      'ends both, whatever the work',
      { remaining: 0 },
      { live: [chat, task], work: bothWork },
      orphaned('chat', 'task'),
    ],
    [
      'ends sessions that named a launch too',
      { remaining: 0 },
      { live: [by('a', chat), task] },
      orphaned('chat', 'task'),
    ],
    [
      'ends one that is being judged',
      { remaining: 0 },
      { live: [suspected(chat), task] },
      orphaned('chat', 'task'),
    ],
    ['ends nothing where nothing is', { remaining: 0 }, { live: [] }, nothing],
  ])('[PX3] %s', check)
})

describe('a report without a launch id that leaves some', () => {
  test.each<Row>([
    ['one left, no session', { remaining: 1 }, { work: bothWork }, nothing],
    ['one left, one chat', { remaining: 1 }, { live: [chat], work: taskWork }, nothing],
    ['one left, one task', { remaining: 1 }, { live: [task], work: chatWork }, nothing],
    ['two left, both', { remaining: 2 }, { live: [chat, task], work: taskWork }, nothing],
    ['three left, both', { remaining: 3 }, { live: [chat, task], work: chatWork }, nothing],
    [
      'one left, both, a task to do: the chat is the orphan',
      { remaining: 1 },
      { live: [chat, task], work: taskWork },
      judging('chat'),
    ],
    [
      'one left, both, a task and a chat to do: the same',
      { remaining: 1 },
      { live: [chat, task], work: bothWork },
      judging('chat'),
    ],
    [
      'one left, both, a chat to do: the task is the orphan',
      { remaining: 1 },
      { live: [chat, task], work: chatWork },
      judging('task'),
    ],
    [
      'one left, both, nothing to do: the time to live decides',
      { remaining: 1 },
      { live: [chat, task], work: noWork },
      nothing,
    ],
    [
      'the order of sessions does not matter',
      { remaining: 1 },
      { live: [task, chat], work: taskWork },
      judging('chat'),
    ],
    [
      'without a grace it ends at once',
      { remaining: 1 },
      { live: [chat, task], work: taskWork, graceMs: 0 },
      orphaned('chat'),
    ],
  ])('[PX4] %s', check)

  test('[PX8] a second report puts no other launch in doubt and moves no deadline', () => {
    const live = [suspected(chat), task]
    const goesOn = {
      decision: 'judging',
      suspectId: 'chat',
      until: later(now, graceMs - 4000),
      begins: false,
    }
    for (const work of [taskWork, chatWork, bothWork, noWork])
      expect(decided({ remaining: 1 }, { live, work })).toEqual(goesOn)
  })
})

describe('launches that the server ordered elsewhere', () => {
  const elsewhere = { launchesElsewhere: ['a'] }
  test.each<Row>([
    [
      'a session held there is not in question',
      { remaining: 0 },
      { ...elsewhere, live: [by('a', chat)] },
      nothing,
    ],
    [
      'only the other one ends',
      { remaining: 0 },
      { ...elsewhere, live: [by('a', chat), task], work: taskWork },
      orphaned('task'),
    ],
    [
      'a guess never falls on it',
      { remaining: 1 },
      { ...elsewhere, live: [by('a', chat), task], work: taskWork },
      nothing,
    ],
    [
      'both held there',
      { remaining: 0 },
      { ...elsewhere, live: [by('a', chat), by('a', task)] },
      nothing,
    ],
    [
      'one that named itself to nobody counts as a process left',
      { remaining: 0 },
      { ...elsewhere, live: [chat] },
      nothing,
    ],
    [
      'and the guess is made between both',
      { remaining: 0 },
      { ...elsewhere, live: [chat, task], work: chatWork },
      judging('task'),
    ],
    [
      'two of them leave nothing to end',
      { remaining: 0 },
      { launchesElsewhere: ['a', 'b'], live: [chat, task] },
      nothing,
    ],
    [
      'a launch of somebody else protects nothing',
      { remaining: 0 },
      { ...elsewhere, live: [by('z', chat), by('a', task)] },
      orphaned('chat'),
    ],
  ])('[PX5] %s', check)
})

describe('a report that is late, repeated or from the past', () => {
  const live = [by('a', chat), task]
  const duplicate: ExitDecision = { decision: 'duplicate' }
  const fenced: ExitDecision = { decision: 'fenced', currentEpoch: 3 }
  test.each<Row>([
    ['the same with a launch id', { launchId: 'a' }, { seenBefore: true, live }, duplicate],
    ['the same without', { remaining: 0 }, { seenBefore: true, live }, duplicate],
    [
      'the same after a takeover',
      { epoch: 2 },
      { seenBefore: true, currentEpoch: 3, live },
      duplicate,
    ],
    [
      'an older epoch, with a launch id',
      { launchId: 'a', epoch: 2 },
      { currentEpoch: 3, live },
      fenced,
    ],
    ['an older epoch, without', { remaining: 0, epoch: 2 }, { currentEpoch: 3, live }, fenced],
    ['the present epoch', { launchId: 'a', epoch: 3 }, { currentEpoch: 3, live }, exited('chat')],
    [
      'a newer epoch than is known',
      { launchId: 'a', epoch: 4 },
      { currentEpoch: 3, live },
      exited('chat'),
    ],
    ['a reporter without epochs', { launchId: 'a' }, { currentEpoch: 3, live }, exited('chat')],
    ['an epoch where none is known', { launchId: 'a', epoch: 1 }, { live }, exited('chat')],
  ])('[PX6] %s', check)
})

describe('every cell at once', () => {
  const holders = [null, 'a', 'b']
  const possible = [chat, task].map((held) => [
    undefined,
    ...holders.map((launchId) => ({ ...held, launchId })),
    ...holders.map((launchId) => suspected({ ...held, launchId })),
  ])
  const cells = possible[0]?.flatMap((one) =>
    (possible[1] ?? []).map((other) => [one, other].filter((held) => held !== undefined)),
  )

  test('[PX7] an exit touches only what it may, in each of the cells', () => {
    let looked = 0
    for (const live of cells ?? [])
      for (const launchId of [null, 'a', 'b', 'c'])
        for (const remaining of [0, 1, 2])
          for (const launchesElsewhere of [[], ['a'], ['b'], ['a', 'b'], ['c']])
            for (const work of [taskWork, chatWork, bothWork, noWork]) {
              looked++
              const decision = decided({ launchId, remaining }, { live, launchesElsewhere, work })
              const touched =
                decision.decision === 'ended'
                  ? decision.ended.map(({ id }) => id)
                  : decision.decision === 'judging'
                    ? [decision.suspectId]
                    : []
              const holderOf = (id: string): string | null =>
                live.find((held) => held.id === id)?.launchId ?? null
              if (launchId !== null) {
                expect(touched).toEqual(
                  live.filter((held) => held.launchId === launchId).map(({ id }) => id),
                )
                continue
              }
              for (const id of touched) expect(launchesElsewhere).not.toContain(holderOf(id))
              const processes = remaining + launchesElsewhere.length
              if (live.length <= processes) expect(decision).toEqual(nothing)
              if (processes === 0 && live.length > 0) expect(touched).toHaveLength(live.length)
              if (decision.decision === 'judging') expect(live).toHaveLength(2)
            }
    expect(looked).toBe(7 * 7 * 4 * 3 * 5 * 4)
  })
})

describe('a session in doubt', () => {
  const until = later(now, graceMs)
  test.each<[string, Instant, Instant | null, ReturnType<typeof settleSuspicion>]>([
    ['is not settled before the grace is over', later(until, -1), null, 'undecided'],
    ['ends with the grace', until, null, 'orphaned'],
    ['is alive if a call began after the report', until, later(now, 1), 'alive'],
    ['is alive at once, before the grace is over', later(now, 2), later(now, 1), 'alive'],
    ['is alive by a call at the end of the grace', until, until, 'alive'],
    [
      'is not saved by a call that began before the report and is held',
      until,
      later(now, -1),
      'orphaned',
    ],
    ['is not saved by a call that began with the report', until, now, 'orphaned'],
    [
      'is alive by a call after the grace that came before the sweeper',
      later(until, 900),
      later(until, 500),
      'alive',
    ],
  ])('[PX4] %s', (_cell, at, lastCallBeganAt, expected) => {
    expect(settleSuspicion(at, now, lastCallBeganAt, graceMs)).toBe(expected)
  })
})
