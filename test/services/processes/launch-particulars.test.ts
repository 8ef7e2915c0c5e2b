/**
 * Launches one by one: when one is ordered, who may take it, what its token opens, how it ends and
 * what is kept of it (CO).
 */
import { describe, expect, test } from 'vitest'
import { coordinatorStream, projectStream } from '../../../src/domain/stream-name.ts'
import { replacePasskey } from '../../../src/services/flows/agent-sessions/replace-passkey.ts'
import { endChat } from '../../../src/services/flows/conversations/start-chat.ts'
import { postMessage } from '../../../src/services/flows/messages/post-message.ts'
import { unassignAgent } from '../../../src/services/flows/projects/unassign-agent.ts'
import { listProcesses } from '../../../src/services/processes/queries.ts'
import { assignAgent, createProject } from '../../../src/services/projects/change-project.ts'
import { openTestStore } from '../../support/store.ts'
import { refusalOf, unknownCaller } from '../agent-sessions/agent-office.ts'
import { by, eventsOf, typesOf } from '../projects/installation.ts'
import {
  exited,
  openPad,
  ordered,
  type Pad,
  playCoordinator,
  running,
  started,
} from './launch-pad.ts'

describe('launches', () => {
  let pad: Pad
  const open = async (settings?: Readonly<Record<string, number>>) => {
    const { store, clock } = await openTestStore()
    return openPad(store, clock, settings)
  }

  test('[CO3] none is ordered without work, without a command, for an agent that is not there, or with no coordinator', async () => {
    pad = await open()
    expect(await pad.order()).toBeNull()
    const bare = await pad.hire('bare')
    await pad.say('hello', bare)
    expect(await pad.order(bare)).toBeNull()
    await pad.startable(bare)
    expect(await pad.order('nobody')).toBeNull()
    await pad.coordinator.tell({ type: 'goodbye' })
    expect(await pad.order(bare)).toBeNull()
    await pad.coordinator.register()
    expect(await pad.order(bare)).toMatchObject({ agentId: bare })
  })

  test('[CO3] the coordinator with the fewest processes gets it', async () => {
    pad = await open()
    const other = playCoordinator(pad.launches)
    await other.register()
    const given: string[] = []
    for (let each = 0; each < 4; each++) {
      const agentId = await pad.startable(await pad.hire(`agent${each}`))
      await pad.say('hello', agentId)
      given.push((await pad.order(agentId))?.coordinatorId ?? '')
    }
    expect(given.filter((id) => id === other.id)).toHaveLength(2)
    expect(given.filter((id) => id === pad.coordinator.id)).toHaveLength(2)
  })

  test('[CO4] work that is gone when its turn comes: the launch is withdrawn, and nothing is started', async () => {
    pad = await open()
    await pad.openPanel()
    const { launchId } = await ordered(pad)
    await pad.store.run(endChat, { projectId: pad.projectId, agentId: pad.agentId, by })
    expect(await refusalOf(pad.coordinator.take(launchId))).toMatchObject({
      code: 'launch_withdrawn',
    })
    expect(await pad.process(launchId)).toMatchObject({ state: 'ended', reason: 'withdrawn' })
    expect(await refusalOf(pad.coordinator.take(launchId))).toMatchObject({
      code: 'launch_withdrawn',
    })
    expect(await refusalOf(pad.coordinator.take('never'))).toMatchObject({
      code: 'launch_withdrawn',
    })
    await pad.say('hello')
    const { launchId: another } = await ordered(pad)
    await pad.store.run(unassignAgent, { projectId: pad.projectId, agentId: pad.agentId, by })
    expect(await refusalOf(pad.coordinator.take(another))).toMatchObject({
      code: 'launch_withdrawn',
    })
  })

  test('[CO4] no coordinator takes what was ordered from another', async () => {
    pad = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    const other = playCoordinator(pad.launches)
    await other.register()
    expect(await refusalOf(other.take(launchId))).toMatchObject({ code: 'launch_withdrawn' })
    await other.tell(started(launchId), exited(launchId))
    expect(await pad.process(launchId)).toMatchObject({ state: 'waiting' })
  })

  test('[CO4] taken again it gets another token, and the first is dead; no token is in any event', async () => {
    pad = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    const { launchToken: first } = await pad.coordinator.take(launchId)
    const { launchToken: second } = await pad.coordinator.take(launchId)
    await expect(pad.bearer(first)).rejects.toThrow('dead')
    expect((await pad.bearer(second)).who).toMatchObject({
      kind: 'agent',
      id: pad.agentId,
      scopes: ['agent'],
      launch: { id: launchId, projectId: pad.projectId },
    })
    const streams = [
      'home',
      projectStream(pad.projectId),
      coordinatorStream(pad.coordinator.id),
    ] as const
    const received = JSON.stringify(
      await Promise.all(streams.map((stream) => eventsOf(pad.store, stream))),
    )
    expect(received).not.toContain('hf_launch_')
    await pad.coordinator.tell(started(launchId))
    expect(await refusalOf(pad.coordinator.take(launchId))).toMatchObject({ code: 'wrong_state' })
  })

  test('[AS1] the launch token is accepted as the passkey of its agent and project, and of no other', async () => {
    pad = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    const { launchToken: passkey } = await pad.coordinator.start(launchId)
    const elsewhere = await open()
    const { agentId, projectId } = pad
    const bob = await pad.hire('bob')
    for (const wrong of [
      { agentId: bob, projectId },
      { agentId, projectId: elsewhere.projectId },
    ])
      expect(
        await refusalOf(pad.calls.authenticate(unknownCaller, { ...wrong, passkey })),
      ).toMatchObject({
        code: 'authentication_failed',
      })
    const bearer = await pad.bearer(passkey)
    expect(
      await refusalOf(pad.calls.authenticate(bearer, { projectId: 'elsewhere' })),
    ).toMatchObject({
      code: 'authentication_failed',
    })
    expect(
      await pad.calls.authenticate(unknownCaller, {
        agentId,
        projectId,
        passkey,
        launchId: 'made up',
      }),
    ).toMatchObject({
      status: 'ok',
      agentSession: { launchId },
    })
    // AS8: the answer was lost; the same launch asks again and gets its session.
    expect(await pad.calls.authenticate(bearer, { projectId })).toMatchObject({
      status: 'ok',
      agentSession: { launchId },
    })
  })

  test('[AS1] no session is opened in another project of the same agent, with work for it there; a passkey is good in both', async () => {
    pad = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    const { launchToken } = await pad.coordinator.start(launchId)
    const { agentId, store, calls } = pad
    const { id: projectId } = await store.run(createProject, { name: 'other', by })
    await store.run(assignAgent, { projectId, agentId, by })
    await store.run(postMessage, {
      projectId,
      toAgentId: agentId,
      content: 'work here',
      by,
    })
    const failed = { code: 'authentication_failed' }
    expect(
      await refusalOf(
        calls.authenticate(unknownCaller, { agentId, projectId, passkey: launchToken }),
      ),
    ).toMatchObject(failed)
    const bearer = await pad.bearer(launchToken)
    const { passkey } = await store.run(replacePasskey, { agentId, by })
    for (const more of [
      {},
      { agentId },
      { agentId, passkey: launchToken },
      { agentId, passkey },
      { launchId },
    ])
      expect(await refusalOf(calls.authenticate(bearer, { projectId, ...more }))).toMatchObject(
        failed,
      )
    expect(await calls.authenticate(unknownCaller, { agentId, projectId, passkey })).toMatchObject({
      status: 'ok',
    })
  })

  test('[CO2] a stop: what waits ends at once, what runs goes on until its exit is told; the first reason stays', async () => {
    pad = await open()
    await pad.say('hello')
    const { launchId: waiting } = await ordered(pad)
    expect(await pad.launches.stop(waiting, 'stopped_by_person')).toMatchObject({
      state: 'ended',
      reason: 'stopped_by_person',
    })
    const { launchId, launchToken } = await running(pad)
    expect(await pad.launches.stop(launchId, 'stopped_by_person')).toMatchObject({
      state: 'running',
      stopReason: 'stopped_by_person',
    })
    expect(await pad.launches.stop(launchId, 'idle')).toMatchObject({
      stopReason: 'stopped_by_person',
    })
    expect(await eventsOf(pad.store, coordinatorStream(pad.coordinator.id))).toMatchObject([
      { type: 'stop-ordered', data: { launchId, reason: 'stopped_by_person' } },
    ])
    await pad.calls.logout(await pad.calls.caller(await pad.bearer(launchToken), undefined))
    expect(await pad.signInAs(launchToken)).toEqual({ status: 'no_work' })
    await pad.coordinator.tell(exited(launchId, { signal: 'SIGTERM', stopped: true }))
    expect(await pad.process(launchId)).toMatchObject({
      state: 'ended',
      reason: 'stopped_by_person',
      signal: 'SIGTERM',
    })
    expect(await refusalOf(pad.launches.stop('never', 'idle'))).toMatchObject({ code: 'not_found' })
  })

  test('[CO7] an agent that goes away without an error from work it was there for has failed; one that signed out has not', async () => {
    pad = await open()
    await pad.say('hello')
    const { launchId: silent } = await ordered(pad)
    await pad.coordinator.start(silent)
    await pad.coordinator.tell(exited(silent))
    expect(await pad.process(silent)).toMatchObject({
      reason: 'start_failed',
      detail: expect.stringContaining('never signed in'),
    })
    const deserter = await running(pad)
    await pad.coordinator.tell(exited(deserter.launchId))
    expect(await pad.process(deserter.launchId)).toMatchObject({
      reason: 'crashed',
      detail: expect.stringContaining('before its work was done'),
    })
    const good = await running(pad)
    await pad.handOver({ ...good, agentId: pad.agentId, projectId: pad.projectId })
    await pad.answer({ ...good, agentId: pad.agentId, projectId: pad.projectId }, 'hello yourself')
    await pad.coordinator.tell(exited(good.launchId))
    expect(await pad.process(good.launchId)).toMatchObject({
      reason: 'exited',
      exitCode: 0,
      detail: null,
    })
  })

  test('[CO4] what it wrote is kept with the launch: masked, the last of it, whole lines', async () => {
    pad = await open()
    await pad.say('hello')
    const { launchId } = await ordered(pad)
    const write = (text: string) => pad.coordinator.tell({ type: 'process-output', launchId, text })
    await write('one\n')
    await write('token=hf_launch_0123456789abcdef0123\n')
    expect((await pad.process(launchId)).output).toBe('one\ntoken=[masked]\n')
    for (let each = 0; each < 40; each++) await write(`${String(each).padStart(1023, '.')}\n`)
    const { output } = await pad.process(launchId)
    expect(output.length).toBeLessThanOrEqual(32 * 1024)
    expect(output.split('\n').map((line) => line.length)).toEqual([
      ...Array.from({ length: 31 }, () => 1023),
      0,
    ])
    expect(output).toMatch(/39\n$/)
    // Nothing to tell anybody of.
    expect((await typesOf(pad.store, projectStream(pad.projectId))).at(-1)).toBe('process-waiting')
  })

  test('[PX5] a foreign coordinator that counts its own does not end what runs for a launch of ours', async () => {
    pad = await open()
    await pad.say('hello')
    const ours = await running(pad)
    await pad.giveTask()
    const foreign = await pad.signIn()
    const { agentId, projectId } = pad
    const report = { agentId, projectId, remainingProcesses: 0 }
    expect(await pad.calls.reportExit(unknownCaller.who, report)).toEqual({
      decision: 'ended',
      ended: [foreign.agentSessionId],
    })
    expect(await pad.one(ours)).toMatchObject({ state: 'active' })
  })

  test('[HT1] launches are listed newest first, by project, agent and state, page by page', async () => {
    const { store, clock } = await openTestStore()
    pad = await openPad(store, clock)
    const ids: string[] = []
    for (let each = 0; each < 3; each++) {
      const agentId = await pad.startable(await pad.hire(`agent${each}`))
      await pad.say('hello', agentId)
      ids.unshift((await pad.order(agentId))?.launchId ?? '')
      clock.advance(1000)
    }
    await pad.launches.stop(ids[1] ?? '', 'stopped_by_person')
    const list = async (filter: object) =>
      (await store.query(listProcesses, { viewer: null, limit: 10, ...filter })).items.map(
        ({ launchId }) => launchId,
      )
    expect(await list({})).toEqual(ids)
    expect(await list({ state: 'waiting' })).toEqual([ids[0], ids[2]])
    expect(await list({ state: 'ended' })).toEqual([ids[1]])
    expect(await list({ projectId: 'nowhere' })).toEqual([])
    const page = await store.query(listProcesses, { viewer: null, limit: 2 })
    expect(page.items).toHaveLength(2)
    expect(await list({ cursor: page.nextCursor })).toEqual([ids[2]])
  })
})
