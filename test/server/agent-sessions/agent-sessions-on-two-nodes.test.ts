/**
 * Agent sessions with two nodes on one PostgreSQL: what is serial in one process must be so between
 * two.
 */
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { superseded } from '../../../src/server/agent-sessions/waiting-calls.ts'
import {
  findDueAgentSessions,
  findLeftOpen,
  listAgentSessions,
  listLiveAgentSessions,
} from '../../../src/services/agent-sessions/queries.ts'
import { sweepAgentSession } from '../../../src/services/flows/agent-sessions/sweep-agent-session.ts'
import { firstLive } from '../../../src/store/agent-sessions/due-agent-sessions.ts'
import { callsOn, openOffice, unknownCaller } from '../../services/agent-sessions/agent-office.ts'
import { amount } from '../../support/extent.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { usePostgres } from '../../support/postgres.ts'
import { openNodes } from '../../support/postgres-store.ts'

usePostgres()

test('[AS4] two processes authenticating on two nodes at once, many times: never two live sessions of one purpose', async () => {
  const nodes = await openNodes()
  const office = await openOffice(nodes[0], systemClock)
  const calls = nodes.map((node) => callsOn(node, systemClock))
  const [agents, roundsEach] = amount([8, 3] as const, [20, 4] as const)
  const play = async (name: string): Promise<number> => {
    const agentId = await office.hire(name)
    await office.say('never answered', agentId)
    let started = 0
    for (let round = 0; round < roundsEach; round++) {
      const claim = { agentId, passkey: office.passkeyOf(agentId), projectId: office.projectId }
      const answers = await Promise.all(
        calls.map((each) => each.authenticate(unknownCaller, claim)),
      )
      const signed = answers.flatMap((answer) => (answer.status === 'ok' ? [answer] : []))
      expect(signed).toHaveLength(1)
      started += signed.length
      for (const { token } of signed)
        await office.calls.logout(await office.calls.caller(unknownCaller, token))
    }
    return started
  }
  const started = await Promise.all(Array.from({ length: agents }, (_, n) => play(`agent${n}`)))
  expect(started.reduce((sum, each) => sum + each, 0)).toBe(agents * roundsEach)
}, 120_000)

test('[NA12] a call that is held on one node is answered by what happens on the other', async () => {
  const [here, there] = await openNodes()
  const office = await openOffice(here, systemClock)
  const elsewhere = callsOn(there, systemClock)
  await office.openPanel()
  const signed = await office.signIn()
  const answer = elsewhere.nextAction(unknownCaller, signed.token, 20)
  while (elsewhere.waitingCalls.size === 0) await new Promise((resolve) => setImmediate(resolve))
  await office.say('hello')
  expect(await answer).toMatchObject({ next: { action: 'get_pending_messages' } })
})

test('[NA3] [SC1] a call that is held on one node gives way to a newer one at another, and not to an older one', async () => {
  const nodes = await openNodes()
  const office = await openOffice(nodes[0], systemClock)
  const clocks = [manualClock(), manualClock()] as const
  const [here, there] = [callsOn(nodes[0], clocks[0]), callsOn(nodes[1], clocks[1])]
  await office.openPanel()
  const signed = await office.signIn()
  const hold = async (calls: typeof here) => {
    const answer = calls.nextAction(unknownCaller, signed.token, 20)
    while (calls.waitingCalls.size === 0) await new Promise((resolve) => setImmediate(resolve))
    return { answer }
  }
  clocks[0].advance(500)
  const first = await hold(here)
  await there.nextAction(unknownCaller, signed.token, 0)
  await new Promise<void>((resolve) => {
    nodes[0].doorbell.onSignal('whatever was said before has come', () => resolve())
    nodes[1].doorbell.sendSignal('whatever was said before has come', 0)
  })
  expect(here.waitingCalls.size).toBe(1)
  clocks[1].advance(5000)
  const second = await hold(there)
  expect(await first.answer).toBe(superseded)
  await office.say('hello')
  expect(await second.answer).toMatchObject({ next: { action: 'get_pending_messages' } })
})

test('[AS6] everything about agent sessions is read and swept alike on PostgreSQL', async () => {
  const [store] = await openNodes()
  const office = await openOffice(store, systemClock, { 'process_exit.grace_seconds': 1 })
  const { projectId, agentId } = office
  await office.say('hello')
  const chat = await office.signIn()
  await office.giveTask()
  const task = await office.signIn()
  expect(await office.next(task)).toMatchObject({ action: 'work_on_task' })
  expect(await store.query(listLiveAgentSessions, { after: firstLive, limit: 10 })).toHaveLength(2)
  expect(await store.query(findDueAgentSessions, {})).toEqual([])
  expect(await store.query(findLeftOpen, {})).toEqual([])
  await office.calls.reportExit(unknownCaller.who, {
    projectId,
    agentId,
    remainingProcesses: 1,
    reportId: 'r1',
    epoch: 1,
  })
  const due = await store.query(findDueAgentSessions, {})
  expect(due.map(({ agentSessionId }) => agentSessionId)).toEqual([chat.agentSessionId])
  for (const which of due)
    expect(await store.run(sweepAgentSession, { ...which, lastSeenAt: null })).toEqual({
      ended: null,
    })
  const ids = async (state: 'active' | 'ended') =>
    (await store.query(listAgentSessions, { projectId, agentId, state, limit: 10 })).items.map(
      ({ id }) => id,
    )
  await office.calls.logout(await office.caller(chat))
  expect([await ids('active'), await ids('ended')]).toEqual([
    [task.agentSessionId],
    [chat.agentSessionId],
  ])
})
