/** Where the agent of a chat is (CH9): each thing the panel can say, from what the server told. */
import { describe, expect, test } from 'vitest'
import { runningAgents, runningByProject } from '../../../src/client/running.ts'
import type { AgentSession } from '../../../src/protocol/agent-sessions/agent-session.ts'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import type { Process } from '../../../src/protocol/processes/process.ts'
import {
  type PresenceInput,
  presenceOf,
} from '../../../web/src/conversations/presence/agent-presence.ts'

const at = (second: number) =>
  new Date(Date.parse('2026-03-01T09:00:00.000Z') + second * 1000).toISOString()
const ms = (second: number) => Date.parse(at(second))

const agentSession = (change: Partial<AgentSession> = {}): AgentSession => ({
  id: 's1',
  agentId: 'ann',
  projectId: 'p',
  purpose: 'chat',
  state: 'active',
  launchId: 'l1',
  workSessionId: null,
  createdAt: at(0),
  lastActivityAt: at(0),
  expiresAt: at(3600),
  endedAt: null,
  endReason: null,
  ...change,
})

const process = (change: Partial<Process> = {}): Process => ({
  launchId: 'l1',
  agentId: 'ann',
  projectId: 'p',
  coordinatorId: 'c1',
  roleAgentId: null,
  pid: 42,
  state: 'running',
  orderedAt: at(10),
  startedAt: at(11),
  stopReason: null,
  endedAt: null,
  exitCode: null,
  signal: null,
  reason: null,
  detail: null,
  ...change,
})

const crashed = (change: Partial<Process> = {}) =>
  process({ state: 'ended', endedAt: at(20), reason: 'crashed', exitCode: 1, ...change })

const coordinator = (state: Coordinator['state']): Coordinator => ({
  id: 'c1',
  machine: 'laptop',
  state,
  epoch: 1,
  version: '1',
  pid: 1,
  joinedAt: at(0),
  labels: [],
  capacity: null,
  lastHeardAt: at(5),
  processes: 0,
})

const called = { at: ms(9), before: undefined, afterLaunch: undefined, calls: 0 }
const nobody: PresenceInput = {
  agent: { command: 'ann' },
  agentSessions: [],
  processes: [],
  coordinators: [coordinator('connected')],
  thinking: false,
  asking: false,
  called: undefined,
  askedAt: undefined,
}
const live = { state: 'live' } as const
const is = (sight: Partial<PresenceInput>) => presenceOf({ ...nobody, ...sight }, live)

describe('the connection comes first', () => {
  test('[CH9] offline since when, and connecting until something is known', () => {
    expect(
      presenceOf({ ...nobody, agentSessions: [agentSession()] }, { state: 'offline', since: 7 }),
    ).toEqual({
      is: 'offline',
      since: 7,
    })
    expect(presenceOf(nobody, { state: 'connecting' })).toEqual({ is: 'connecting' })
    expect(is({ agentSessions: undefined })).toEqual({ is: 'connecting' })
  })
})

describe('an agent that is there', () => {
  test('[CH9] is ready, or thinks about what it was handed', () => {
    expect(is({ agentSessions: [agentSession()] })).toEqual({ is: 'ready' })
    expect(is({ agentSessions: [agentSession()], thinking: true })).toEqual({ is: 'thinking' })
    expect(is({ agentSessions: [agentSession({ purpose: 'task' })], thinking: true })).toEqual({
      is: 'thinking',
    })
  })

  test('[CH9] an agent waits for a person when it asked here, not when it asked elsewhere', () => {
    expect(is({ agentSessions: [agentSession()], thinking: true, asking: true })).toEqual({
      is: 'asking',
    })
    expect(is({ agentSessions: [agentSession()], asking: true })).toEqual({ is: 'ready' })
  })

  test('[CO6] an agent on a machine that is not heard of is shown as that, no more', () => {
    const ordered = {
      called,
      processes: [process({ state: 'waiting' })],
      coordinators: [coordinator('unreachable')],
    }
    expect(is(ordered)).toEqual({ is: 'unreachable', at: ms(5) })
    const sight = {
      agentSessions: [agentSession()],
      processes: [process()],
      coordinators: [coordinator('unreachable')],
    }
    expect(is(sight)).toEqual({ is: 'unreachable', at: ms(5) })
  })

  test('[CH9] leaves, and has left', () => {
    expect(is({ agentSessions: [agentSession({ state: 'terminating' })] })).toEqual({
      is: 'leaving',
    })
    const left = agentSession({ state: 'ended', endedAt: at(8), endReason: 'timeout' })
    expect(is({ agentSessions: [left] })).toEqual({ is: 'left', at: ms(8) })
    expect(is({})).toEqual({ is: 'away' })
  })
})

