/**
 * Launches from their order to their end, on both engines: who orders, who takes, what follows from
 * what is told (CO, PX2).
 */
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { changeAgent } from '../../../src/services/agents/change-agent.ts'
import { getAgentAction } from '../../../src/services/flows/work/take-next-action.ts'
import { listCoordinators } from '../../../src/services/processes/queries.ts'
import { changeProject } from '../../../src/services/projects/change-project.ts'
import type { Store } from '../../../src/store/store.ts'
import { engines } from '../../support/either-store.ts'
import { type ManualClock, manualClock } from '../../support/manual-clock.ts'
import { newPostgresStoreUrl, usePostgres } from '../../support/postgres.ts'
import { openPostgres } from '../../support/postgres-store.ts'
import { openTestStore } from '../../support/store.ts'
import { refusalOf } from '../agent-sessions/agent-office.ts'
import { by, typesOf } from '../projects/installation.ts'
import { exited, openPad, ordered, playCoordinator, running, started } from './launch-pad.ts'

usePostgres()

async function openEither(
  engine: (typeof engines)[number],
): Promise<{ store: Store; clock: ManualClock }> {
  if (engine === 'SQLite') return openTestStore()
  const clock = manualClock()
  return { store: await openPostgres({ url: await newPostgresStoreUrl(), clock }), clock }
}

