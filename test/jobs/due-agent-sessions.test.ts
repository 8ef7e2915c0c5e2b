/**
 * Sessions whose time has come, and those whose time only seems to have: slept through, jumped
 * over, restarted (AS6, NA5).
 */
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { agentKey } from '../../src/domain/conversations/key.ts'
import { conversationStream, projectStream } from '../../src/domain/stream-name.ts'
import {
  findDueAgentSessions,
  listAgentSessions,
  listLiveAgentSessions,
} from '../../src/services/agent-sessions/queries.ts'
import { getConversation } from '../../src/services/conversations/queries.ts'
import { endChat } from '../../src/services/flows/conversations/start-chat.ts'
import { sendMessage } from '../../src/services/flows/messages/post-message.ts'
import { unassignAgent } from '../../src/services/flows/projects/unassign-agent.ts'
import { getWorkSession } from '../../src/services/work/queries.ts'
import { firstLive } from '../../src/store/agent-sessions/due-agent-sessions.ts'
import { nowhere, type Office, openOffice } from '../services/agent-sessions/agent-office.ts'
import { by, typesOf } from '../services/projects/installation.ts'
import { planOf } from '../services/work/query-plan.ts'
import { agentSessionLooks, type Looks } from '../support/due-work.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { shakyStore } from '../support/shaky-store.ts'
import { openTestStore } from '../support/store.ts'

const minute = 60_000

async function open(settings?: Readonly<Record<string, number>>) {
  const { store, clock, folder } = await openTestStore()
  const office = await openOffice(store, clock, settings)
  const sweeper = sweeperOf(office, clock)
  await sweeper.run()
  /** Time as a machine that is awake sees it: a tick every two seconds. */
  const pass = async (ms: number, each = 2000): Promise<void> => {
    for (let passed = 0; passed < ms; passed += each) {
      clock.advance(Math.min(each, ms - passed))
      await sweeper.run()
    }
  }
  return { store, clock, folder, office, sweeper, pass }
}

const sweeperOf = ({ store, calls }: Pick<Office, 'store' | 'calls'>, clock: ManualClock): Looks =>
  agentSessionLooks({ store, clock, logger: nowhere, lastSeen: calls.lastSeen })

describe('a session that nobody hears of', () => {
  test('[AS6] a session expires after its time to live, and its work is interrupted', async () => {
    const { store, office, pass } = await open({ 'agent_session.ttl_minutes': 1 })
    const { workSessionId } = await office.giveTask()
    const signed = await office.signIn()
    await pass(minute - 1000, 1000)
    expect(await office.one(signed)).toMatchObject({ state: 'active' })
    await pass(1000)
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'expired' })
    expect(
      await store.query(getWorkSession, {
        viewer: null,
        projectId: office.projectId,
        workSessionId,
      }),
    ).toMatchObject({
      state: 'interrupted',
      interruptionReason: 'abandoned',
    })
    expect((await typesOf(store, projectStream(office.projectId))).slice(-4)).toEqual([
      'agent-session-terminating',
      'agent-session-ended',
      'checkpoint-saved',
      'work-session-ended',
    ])
  })

  test('[AS6] a session lives while it calls, to the second, with one write a minute', async () => {
    const { office, pass } = await open({ 'agent_session.ttl_minutes': 5 })
    await office.giveTask()
    const signed = await office.signIn()
    await pass(59_000, 1000)
    // Remembered, not written.
    await office.next(signed)
    await pass(5 * minute - 1000, 1000)
    expect(await office.one(signed)).toMatchObject({ state: 'active' })
    await pass(1000)
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'expired' })
  })

  test('[NA5] when it was asked to go and nobody asks within a minute, it is ended', async () => {
    const { office, store, pass } = await open()
    await office.say('hello')
    const signed = await office.signIn()
    await store.run(endChat, { projectId: office.projectId, agentId: office.agentId, by })
    await pass(minute - 1, 1000)
    expect(await office.one(signed)).toMatchObject({ state: 'terminating' })
    await pass(1)
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'closed' })
  })

  test('[AS9] what a session left open is closed within seconds, in several steps', async () => {
    const { office, store, sweeper } = await open()
    await office.say('hello')
    const { agentSessionId, agentId, projectId } = await office.signIn()
    const own = { agentSessionId, agentId, projectId }
    const others: string[] = []
    for (let each = 1; each <= 101; each++) others.push(await office.hire(`ben${each}`))
    for (const toAgentId of others)
      await store.run(sendMessage, { ...own, toAgentId, content: 'do this' })
    const statesNow = async (): Promise<string[]> => {
      const keys = others.map((other) => agentKey(agentId, other))
      const rows = await Promise.all(keys.map((key) => store.query(getConversation, { key })))
      return rows.map(({ state }) => state)
    }
    await store.run(unassignAgent, { projectId, agentId, by })
    expect((await statesNow()).filter((state) => state === 'open')).toHaveLength(1)
    await sweeper.run()
    expect(await statesNow()).toEqual(others.map(() => 'closed'))
    const streams = others.map((other) => conversationStream(agentKey(agentId, other)))
    const positions = await store.positions(streams)
    await sweeper.run()
    expect(await store.positions(streams)).toEqual(positions)
  })
})

