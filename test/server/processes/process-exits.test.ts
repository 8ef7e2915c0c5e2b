/**
 * What follows from the exit of a process, cell by cell, through the service and what the sweeper
 * makes of a suspicion (PX).
 */
import { describe, expect, test } from 'vitest'
import { instant } from '../../../src/domain/instant.ts'
import { projectStream } from '../../../src/domain/stream-name.ts'
import type { ProcessExit } from '../../../src/protocol/processes/process-exit.ts'
import { LastSeen } from '../../../src/server/agent-sessions/agent-calls.ts'
import { getAgentAction } from '../../../src/services/flows/work/take-next-action.ts'
import { sweepExpired } from '../../../src/services/system/sweep-expired.ts'
import {
  nowhere,
  type Office,
  openOffice,
  refusalOf,
  type Signed,
  unknownCaller,
} from '../../services/agent-sessions/agent-office.ts'
import { typesOf } from '../../services/projects/installation.ts'
import { sharedStore } from '../../services/work/work-room.ts'
import { agentSessionLooks } from '../../support/due-work.ts'

const shared = sharedStore()
const open = (settings?: Readonly<Record<string, number>>) =>
  openOffice(shared.store, shared.clock, settings)

/** Each project has a coordinator of its own, unless another is named. */
const report = (
  { calls, projectId, agentId }: Office,
  said: Partial<ProcessExit>,
  reporter = `of ${projectId}`,
) =>
  calls.reportExit(
    { ...unknownCaller.who, id: reporter },
    { agentId, projectId, remainingProcesses: 0, ...said },
  )

const statesOf = async (office: Office, signed: readonly Signed[]) => {
  const found = await Promise.all(signed.map((each) => office.one(each)))
  return found.map((each) => each?.endReason ?? each?.state)
}

/** A chat and a task session, of launches with names unless they are left out. */
async function both(
  settings?: Readonly<Record<string, number>>,
  launches: readonly [string?, string?] = [],
) {
  const office = await open(settings)
  await office.say('hello')
  const chat = await office.signIn(office.agentId, launches[0])
  const { taskId } = await office.giveTask()
  const task = await office.signIn(office.agentId, launches[1])
  const sweeper = agentSessionLooks({
    ...shared,
    logger: nowhere,
    lastSeen: office.calls.lastSeen,
  })
  return { office, chat, task, taskId, sweeper }
}

/** The work that is left: as each cell of the table needs it. */
async function leave(
  work: 'task' | 'chat' | 'none',
  { office, chat, taskId }: Awaited<ReturnType<typeof both>>,
): Promise<void> {
  if (work !== 'task') await office.finish(taskId)
  if (work !== 'none') return
  await office.handOver(chat)
  await office.answer(chat, '')
}

describe('with a launch id', () => {
  test('[PX2] exactly the session of that launch ends, whatever else lives and however many are left', async () => {
    const { office, chat, task } = await both({}, ['l-chat', 'l-task'])
    expect(await report(office, { launchId: 'l-chat', remainingProcesses: 1 })).toEqual({
      decision: 'ended',
      ended: [chat.agentSessionId],
    })
    expect(await statesOf(office, [chat, task])).toEqual(['process_exited', 'active'])
    expect(await report(office, { launchId: 'l-task', remainingProcesses: 5 })).toMatchObject({
      decision: 'ended',
    })
  })

  test('[PX2] a process that had logged out, or never signed in, ends nothing', async () => {
    const { office, chat, task } = await both({}, ['l-chat', 'l-task'])
    await office.calls.logout(await office.caller(chat))
    for (const launchId of ['l-chat', 'l-other'])
      expect(await report(office, { launchId })).toEqual({ decision: 'nothing', ended: [] })
    expect(await statesOf(office, [chat, task])).toEqual(['logout', 'active'])
  })

  test('[PX2] a launch of another agent or project ends nothing here', async () => {
    const [one, two] = [await both({}, ['l-1', 'l-2']), await open()]
    expect(await report(two, { launchId: 'l-1' })).toEqual({ decision: 'nothing', ended: [] })
    expect(await statesOf(one.office, [one.chat, one.task])).toEqual(['active', 'active'])
  })
})