describe.each(engines)('launches on %s', (engine) => {
  const open = async (settings?: Readonly<Record<string, number>>) => {
    const { store, clock } = await openEither(engine)
    return Object.assign(await openPad(store, clock, settings), { clock })
  }

  test('[CO3] twenty triggers at once order one launch', async () => {
    const pad = await open()
    await pad.say('hello')
    const answers = await Promise.all(Array.from({ length: 20 }, () => pad.order()))
    const [one] = answers.filter((each) => each !== null)
    expect(answers.filter((each) => each !== null)).toHaveLength(1)
    expect(await pad.processes()).toEqual([one])
    expect(
      (await typesOf(pad.store, projectStream(pad.projectId))).filter((type) =>
        type.startsWith('process-'),
      ),
    ).toEqual(['process-waiting'])
    expect((await typesOf(pad.store, 'home')).at(-1)).toBe('process-waiting')
  })

  test('[CO3] it goes from waiting over starting to running, and its agent signs in with nothing but its token', async () => {
    const pad = await open()
    await pad.say('hello')
    const { launchId, state } = await ordered(pad)
    expect(state).toBe('waiting')
    const particulars = await pad.coordinator.take(launchId)
    expect(particulars).toEqual({
      type: 'coordinator:launch',
      launchId,
      agentId: pad.agentId,
      projectId: pad.projectId,
      protocol: 'mcp',
      command: '/bin/agent',
      args: ['--now'],
      env: { KEY: 'value' },
      folder: null,
      launchToken: expect.stringMatching(/^hf_launch_.{43}$/),
      acp: null,
      secrets: { environment: {}, files: {} },
    })
    expect(await pad.process(launchId)).toMatchObject({ state: 'starting', pid: null })
    expect(await pad.order()).toBeNull()
    await pad.coordinator.tell(started(launchId, 99))
    expect(await pad.process(launchId)).toMatchObject({ state: 'running', pid: 99 })
    const signedIn = await pad.signInAs(particulars.launchToken)
    expect(signedIn).toMatchObject({ status: 'ok', agentSession: { launchId, purpose: 'chat' } })
    const caller = await pad.calls.caller(await pad.bearer(particulars.launchToken), undefined)
    expect(caller.agentSessionId).toBe(signedIn.status === 'ok' && signedIn.agentSession.id)
    expect(await pad.order()).toBeNull()
    expect(
      (await typesOf(pad.store, 'home')).filter((type) => type.startsWith('process-')),
    ).toEqual(['process-waiting', 'process-starting', 'process-running'])
  })

  test('[PX2] of a chat and a task side by side, each exit ends exactly the session of its own launch', async () => {
    const pad = await open()
    await pad.say('hello')
    const chat = await running(pad)
    await pad.giveTask()
    const task = await running(pad)
    expect([chat, task].map(({ agentSession }) => agentSession.purpose)).toEqual(['chat', 'task'])
    await pad.coordinator.tell(exited(chat.launchId, { signal: 'SIGKILL' }))
    expect(await pad.one(chat)).toMatchObject({ state: 'ended', endReason: 'process_exited' })
    expect(await pad.one(task)).toMatchObject({ state: 'active' })
    expect(await pad.process(chat.launchId)).toMatchObject({
      state: 'ended',
      reason: 'crashed',
      signal: 'SIGKILL',
    })
    // HT7: with the code and parameters of what its detail tells.
    expect(await pad.process(chat.launchId)).toMatchObject({
      detail: 'It was ended by SIGKILL',
      notice: { code: 'endedBySignal', params: { signal: 'SIGKILL' } },
    })
    expect(await pad.process(task.launchId)).toMatchObject({ state: 'running' })
    await expect(pad.bearer(chat.launchToken)).rejects.toThrow('dead')
    // NA7: what it had not answered is work again.
    const next = await ordered(pad)
    expect(next.launchId).not.toBe(chat.launchId)
  })

  test('[CO6] a fact is stored once, however often it is sent, and acknowledged by its number', async () => {
    const pad = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    await pad.coordinator.take(launchId)
    const { coordinator } = pad
    const output = { type: 'process-output', launchId, text: 'once\n' } as const
    const facts = [started(launchId), output, exited(launchId, { exitCode: 1 })].map(
      (said, index) => ({ ...said, n: index + 5 }),
    )
    const send = () =>
      pad.launches.facts(coordinator.who, {
        type: 'coordinator:facts',
        epoch: coordinator.epoch,
        facts: facts as never,
      })
    expect(await Promise.all([send(), send(), send()])).toEqual(
      Array.from({ length: 3 }, () => ({ type: 'coordinator:taken', through: 7 })),
    )
    coordinator.n = 2
    expect(await coordinator.tell(started(launchId), started(launchId))).toEqual({
      type: 'coordinator:taken',
      through: 7,
    })
    expect(
      (await typesOf(pad.store, projectStream(pad.projectId))).filter((type) =>
        type.startsWith('process-'),
      ),
    ).toEqual(['process-waiting', 'process-starting', 'process-running', 'process-ended'])
    expect((await coordinator.register()).lastFact).toBe(7)
    expect((await pad.process(launchId)).output).toBe('once\n')
  })

  test('[CO8] an instance that was replaced is refused whatever it says, and changes nothing', async () => {
    const pad = await open()
    const { coordinator } = pad
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    const old = coordinator.epoch
    expect((await coordinator.register('successor', null)).epoch).toBe(old + 1)
    for (const attempt of [
      () => coordinator.take(launchId, old),
      () => coordinator.tellIn(old),
      () => coordinator.tellIn(old, started(launchId)),
      () => coordinator.register('the first', old),
    ])
      expect(await refusalOf(attempt())).toMatchObject({
        code: 'fenced',
        fields: { epoch: old + 1 },
      })
    expect(await pad.process(launchId)).toMatchObject({ state: 'waiting' })
    expect((await coordinator.register()).epoch).toBe(old + 1)
  })

  test('[CO8] a takeover ends all that the coordinator was ordered, fences it, and the work is started elsewhere', async () => {
    const pad = await open()
    await pad.say('hello')
    const lost = await running(pad)
    const { coordinator } = pad
    const taken = await pad.launches.takeOver(coordinator.id, by)
    expect(taken).toMatchObject({
      id: coordinator.id,
      state: 'stopped',
      epoch: coordinator.epoch + 1,
      processes: 0,
    })
    expect(await pad.process(lost.launchId)).toMatchObject({
      state: 'ended',
      reason: 'coordinator_lost',
    })
    expect(await pad.one(lost)).toMatchObject({ state: 'ended', endReason: 'coordinator_lost' })
    expect(await refusalOf(coordinator.tell(exited(lost.launchId)))).toMatchObject({
      code: 'fenced',
    })
    expect(await refusalOf(coordinator.register())).toMatchObject({ code: 'fenced' })
    expect(await pad.launches.takeOver(coordinator.id, by)).toMatchObject({ epoch: taken.epoch })
    expect(await pad.order()).toBeNull()
    const other = playCoordinator(pad.launches)
    await other.register()
    expect(await pad.order()).toMatchObject({ coordinatorId: other.id })
    // The coordinator cleared up and is accepted again; what it says of what it lost changes
    // nothing.
    await coordinator.register('another instance', null)
    await coordinator.tell(exited(lost.launchId, { signal: 'SIGKILL', stopped: true }))
    expect(await pad.process(lost.launchId)).toMatchObject({ reason: 'coordinator_lost' })
    expect(
      (await typesOf(pad.store, 'home')).filter((type) => type.startsWith('coordinator-')),
    ).toEqual([
      'coordinator-joined',
      'coordinator-taken-over',
      'coordinator-joined',
      'coordinator-joined',
    ])
  })

  test('[CO7] three failed ends within a minute: it is held, with the reason; a new message buys one more try', async () => {
    const pad = await open()
    await pad.say('hello')
    for (const end of ['crash', 'crash', 'start-failed']) {
      const { launchId } = await ordered(pad)
      await pad.coordinator.take(launchId)
      if (end === 'crash')
        await pad.coordinator.tell(started(launchId), exited(launchId, { exitCode: 1 }))
      else
        await pad.coordinator.tell({
          type: 'start-failed',
          launchId,
          error: 'spawn nope ENOENT hf_launch_0123456789abcdef0',
        })
      pad.clock.advance(1000)
    }
    const held = await ordered(pad)
    expect(held).toMatchObject({
      state: 'held',
      detail: 'It failed 3 times within 60 s. Last: spawn nope ENOENT [masked]',
    })
    expect(await pad.order()).toBeNull()
    const { agentId, projectId } = pad
    expect(await pad.store.query(getAgentAction, { agentId, projectId })).toEqual({
      action: 'hold',
      reason: held.detail,
    })
    pad.clock.advance(3_600_000)
    expect(await pad.order()).toBeNull()
    await pad.say('try again')
    expect(await pad.order()).toMatchObject({
      launchId: held.launchId,
      state: 'waiting',
      detail: null,
    })
    expect((await typesOf(pad.store, projectStream(pad.projectId))).at(-1)).toBe('process-waiting')
  })

  test('[CO7] held, then mended: a change of the agent or the project lifts it, and earlier failures count no more', async () => {
    const pad = await open({ 'restart.max': 1 })
    await pad.say('hello')
    const { agentId, projectId } = pad
    const changes = [
      () => pad.store.run(changeAgent, { agentId, by: 'owner', args: ['mended'] }),
      () => pad.store.run(changeProject, { projectId, by: 'owner', name: 'mended' }),
    ]
    for (const change of changes) {
      const { launchId } = await ordered(pad)
      await pad.coordinator.take(launchId)
      await pad.coordinator.tell({ type: 'start-failed', launchId, error: 'no' })
      pad.clock.advance(1000)
      const held = await ordered(pad)
      expect(held).toMatchObject({ state: 'held' })
      expect(await pad.order()).toBeNull()
      pad.clock.advance(1000)
      await change()
      expect(await pad.order()).toMatchObject({ launchId: held.launchId, state: 'waiting' })
      await pad.coordinator.take(held.launchId)
      await pad.coordinator.tell(
        started(held.launchId),
        exited(held.launchId, { exitCode: 0, stopped: true }),
      )
      pad.clock.advance(1000)
    }
  })

  test('[CO7] a person releases it; released again, or where nothing is held, nothing happens', async () => {
    const pad = await open({ 'restart.max': 1 })
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    await pad.coordinator.take(launchId)
    await pad.coordinator.tell({ type: 'start-failed', launchId, error: 'no' })
    const held = await ordered(pad)
    expect(held).toMatchObject({ state: 'held', detail: 'It failed once within 60 s. Last: no' })
    const pair = { agentId: pad.agentId, projectId: pad.projectId }
    expect((await pad.launches.release(pair)).process).toMatchObject({
      launchId: held.launchId,
      state: 'waiting',
    })
    expect(await pad.launches.release(pair)).toEqual({ process: null })
    await pad.coordinator.start(held.launchId)
    expect(await refusalOf(pad.launches.release({ ...pair, agentId: 'nobody' }))).toMatchObject({
      code: 'agent_not_found',
    })
  })

  test('[CO6] goodbye: whatever of its was not told to have ended has, and it is stopped', async () => {
    const pad = await open()
    await pad.say('hello')
    const chat = await running(pad)
    await pad.coordinator.tell({ type: 'goodbye' })
    expect(await pad.process(chat.launchId)).toMatchObject({ state: 'ended', reason: 'shutdown' })
    expect(await pad.one(chat)).toMatchObject({ state: 'ended', endReason: 'process_exited' })
    const { items } = await pad.store.query(listCoordinators, { limit: 10 })
    expect(items).toMatchObject([
      { id: pad.coordinator.id, state: 'stopped', processes: 0, machine: pad.coordinator.id },
    ])
    expect((await typesOf(pad.store, 'home')).at(-1)).toBe('coordinator-stopped')
    expect(await pad.order()).toBeNull()
  })
})
