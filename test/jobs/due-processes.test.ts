/**
 * What the clock does to processes and coordinators, and what it must not: sleep, jumps and
 * restarts end nothing (NA5, NA6, CO6).
 */
import { describe, expect, test } from 'vitest'
import { dueAgentSessions } from '../../src/jobs/due-agent-sessions.ts'
import { dueProcesses } from '../../src/jobs/due-processes.ts'
import { endChat } from '../../src/services/flows/conversations/start-chat.ts'
import { unassignAgent } from '../../src/services/flows/projects/unassign-agent.ts'
import { listCoordinators } from '../../src/services/processes/queries.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import {
  exited,
  openPad,
  ordered,
  playCoordinator,
  running,
} from '../services/processes/launch-pad.ts'
import { by, typesOf } from '../services/projects/installation.ts'
import { looksFor } from '../support/due-work.ts'
import { openTestStore } from '../support/store.ts'

const minute = 60_000

async function open(
  settings: Readonly<Record<string, number>> = {},
  takeoverMinutes: number | null = null,
) {
  const { store, clock } = await openTestStore()
  const pad = await openPad(store, clock, settings)
  const { lastSeen, waitingCalls } = pad.calls
  const parts = { store, clock, logger: nowhere, lastSeen }
  const newLooks = () =>
    looksFor(parts, (hearing) => [
      ...dueProcesses({
        ...parts,
        hearing,
        launches: pad.launches,
        waitingCalls,
        unreachableSeconds: 30,
        takeoverMinutes,
        maxConcurrent: 64,
      }),
      ...dueAgentSessions(parts),
    ])
  let looks = newLooks()
  const sweep = () => looks.run()
  await sweep()
  /** Time as a machine that is awake sees it, with a coordinator that is heard of. */
  const pass = async (ms: number, silent = false): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 2000) {
      clock.advance(Math.min(2000, ms - passed))
      if (!silent) await pad.coordinator.tell()
      await sweep()
    }
  }
  const restart = () => {
    looks = newLooks()
  }
  const stopOf = async (launchId: string) => (await pad.process(launchId)).stopReason
  const coordinatorState = async () =>
    (await store.query(listCoordinators, { limit: 1 })).items[0]?.state
  return { store, clock, pad, sweep, pass, restart, stopOf, coordinatorState }
}

describe('a process', () => {
  test('[CO3] a process that never signs in is stopped and counts as a failed start', async () => {
    const { pad, pass, stopOf } = await open({ 'agent.start_timeout_seconds': 10 })
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    await pass(20_000)
    expect(await pad.process(launchId)).toMatchObject({ state: 'waiting' })
    await pad.coordinator.start(launchId)
    await pass(8000)
    expect(await stopOf(launchId)).toBeNull()
    await pass(2000)
    expect(await stopOf(launchId)).toBe('start_timeout')
    expect(await pad.order()).toBeNull()
    await pad.coordinator.tell(exited(launchId, { signal: 'SIGTERM', stopped: true }))
    expect(await pad.process(launchId)).toMatchObject({
      state: 'ended',
      reason: 'start_timeout',
      detail: 'It did not sign in within 10 seconds',
    })
  })

  test('[NA5] whose session is over and that does not go is stopped', async () => {
    const { store, pad, pass, stopOf } = await open()
    await pad.say('hello')
    const chat = await running(pad)
    await store.run(endChat, { projectId: pad.projectId, agentId: pad.agentId, by })
    await pass(58_000)
    expect(await pad.one(chat)).toMatchObject({ state: 'terminating' })
    await pass(2000)
    expect(await pad.one(chat)).toMatchObject({ state: 'ended', endReason: 'closed' })
    // In the same commit, so that nobody is started beside it.
    expect(await stopOf(chat.launchId)).toBe('finished')
  })

  test('[NA6] a chat’s process without calls is stopped, later if messages wait', async () => {
    const settings = {
      'chat.soft_timeout_minutes': 1,
      'chat.hard_timeout_minutes': 2,
      'turn.max_minutes': 5,
    }
    const { pad, pass, stopOf } = await open(settings)
    await pad.openPanel()
    const idle = await running(pad)
    await pass(minute)
    await pad.calls.caller(await pad.bearer(idle.launchToken), undefined)
    await pass(2 * minute - 2000)
    expect(await stopOf(idle.launchId)).toBeNull()
    await pass(2000)
    expect(await stopOf(idle.launchId)).toBe('idle')
    await pad.coordinator.tell(exited(idle.launchId, { signal: 'SIGTERM', stopped: true }))
    expect(await pad.process(idle.launchId)).toMatchObject({ reason: 'idle' })
    // AS5: the stop that was ordered says why.
    expect(await pad.one(idle)).toMatchObject({ state: 'ended', endReason: 'timeout' })
    await pad.say('think hard')
    const busy = await running(pad)
    await pad.handOver({ ...busy, agentId: pad.agentId, projectId: pad.projectId })
    await pass(5 * minute - 2000)
    expect(await stopOf(busy.launchId)).toBeNull()
    await pass(2000)
    expect(await stopOf(busy.launchId)).toBe('idle')
  })

  test('[AS6] a process that is known to run keeps its session, however long silent', async () => {
    const { pad, pass, stopOf } = await open({ 'agent_session.ttl_minutes': 1 })
    await pad.giveTask()
    const task = await running(pad)
    await pass(10 * minute)
    expect(await pad.one(task)).toMatchObject({ state: 'active' })
    expect(await stopOf(task.launchId)).toBeNull()
    await pad.coordinator.tell(exited(task.launchId, { exitCode: 1 }))
    expect(await pad.one(task)).toMatchObject({ state: 'ended', endReason: 'process_exited' })
  })

  test('[CO6] is not touched by an hour of sleep, nor by a server that was away', async () => {
    const { pad, clock, sweep, pass, restart, stopOf, coordinatorState } = await open({
      'agent.start_timeout_seconds': 10,
    })
    await pad.openPanel()
    const chat = await running(pad)
    await pad.giveTask()
    const { launchId: young } = await ordered(pad)
    await pad.coordinator.start(young)
    clock.advance(60 * minute)
    await sweep()
    expect([await stopOf(chat.launchId), await stopOf(young), await coordinatorState()]).toEqual([
      null,
      null,
      'connected',
    ])
    restart()
    clock.advance(60 * minute)
    restart()
    await sweep()
    expect([await stopOf(chat.launchId), await stopOf(young), await coordinatorState()]).toEqual([
      null,
      null,
      'connected',
    ])
    // From here on the clock counts again.
    await pass(10_000)
    expect(await stopOf(young)).toBe('start_timeout')
  })
})