test('[RE9] a session that cannot be swept keeps no other from being swept', async () => {
  const { office, store, clock, folder, pass } = await open({ 'agent_session.ttl_minutes': 1 })
  const damaged = await openOffice(store, clock, { 'agent_session.ttl_minutes': 1 })
  const signed = []
  for (const each of [damaged, office]) {
    await each.say('hello')
    signed.push(await each.signIn())
  }
  damage(`${folder}/holdfast.db`, damaged.projectId)
  await pass(minute)
  const [stays, ends] = await Promise.all([damaged.list(), office.list()])
  expect([stays[0]?.state, ends[0]?.endReason]).toEqual(['active', 'expired'])
})

describe('time in which nobody could be heard', () => {
  test('[RE5] a sleep of eight hours ends nothing: all deadlines move by as much', async () => {
    const { office, store, clock, sweeper, pass } = await open()
    await office.say('hello')
    const chat = await office.signIn()
    await office.handOver(chat)
    await office.answer(chat, 'hi')
    await pass(9 * minute, 4000)
    const ben = await office.hire('ben')
    await office.say('hello', ben)
    const going = await office.signIn(ben)
    await store.run(endChat, { projectId: office.projectId, agentId: ben, by })
    const before = await office.one(chat)
    clock.advance(8 * 60 * minute)
    await sweeper.run()
    expect(await office.one(going)).toMatchObject({ state: 'terminating' })
    const after = await office.one(chat)
    expect(
      Date.parse(after?.expiresAt ?? '') - Date.parse(before?.expiresAt ?? ''),
    ).toBeGreaterThan(7.9 * 60 * minute)
    expect(await office.next(chat)).toMatchObject({ action: 'wait_for_messages' })
    await pass(minute, 4000)
    expect(await office.one(going)).toMatchObject({ state: 'ended', endReason: 'closed' })
    await pass(2000)
    expect(await office.next(chat)).toMatchObject({ action: 'exit', reason: 'timeout' })
  })

  test('[RE5] a tick that is late by less than five seconds moves nothing', async () => {
    const { office, clock, sweeper } = await open()
    await office.say('hello')
    const signed = await office.signIn()
    const { expiresAt } = (await office.one(signed)) ?? {}
    clock.advance(7000)
    await sweeper.run()
    expect(await office.one(signed)).toMatchObject({ expiresAt })
    clock.advance(7001)
    await sweeper.run()
    expect((await office.one(signed))?.expiresAt).not.toBe(expiresAt)
  })

  test('[WK2] a server away for a day ends no session; silent ones end in their time', async () => {
    const { office, clock, sweeper, pass } = await open({ 'agent_session.ttl_minutes': 2 })
    const { workSessionId } = await office.giveTask()
    const signed = await office.signIn()
    await pass(minute)
    await sweeper.end()
    clock.advance(24 * 60 * minute)
    const restarted = sweeperOf(office, clock)
    await restarted.run()
    expect(await office.one(signed)).toMatchObject({ state: 'active' })
    for (let passed = 0; passed < 56_000; passed += 2000) {
      clock.advance(2000)
      await restarted.run()
    }
    expect(await office.one(signed)).toMatchObject({ state: 'active', workSessionId })
    clock.advance(2000)
    await restarted.run()
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'expired' })
  })
})