describe('without a launch id', () => {
  test('[PX3] none left: every session of the pair ends, with its work session; another agent’s do not', async () => {
    const { office, chat, task } = await both()
    const ben = await office.hire('ben')
    await office.say('hello', ben)
    const other = await office.signIn(ben)
    const answer = await report(office, { remainingProcesses: 0 })
    expect(answer.decision).toBe('ended')
    expect(new Set(answer.ended)).toEqual(new Set([chat.agentSessionId, task.agentSessionId]))
    expect(await statesOf(office, [chat, task, other])).toEqual(['orphaned', 'orphaned', 'active'])
    expect((await typesOf(shared.store, projectStream(office.projectId))).at(-1)).toBe(
      'work-session-ended',
    )
  })

  test('[PX3] no session: there is nothing to end', async () => {
    const office = await open()
    for (const remainingProcesses of [0, 1, 2])
      expect(await report(office, { remainingProcesses })).toEqual({
        decision: 'nothing',
        ended: [],
      })
  })

  test.each([
    { live: 1, remainingProcesses: 1 },
    { live: 1, remainingProcesses: 2 },
    { live: 2, remainingProcesses: 2 },
    { live: 2, remainingProcesses: 3 },
  ])(
    '[PX4] $live live and $remainingProcesses left: nothing',
    async ({ live, remainingProcesses }) => {
      const { office, chat, task } = await both()
      if (live === 1) await office.calls.logout(await office.caller(task))
      expect(await report(office, { remainingProcesses })).toEqual({
        decision: 'nothing',
        ended: [],
      })
      expect(await statesOf(office, [chat, task])).toEqual([
        'active',
        live === 1 ? 'logout' : 'active',
      ])
    },
  )

  test.each([
    { work: 'task', suspect: 'chat' },
    { work: 'chat', suspect: 'task' },
  ] as const)(
    '[PX4] two live, one left, $work work: the $suspect session is judged, and ends after the grace',
    async (cell) => {
      const world = await both()
      const { office, chat, task, sweeper } = world
      await leave(cell.work, world)
      expect(await report(office, { remainingProcesses: 1 })).toEqual({
        decision: 'judging',
        ended: [],
      })
      expect((await typesOf(shared.store, projectStream(office.projectId))).at(-1)).toBe(
        'agent-session-suspected',
      )
      await sweeper.run()
      expect(await statesOf(office, [chat, task])).toEqual(['active', 'active'])
      shared.clock.advance(5000)
      await sweeper.run()
      shared.clock.advance(4999)
      await sweeper.run()
      expect(await statesOf(office, [chat, task])).toEqual(['active', 'active'])
      shared.clock.advance(1)
      await sweeper.run()
      const left = cell.suspect === 'chat' ? ['orphaned', 'active'] : ['active', 'orphaned']
      expect(await statesOf(office, [chat, task])).toEqual(left)
    },
  )

  test('[PX4] two live, one left, no work: nothing, the time to live decides', async () => {
    const world = await both()
    await leave('none', world)
    expect(await report(world.office, { remainingProcesses: 1 })).toEqual({
      decision: 'nothing',
      ended: [],
    })
  })

  test('[PX4] an open panel is a wish, not work: it says nothing about who survived', async () => {
    const world = await both()
    await leave('none', world)
    await world.office.openPanel()
    expect(await report(world.office, { remainingProcesses: 1 })).toEqual({
      decision: 'nothing',
      ended: [],
    })
  })

  test('[PX8] a call that begins after the report shows that the suspect lives', async () => {
    const { office, chat, task } = await both()
    // On a node that has not heard the call itself: the evidence is in the store.
    const sweeper = agentSessionLooks({
      ...shared,
      logger: nowhere,
      lastSeen: new LastSeen(),
    })
    await sweeper.run()
    shared.clock.advance(1)
    await report(office, { remainingProcesses: 1 })
    for (const each of [chat, task, chat]) {
      shared.clock.advance(1)
      await office.next(each)
    }
    for (const ms of [5000, 5000, 5000]) {
      shared.clock.advance(ms)
      await sweeper.run()
    }
    expect(await statesOf(office, [chat, task])).toEqual(['active', 'active'])
    // The next death is judged anew.
    expect(await report(office, { remainingProcesses: 1 })).toMatchObject({ decision: 'judging' })
  })

  test.each(['the store', 'memory'])(
    '[PX4] a suspect that lives, as %s says, has the other one judged, which ends',
    async (where) => {
      const { office, chat, task, sweeper } = await both()
      await sweeper.run()
      shared.clock.advance(1)
      await report(office, { remainingProcesses: 1 })
      shared.clock.advance(1)
      if (where === 'memory')
        office.calls.lastSeen.saw(chat.agentSessionId, instant(shared.clock.now()))
      else await office.next(chat)
      await sweeper.run()
      expect(await statesOf(office, [chat, task])).toEqual(['active', 'active'])
      for (const ms of [5000, 5000]) {
        shared.clock.advance(ms)
        await sweeper.run()
      }
      expect(await statesOf(office, [chat, task])).toEqual(['active', 'orphaned'])
    },
  )

  test('[PX8] another report while one is judged suspects nobody else: one death explains one suspect', async () => {
    const { office, chat, task, taskId, sweeper } = await both()
    await sweeper.run()
    await report(office, { remainingProcesses: 1, reportId: 'r1' })
    await office.finish(taskId)
    expect(await report(office, { remainingProcesses: 1, reportId: 'r2' })).toMatchObject({
      decision: 'judging',
    })
    for (const ms of [5000, 5000]) {
      shared.clock.advance(ms)
      await sweeper.run()
    }
    expect(await statesOf(office, [chat, task])).toEqual(['orphaned', 'active'])
  })

  test('[PX8] without a grace it ends at once', async () => {
    const { office, chat, task } = await both({ 'process_exit.grace_seconds': 0 })
    expect(await report(office, { remainingProcesses: 1 })).toEqual({
      decision: 'ended',
      ended: [chat.agentSessionId],
    })
    expect(await statesOf(office, [chat, task])).toEqual(['orphaned', 'active'])
  })
})

