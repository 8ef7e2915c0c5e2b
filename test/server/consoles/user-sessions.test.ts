/** User sessions on both stores: what happens when two ask at once, and what is told twice. */

import { describe, expect, test } from 'vitest'
import type { Who } from '../../../src/domain/access/caller.ts'
import { Refusal } from '../../../src/domain/errors.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { LaunchBegun } from '../../../src/protocol/processes/link.ts'
import { receiptIn } from '../../../src/server/consoles/relay-receipts.ts'
import { UserSessions } from '../../../src/server/consoles/user-sessions.ts'
import { Launches } from '../../../src/server/processes/launches.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { App } from '../../../src/services/app.ts'
import { getUserSession } from '../../../src/services/consoles/queries.ts'
import { getProcess } from '../../../src/services/processes/queries.ts'
import { assignAgent, createProject } from '../../../src/services/projects/change-project.ts'
import { listTurns } from '../../../src/services/turns/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import {
  exited,
  linkedMachines,
  playCoordinator,
  rules,
  started,
} from '../../services/processes/launch-pad.ts'
import { by, eventsOf, ownerWho } from '../../services/projects/installation.ts'
import { engines, newPlace } from '../../support/either-store.ts'
import { asks, readyAgent, said, turnEnded } from '../../support/relay.ts'
import { testSeals } from '../../support/seals.ts'

async function openConsole(store: Store, who: Who = ownerWho) {
  const { id: projectId } = await store.run(createProject, { name: 'p', by })
  const agentId = `coder-${projectId.slice(-6)}`
  const recipe = { command: '/bin/agent', args: [], env: {} }
  await store.run(createAgent, { id: agentId, name: 'Coder', protocol: 'acp', ...recipe, by })
  await store.run(assignAgent, { projectId, agentId, by })
  const machines = linkedMachines(store, systemClock)
  const launches = new Launches(store, rules, machines, testSeals)
  const machine = playCoordinator(launches, `machine of ${projectId}`)
  await machine.register()
  const consoles = new UserSessions({
    store,
    clock: systemClock,
    expectsCoordinator: false,
    machines,
    projectRoots: [],
  })
  const { userSessionId } = await consoles.create(who, { projectId }, undefined)
  const spawn = (role: string, requestId?: string) => {
    const request = { type: 'agent:spawn', userSessionId, role, agentId, requestId } as const
    return consoles.spawn(who, request, receiptIn(request))
  }
  const prompt = (text: string, requestId?: string) => {
    const content = [{ type: 'text' as const, text }]
    const request = {
      type: 'agent:message',
      userSessionId,
      role: 'auth',
      content,
      requestId,
    } as const
    return consoles.prompt(who, request, receiptIn(request))
  }
  const seen = () => store.query(getUserSession, { userSessionId })
  const ready = async (role = 'auth'): Promise<string> => {
    await spawn(role)
    const launchId = (await seen()).agents.find((agent) => agent.role === role)?.launchId ?? ''
    await machine.take(launchId)
    await machine.tell(started(launchId), readyAgent(launchId))
    return launchId
  }
  return {
    projectId,
    agentId,
    launches,
    machines,
    machine,
    consoles,
    userSessionId,
    spawn,
    prompt,
    seen,
    ready,
  }
}

const codes = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes
    .map((each) =>
      each.status === 'fulfilled'
        ? 'done'
        : each.reason instanceof Refusal
          ? each.reason.code
          : String(each.reason),
    )
    .toSorted()