describe('a store that is away', () => {
  test('[AS6] a store that is away ends no session; silent ones end in their time', async () => {
    const { store, office, clock, pass } = await open({ 'agent_session.ttl_minutes': 2 })
    await office.giveTask()
    const signed = await office.signIn()
    await pass(minute)
    const { shaky, state } = shakyStore(store)
    const sweeper = sweeperOf({ store: shaky, calls: office.calls }, clock)
    const tick = async (): Promise<void> => {
      clock.advance(2000)
      await sweeper.run().catch(() => {})
    }
    await tick()
    state.isAway = true
    for (let passed = 0; passed < 10 * minute; passed += 2000) await tick()
    state.isAway = false
    await tick()
    expect(await office.one(signed)).toMatchObject({ state: 'active' })
    for (let passed = 0; passed < 50_000; passed += 2000) await tick()
    expect(await office.one(signed)).toMatchObject({ state: 'active' })
    for (let passed = 0; passed < 10_000; passed += 2000) await tick()
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'expired' })
  })
})

describe('with many sessions', () => {
  test('[SP13] a sweep touches only live sessions and none of 100,000 that ended', async () => {
    const { store, clock, folder, office, sweeper } = await open()
    const look = () => store.query(findDueAgentSessions, {})
    const few = await fastest(look)
    fill(`${folder}/holdfast.db`, office, 'ended', 100_000)
    fill(`${folder}/holdfast.db`, office, 'active', 100)
    expect(await look()).toEqual([])
    const many = await fastest(look)
    expect(many).toBeLessThan(Math.max(few * 5, 2))
    const file = `${folder}/holdfast.db`
    const plan = [
      ...(await planOf(file, (reader) =>
        findDueAgentSessions.run(
          reader,
          {},
          { now: new Date(clock.now()).toISOString(), timeZone: 'UTC' },
        ),
      )),
      ...(await planOf(file, (reader) =>
        listLiveAgentSessions.run(
          reader,
          { after: firstLive, limit: 100 },
          { now: '', timeZone: 'UTC' },
        ),
      )),
    ]
    // Each index holds live ones alone; the last is the key, asked for single ones.
    const allowed =
      /agent_sessions (EXISTS )?USING (COVERING )?INDEX (agent_sessions_(by_expiry|terminating|suspected|live)|sqlite_autoindex)/
    expect(plan.filter((step) => /agent_sessions\b/.test(step) && !allowed.test(step))).toEqual([])
    expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
    await sweeper.run()
    expect(
      (await store.query(listAgentSessions, { state: 'active', limit: 200 })).items,
    ).toHaveLength(100)
  }, 60_000)

  test('[AS6] thousands that expire at once are ended in steps beside other work', async () => {
    const { store, clock, folder, office } = await open()
    const count = 2500
    fill(`${folder}/holdfast.db`, office, 'active', count)
    clock.advance(60 * minute)
    await office.say('hello')
    const other = await office.signIn()
    let served = 0
    let over = false
    const swept = sweeperOf(office, clock)
      .run()
      .finally(() => {
        over = true
      })
    while (!over) {
      await office.next(other)
      served++
      await new Promise((resolve) => setImmediate(resolve))
    }
    await swept
    const { items } = await store.query(listAgentSessions, { state: 'active', limit: 200 })
    expect(items.map(({ id }) => id)).toEqual([other.agentSessionId])
    // Once for each hundred at the very least.
    expect(served).toBeGreaterThanOrEqual(count / 100)
  }, 60_000)
})

async function fastest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < 50; n++) {
    const started = performance.now()
    await work()
    best = Math.min(best, performance.now() - started)
  }
  return best
}

function damage(file: string, projectId: string): void {
  const database = new DatabaseSync(file)
  database.prepare("update projects set settings = '{' where id = ?").run(projectId)
  database.close()
}

/** Straight into the table: how they came to be is not of interest. */
function fill(
  file: string,
  { projectId, agentId }: Office,
  state: 'ended' | 'active',
  count: number,
): void {
  const database = new DatabaseSync(file)
  database.exec('pragma busy_timeout = 5000')
  const at = '2026-03-01T09:00:00.000Z'
  const later = '2026-03-01T10:00:00.000Z'
  const insert = database.prepare(
    `insert into agent_sessions (id, agent_id, project_id, purpose, state, token_hash, created_at, last_activity_at, expires_at,
       terminating_at, ended_at, end_reason)
     values (?, ?, ?, 'chat', ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const gone = state === 'ended' ? at : null
  database.exec('begin')
  for (let n = 0; n < count; n++) {
    const id = `${state}-${n}`
    const agent = state === 'ended' ? agentId : `${agentId}-${n}`
    insert.run(id, agent, projectId, state, id, at, at, later, gone, gone, gone && 'expired')
  }
  database.exec('commit')
  database.close()
}