describe('reports', () => {
  test('[PX6] the same report again does nothing more, not even after a new session has begun', async () => {
    const { office } = await both({}, ['l-1', 'l-2'])
    await report(office, { reportId: 'r1' })
    await office.say('again')
    const fresh = await office.signIn()
    for (let again = 0; again < 3; again++)
      expect(await report(office, { reportId: 'r1' })).toEqual({ decision: 'duplicate', ended: [] })
    expect(await statesOf(office, [fresh])).toEqual(['active'])
    // The ids of another coordinator are its own.
    expect(await report(office, { reportId: 'r1' }, 'another')).toMatchObject({ decision: 'ended' })
  })

  test('[PX6] ten deliveries of one report at once are decided once', async () => {
    const { office, chat, task } = await both()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => report(office, { reportId: 'r1' })),
    )
    expect(answers.filter(({ decision }) => decision === 'ended')).toHaveLength(1)
    expect(answers.filter(({ decision }) => decision === 'duplicate')).toHaveLength(9)
    expect(await statesOf(office, [chat, task])).toEqual(['orphaned', 'orphaned'])
  })

  test('[PX6] an epoch that was taken over is refused and changes nothing', async () => {
    const { office, chat } = await both({}, ['l-chat', 'l-task'])
    expect(await report(office, { launchId: 'l-none', epoch: 7 })).toMatchObject({
      decision: 'nothing',
    })
    expect(
      await refusalOf(report(office, { launchId: 'l-chat', epoch: 6, reportId: 'late' })),
    ).toMatchObject({
      code: 'fenced',
      fields: { epoch: 7 },
    })
    expect(await statesOf(office, [chat])).toEqual(['active'])
    // Refused, it was not counted as seen; and another coordinator has epochs of its own.
    expect(await report(office, { launchId: 'l-chat', epoch: 7, reportId: 'late' })).toMatchObject({
      decision: 'ended',
    })
    expect(await report(office, { launchId: 'l-task', epoch: 1 }, 'another')).toMatchObject({
      decision: 'ended',
    })
  })

  test('[PX1] an unknown project or agent is not found', async () => {
    const office = await open()
    expect(await refusalOf(report(office, { projectId: 'nowhere' }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusalOf(report(office, { agentId: 'nobody' }))).toMatchObject({
      code: 'agent_not_found',
    })
  })
})

test('[CO3] whether an agent is to be started follows from the work and from what lives', async () => {
  const office = await open()
  const { store, projectId, agentId } = office
  const action = async () => (await store.query(getAgentAction, { projectId, agentId })).action
  expect(await action()).toBe('none')
  await office.say('hello')
  expect(await action()).toBe('start')
  await office.signIn()
  expect(await action()).toBe('none')
  await office.giveTask()
  expect(await action()).toBe('start')
  expect(
    await refusalOf(store.query(getAgentAction, { projectId, agentId: 'nobody' })),
  ).toMatchObject({
    code: 'agent_not_found',
  })
})

test('[PX6] reports are remembered for seven days and cleared away after', async () => {
  const office = await open()
  await report(office, { reportId: 'r1' })
  shared.clock.advance(7 * 24 * 3_600_000 - 1)
  await shared.store.run(sweepExpired, {})
  expect(await report(office, { reportId: 'r1' })).toMatchObject({ decision: 'duplicate' })
  shared.clock.advance(1)
  await shared.store.run(sweepExpired, {})
  expect(await report(office, { reportId: 'r1' })).toMatchObject({ decision: 'nothing' })
})