describe('an agent that is being started', () => {
  test.each(['waiting', 'starting', 'running'] as const)(
    '[CH9] %s: starting, with the seconds since it was ordered',
    (state) => {
      expect(is({ called, processes: [process({ state })] })).toEqual({
        is: 'starting',
        since: ms(10),
        step: state,
      })
    },
  )

  test('[CH9] before the order is known it counts from the call, or from the message', () => {
    expect(is({ called })).toEqual({ is: 'starting', since: ms(9), step: 'ordered' })
    expect(is({ askedAt: at(7) })).toEqual({ is: 'starting', since: ms(7), step: 'ordered' })
  })

  test('[CH9] the process of a task is not the one that was called', () => {
    const atTask = agentSession({ id: 's2', purpose: 'task', launchId: 'l2' })
    const sight = { called, agentSessions: [atTask], processes: [process({ launchId: 'l2' })] }
    expect(is(sight)).toEqual({ is: 'starting', since: ms(9), step: 'ordered' })
  })

  test('[CH9] nor is one in a role of a console', () => {
    expect(
      is({ called, processes: [process({ roleAgentId: 'r1', state: 'starting' })] }),
    ).toMatchObject({ step: 'ordered' })
    expect(is({ called, processes: [crashed({ roleAgentId: 'r1' })] })).toMatchObject({
      is: 'starting',
    })
  })

  test('[CH9] the next one comes while the last one still leaves', () => {
    const going = agentSession({ state: 'terminating', launchId: 'l0' })
    const processes = [process({ state: 'waiting' }), process({ launchId: 'l0', orderedAt: at(0) })]
    expect(is({ called, agentSessions: [going], processes })).toMatchObject({
      is: 'starting',
      step: 'waiting',
    })
  })

  test('[CH9] one that others start is waited for', () => {
    expect(is({ agent: { command: null }, called })).toEqual({ is: 'waiting', since: ms(9) })
  })

  test('[CH9] without a coordinator nobody can start it', () => {
    expect(is({ called, coordinators: [] })).toEqual({ is: 'noCoordinator' })
    expect(is({ called, coordinators: [coordinator('stopped')] })).toEqual({ is: 'noCoordinator' })
    expect(is({ called, coordinators: undefined })).toMatchObject({ is: 'starting' })
    expect(is({ called, coordinators: [], agent: { command: null } })).toMatchObject({
      is: 'waiting',
    })
  })
})

describe('an agent that does not come', () => {
  test('[CH9] the agent’s start failed since it was called, or since somebody wrote', () => {
    const failed = crashed()
    expect(is({ called, processes: [failed] })).toEqual({ is: 'failed', process: failed, failed })
    expect(is({ askedAt: at(15), processes: [failed] })).toMatchObject({ is: 'failed' })
    const inMidAnswer = agentSession({
      state: 'ended',
      endedAt: at(20),
      endReason: 'process_exited',
    })
    expect(
      is({ askedAt: at(15), agentSessions: [inMidAnswer], processes: [failed] }),
    ).toMatchObject({ is: 'failed' })
  })

  test('[CH9] called again after it had failed, it is being started', () => {
    expect(is({ called: { ...called, afterLaunch: 'l1' }, processes: [crashed()] })).toMatchObject({
      is: 'starting',
    })
    expect(
      is({
        called,
        processes: [process({ launchId: 'l2', state: 'starting', orderedAt: at(21) }), crashed()],
      }),
    ).toMatchObject({
      is: 'starting',
    })
  })

  test('[CH9] one that went in peace has not failed', () => {
    const left = agentSession({ state: 'ended', endedAt: at(20), endReason: 'timeout' })
    const gone = process({ state: 'ended', endedAt: at(20), reason: 'exited' })
    expect(is({ askedAt: at(15), agentSessions: [left], processes: [gone] })).toMatchObject({
      is: 'left',
    })
  })

  test('[CO7] the agent is held, with its last failure beside it', () => {
    const held = process({
      launchId: 'l2',
      state: 'held',
      detail: '3 failed starts',
      orderedAt: at(30),
    })
    const failed = crashed()
    expect(is({ called, processes: [held, failed] })).toEqual({ is: 'held', process: held, failed })
  })
})

describe('what runs', () => {
  test('[UI1] running agents have a process, sign in, or need a person first', () => {
    const processes = [
      process({
        launchId: 'l3',
        agentId: 'cid',
        state: 'held',
        orderedAt: at(30),
        startedAt: null,
      }),
      process({
        launchId: 'l2',
        agentId: 'ben',
        state: 'starting',
        orderedAt: at(5),
        startedAt: null,
      }),
      process(),
      crashed({ launchId: 'l0' }),
    ]
    const byOthers = agentSession({
      id: 's2',
      agentId: 'dan',
      projectId: 'q',
      launchId: null,
      createdAt: at(1),
    })
    const running = runningAgents(processes, [agentSession({ createdAt: at(12) }), byOthers])
    expect(running.map(({ agentId, process: each }) => [agentId, each?.state])).toEqual([
      ['cid', 'held'],
      ['dan', undefined],
      ['ben', 'starting'],
      ['ann', 'running'],
    ])
    expect(Object.fromEntries(runningByProject(running))).toEqual({ p: 2, q: 1 })
  })
})