describe.each(engines)('user sessions on %s', (engine) => {
  const open = async () => openConsole(await (await newPlace(engine)).open())

  test('[US2] twenty spawns of one role at once: one takes it, the others are told that it is taken', async () => {
    const store = await (await newPlace(engine)).open()
    const { spawn, seen, userSessionId } = await openConsole(store)
    const outcomes = codes(await Promise.allSettled(Array.from({ length: 20 }, () => spawn('db'))))
    expect(outcomes).toEqual(['done', ...Array.from({ length: 19 }, () => 'role_taken')])
    expect((await seen()).agents).toMatchObject([{ role: 'db', state: 'SPAWNING' }])
    const types = (await eventsOf(store, `user-session:${userSessionId}`)).map(({ type }) => type)
    expect(types).toEqual(['session:created', 'agent:spawning'])
  })

  test('[CO11] with its machine at hand every spawn is begun together with its order, also the same one twice', async () => {
    const { machines, machine, spawn, seen } = await open()
    const { id: coordinatorId, epoch, greeting } = machine
    const begun: string[] = []
    const connection = {
      tell: ({ launch }: LaunchBegun) => void begun.push(launch.launchId),
    }
    machines.connect({ coordinatorId, epoch, greeting, connection })
    machines.join(coordinatorId, connection, [])
    for (let n = 0; n < 10; n++) {
      await Promise.all([spawn(`role-${n}`, `spawn ${n}`), spawn(`role-${n}`, `spawn ${n}`)])
      await expect.poll(() => begun).toHaveLength(n + 1)
    }
    expect(begun.toSorted()).toEqual(
      (await seen()).agents.map(({ launchId }) => launchId ?? '').toSorted(),
    )
  })

  test('[RL2] the same request at once from two connections is done once', async () => {
    const { spawn, seen, prompt, ready } = await open()
    await ready()
    const numbers = await Promise.all(Array.from({ length: 10 }, () => prompt('once', 'm')))
    expect(new Set(numbers.map(({ seq }) => seq)).size).toBe(1)
    await Promise.all(Array.from({ length: 10 }, () => spawn('db', 's')))
    const { agents } = await seen()
    expect(agents).toMatchObject([
      { role: 'auth', turn: { content: [{ text: 'once' }] }, queue: [] },
      { role: 'db' },
    ])
  })

  test('[RL6] prompts at once stand in line once each, and run one after the other', async () => {
    const { machine, prompt, ready, seen } = await open()
    const launchId = await ready()
    await Promise.all(Array.from({ length: 8 }, (_, n) => prompt(`p${n}`)))
    const { queue } = (await seen()).agents[0] ?? { queue: [] }
    expect(queue.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7])
    const asked: string[] = []
    for (let n = 0; n < 8; n++) {
      const turn = (await seen()).agents[0]?.turn
      if (!turn) throw new Error('nothing runs')
      asked.push(turn.messageId)
      await machine.tell(
        said(launchId, turn.messageId, `a${n} `),
        said(launchId, turn.messageId, 'b'),
        turnEnded(launchId, turn.messageId),
      )
    }
    expect(asked.slice(1)).toEqual(queue.map(({ messageId }) => messageId))
    expect((await seen()).agents[0]).toMatchObject({ turn: null, queue: [] })
  })

  test('[AP4] two people and the deadline answer at once: one answer is given to the agent', async () => {
    const store = await (await newPlace(engine)).open()
    const { machine, prompt, ready, seen, consoles, userSessionId, projectId } =
      await openConsole(store)
    const launchId = await ready()
    await prompt('x')
    const turnId = (await seen()).agents[0]?.turn?.messageId ?? ''
    await machine.tell(asks(launchId, turnId, 'q'))
    const { approvalId = 0 } = (await seen()).agents[0]?.permissions[0] ?? {}
    const answer = (optionId: string) =>
      consoles.answer(ownerWho, { type: 'permission:answer', userSessionId, approvalId, optionId })
    const decide = () =>
      consoles.decide(ownerWho, { projectId, approvalId, status: 'rejected' }, undefined)
    const outcomes = codes(
      await Promise.allSettled([answer('yes'), answer('no'), decide(), answer('always')]),
    )
    expect(outcomes).toEqual(['approval_decided', 'approval_decided', 'approval_decided', 'done'])
    const orders = (await eventsOf(store, `coordinator:${machine.id}`)).filter(
      ({ type }) => type === 'permission-settled',
    )
    expect(orders).toHaveLength(1)
    expect((await seen()).agents[0]?.permissions).toEqual([])
  })

  test('[CO6] facts told twice are stored once; what is told of a turn that is over is dropped', async () => {
    const store = await (await newPlace(engine)).open()
    const { machine, prompt, ready, seen, userSessionId } = await openConsole(store)
    const launchId = await ready()
    await prompt('x')
    const turnId = (await seen()).agents[0]?.turn?.messageId ?? ''
    const [first, second, end] = [
      said(launchId, turnId, 'a'),
      said(launchId, turnId, 'b\u0000'),
      turnEnded(launchId, turnId),
    ]
    await machine.tell(first, second)
    machine.n -= 1
    await machine.tell(second, end)
    machine.n -= 1
    await machine.tell(end)
    await machine.tell(first, second, end)
    const { items } = await store.query(listTurns, { userSessionId, limit: 50 })
    expect(items).toMatchObject([{ messageId: turnId, state: 'answered', text: 'ab\u2400' }])
    const types = (await eventsOf(store, `user-session:${userSessionId}`)).map(({ type }) => type)
    expect(types.filter((type) => type === 'agent:update')).toHaveLength(2)
    expect(types.filter((type) => type === 'agent:response')).toHaveLength(1)
  })

  test('[US4] terminating the session while its agents crash, spawn and are spoken to: it ends once, with nobody left', async () => {
    const store = await (await newPlace(engine)).open()
    const { machine, prompt, ready, spawn, seen, userSessionId, consoles } =
      await openConsole(store)
    const launchId = await ready()
    const terminate = () => consoles.terminate(ownerWho, { userSessionId })
    await Promise.allSettled([
      prompt('x'),
      spawn('db'),
      terminate(),
      spawn('ui'),
      machine.tell(exited(launchId, { exitCode: 3 })),
      terminate(),
    ])
    for (const { launchId: left } of (await seen()).agents) {
      const { state } = await store.query(getProcess, { viewer: null, launchId: left ?? '' })
      if (state !== 'ended') await machine.tell(exited(left ?? '', { stopped: true }))
    }
    expect(await seen()).toMatchObject({ state: 'TERMINATED', agents: [] })
    const types = (await eventsOf(store, `user-session:${userSessionId}`)).map(({ type }) => type)
    expect(types.filter((type) => type === 'session:terminated')).toHaveLength(1)
    expect(types.at(-1)).toBe('session:terminated')
  })

  test('[US4] what was said stays readable when the session is over, page by page', async () => {
    const store = await (await newPlace(engine)).open()
    const { machine, prompt, ready, seen, userSessionId } = await openConsole(store)
    const launchId = await ready()
    for (const text of ['one', 'two', 'three']) {
      await prompt(text)
      const turnId = (await seen()).agents[0]?.turn?.messageId ?? ''
      await machine.tell(said(launchId, turnId, `to ${text}`), turnEnded(launchId, turnId))
    }
    const first = await store.query(listTurns, { userSessionId, limit: 2 })
    expect(first.items.map(({ text }) => text)).toEqual(['to three', 'to two'])
    const cursor = first.nextCursor ?? undefined
    const second = await store.query(listTurns, {
      userSessionId,
      limit: 2,
      cursor,
    })
    expect(second).toMatchObject({ items: [{ text: 'to one' }], nextCursor: null })
    const mia = { id: 'mia', scopes: ['read'] } as const
    await expect(new App(store).read(listTurns, { userSessionId, limit: 2 }, mia)).rejects.toThrow(
      'no user session',
    )
  })
})

test('[AS4] a process in a role holds no agent session, and keeps nobody from being started for a chat', async () => {
  const store = await (await newPlace('SQLite')).open()
  const { ready, launches, projectId, agentId } = await openConsole(store)
  const launchId = await ready()
  expect(await store.query(getProcess, { viewer: null, launchId })).toMatchObject({
    state: 'running',
    roleAgentId: expect.any(String),
  })
  expect(await launches.order({ agentId, projectId, lane: '' })).toBeNull()
})