describe('a launch that waits', () => {
  test('[CO3] is withdrawn when its work is gone', async () => {
    const { store, pad, pass } = await open()
    await pad.openPanel()
    const { launchId } = await ordered(pad)
    await pass(2000)
    expect(await pad.process(launchId)).toMatchObject({ state: 'waiting' })
    await store.run(endChat, { projectId: pad.projectId, agentId: pad.agentId, by })
    await pass(2000)
    expect(await pad.process(launchId)).toMatchObject({ state: 'ended', reason: 'withdrawn' })
  })

  test('[CO3] is withdrawn with the assignment of its agent', async () => {
    const { store, pad, pass } = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    await store.run(unassignAgent, { projectId: pad.projectId, agentId: pad.agentId, by })
    await pass(2000)
    expect(await pad.process(launchId)).toMatchObject({ state: 'ended', reason: 'withdrawn' })
  })

  test('[CO3] for a coordinator that went away is given to another that is here', async () => {
    const { pad, pass } = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    await pad.coordinator.tell({ type: 'goodbye' })
    await pass(4000, true)
    expect(await pad.process(launchId)).toMatchObject({ state: 'waiting' })
    const other = playCoordinator(pad.launches)
    await other.register()
    await pass(2000, true)
    expect(await pad.process(launchId)).toMatchObject({ state: 'ended', reason: 'withdrawn' })
    expect(await pad.order()).toMatchObject({ coordinatorId: other.id })
  })
})

describe('a coordinator that is silent', () => {
  test('[CO8] a silent coordinator is shown as unreachable until heard, no more', async () => {
    const { store, pad, pass, stopOf, coordinatorState } = await open({
      'chat.hard_timeout_minutes': 1,
      'chat.soft_timeout_minutes': 1,
    })
    await pad.openPanel()
    const chat = await running(pad)
    await pass(28_000, true)
    expect(await coordinatorState()).toBe('connected')
    await pass(2000, true)
    expect(await coordinatorState()).toBe('unreachable')
    await pass(60 * minute, true)
    expect(await pad.process(chat.launchId)).toMatchObject({ state: 'running', stopReason: null })
    expect(await pad.one(chat)).toMatchObject({ state: 'active' })
    await pad.coordinator.tell()
    expect(await coordinatorState()).toBe('connected')
    await pass(2000)
    expect(await stopOf(chat.launchId)).toBe('idle')
    expect(
      (await typesOf(store, 'home')).filter((type) => type.startsWith('coordinator-')),
    ).toEqual(['coordinator-joined', 'coordinator-unreachable', 'coordinator-back'])
  }, 60_000)

  test('[CO8] is taken over by the clock where that is set, and only then', async () => {
    const { pad, pass, coordinatorState } = await open({}, 5)
    await pad.say('hello')
    const chat = await running(pad)
    await pass(5 * minute - 2000, true)
    expect(await pad.process(chat.launchId)).toMatchObject({ state: 'running' })
    await pass(2000, true)
    expect(await pad.process(chat.launchId)).toMatchObject({
      state: 'ended',
      reason: 'coordinator_lost',
    })
    expect(await pad.one(chat)).toMatchObject({ state: 'ended', endReason: 'coordinator_lost' })
    expect(await coordinatorState()).toBe('stopped')
    await pass(10_000, true)
    expect(
      (await typesOf(pad.store, 'home')).filter((type) => type === 'coordinator-taken-over'),
    ).toHaveLength(1)
  })
})
