/** Calls that wait (NA3): what wakes them, what ends them, and what they cost. */
import { describe, expect, test } from 'vitest'
import { AgentCalls } from '../../../src/server/agent-sessions/agent-calls.ts'
import { superseded, WaitingCalls } from '../../../src/server/agent-sessions/waiting-calls.ts'
import { Tails } from '../../../src/server/live/tail.ts'
import { getOrCreateConversation } from '../../../src/services/conversations/change-conversation.ts'
import {
  decideApproval,
  requestApproval,
} from '../../../src/services/flows/approvals/request-approval.ts'
import { endChat } from '../../../src/services/flows/conversations/start-chat.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import { postMessage, sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import { unassignAgent } from '../../../src/services/flows/projects/unassign-agent.ts'
import { createTask } from '../../../src/services/work/change-task.ts'
import type { Store } from '../../../src/store/store.ts'
import {
  callsOn,
  nowhere,
  type Office,
  openOffice,
  type Signed,
  unknownCaller,
} from '../../services/agent-sessions/agent-office.ts'
import { by } from '../../services/projects/installation.ts'
import { sharedStore } from '../../services/work/work-room.ts'
import { ownTime } from '../../support/own-time.ts'
import { openTestStore } from '../../support/store.ts'

const shared = sharedStore()
const minute = 60_000
const who = ({ agentSessionId, agentId, projectId }: Signed) => ({
  agentSessionId,
  agentId,
  projectId,
})

async function idle(settings?: Readonly<Record<string, number>>) {
  const office = await openOffice(shared.store, shared.clock, settings)
  await office.say('hello')
  const signed = await office.signIn()
  await office.handOver(signed)
  await office.answer(signed, 'hi')
  return { office, signed }
}

/** A call that waits, once it does. */
async function hold(office: Office, signed: Signed, seconds = 50, signal?: AbortSignal) {
  const answer = office.next(signed, seconds, signal)
  await waiting(office, 1)
  const settled = { yet: false }
  const settle = () => {
    settled.yet = true
  }
  answer.then(settle, settle)
  return { answer, settled }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Until so many calls are held and have looked for what they missed. */
async function waiting(
  { calls }: { calls: { waitingCalls: Pick<WaitingCalls, 'size'> } },
  count: number,
): Promise<void> {
  while (calls.waitingCalls.size < count) await turn()
  for (let turns = 0; turns < 20; turns++) await turn()
}

describe('a held call is answered at once', () => {
  test('[NA12] by a message of a person', async () => {
    const { office, signed } = await idle()
    const { answer } = await hold(office, signed)
    await office.say('are you there?')
    expect(await answer).toMatchObject({ action: 'get_pending_messages', state: 'chat_pending' })
    expect(office.calls.waitingCalls.size).toBe(0)
  })

  test('[NA3] [CX13] by a message of another agent, which is another conversation: it makes room', async () => {
    const { office, signed } = await idle()
    const ben = await office.hire('ben')
    await office.say('hello', ben)
    const other = await office.signIn(ben)
    const { answer } = await hold(office, signed)
    await office.store.run(sendMessage, {
      ...who(other),
      toAgentId: office.agentId,
      content: 'help',
    })
    expect(await answer).toMatchObject({ action: 'exit', reason: 'other_conversation' })
    const next = await office.signIn()
    expect(await office.next(next)).toMatchObject({ action: 'get_pending_messages' })
  })

  test('[NA3] [CV15] by a message in another of its chats, whose key goes on behind the agent', async () => {
    const { office, signed } = await idle()
    const key = `web:${office.projectId}.${office.agentId}.second`
    await office.store.run(getOrCreateConversation, { key })
    const { answer } = await hold(office, signed)
    await office.store.run(addMessage, { key, role: 'user', content: 'here?', by })
    expect(await answer).toMatchObject({ action: 'exit', reason: 'other_conversation' })
    const next = await office.signIn()
    expect(await office.next(next)).toMatchObject({ action: 'get_pending_messages' })
  })

  test('[AP3] by the decision it waits for, and by another wait than the one it had', async () => {
    const { office, signed } = await idle()
    const { projectId, store } = office
    const plain = await hold(office, signed)
    const one = await store.run(requestApproval, { ...who(signed), checkpointType: 'one' })
    expect(await plain.answer).toMatchObject({ action: 'wait_for_approval', approvalId: one.id })
    const two = await store.run(requestApproval, { ...who(signed), checkpointType: 'two' })
    const decide = (approvalId: number) =>
      store.run(decideApproval, { projectId, approvalId, status: 'approved', by })
    const first = await hold(office, signed)
    await decide(one.id)
    expect(await first.answer).toMatchObject({ action: 'wait_for_approval', approvalId: two.id })
    const second = await hold(office, signed)
    await decide(two.id)
    expect(await second.answer).toMatchObject({ action: 'wait_for_messages' })
  })

  test('[NA5] by a termination, with the session ended', async () => {
    const { office, signed } = await idle()
    const { answer } = await hold(office, signed)
    await office.store.run(endChat, { projectId: office.projectId, agentId: office.agentId, by })
    expect(await answer).toMatchObject({ action: 'exit', reason: 'session_closed' })
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'closed' })
  })

  test('[SE3] when its agent is taken off the project', async () => {
    const { office, signed } = await idle()
    const { answer } = await hold(office, signed)
    await office.store.run(unassignAgent, {
      projectId: office.projectId,
      agentId: office.agentId,
      by,
    })
    expect(await answer).toMatchObject({ action: 'exit', reason: 'revoked' })
  })

  test('[PX8] when its process is thought dead, so that its next call can show that it lives', async () => {
    const { office, signed } = await idle()
    await office.giveTask()
    await office.signIn()
    const { answer } = await hold(office, signed)
    const { projectId, agentId } = office
    const exit = await office.calls.reportExit(unknownCaller.who, {
      projectId,
      agentId,
      remainingProcesses: 1,
    })
    expect(exit.decision).toBe('judging')
    expect(await answer).toMatchObject({ action: 'wait_for_messages' })
    shared.clock.advance(1)
    const again = await hold(office, signed)
    expect(again.settled.yet).toBe(false)
    office.calls.close()
    await again.answer
  })
})

describe('a held call ends', () => {
  test('[NA12] when its time is over: as long as asked for, and never longer than its agent’s client can hold', async () => {
    const { office, signed } = await idle()
    for (const [asked, given] of [
      [20, 20],
      [600, 50],
    ] as const) {
      const { answer, settled } = await hold(office, signed, asked)
      shared.clock.advance(given * 1000 - 1)
      for (let turns = 0; turns < 5; turns++) await turn()
      expect(settled.yet).toBe(false)
      shared.clock.advance(1)
      expect(await answer).toMatchObject({ action: 'wait_for_messages' })
    }
  })

  test('[NA12] in its time also when the clock is set back meanwhile', async () => {
    const { signed } = await idle()
    let setBackMs = 0
    const clock = { ...shared.clock, now: () => shared.clock.now() - setBackMs }
    const waitingCalls = new WaitingCalls({
      ...shared,
      clock,
      tails: new Tails({ ...shared, logger: nowhere }),
    })
    const answer = waitingCalls.next(who(signed), 50)
    await waiting({ calls: { waitingCalls } }, 1)
    setBackMs = 60 * minute
    shared.clock.advance(50_000)
    expect(await answer).toMatchObject({ next: { action: 'wait_for_messages' } })
  })

  test('[NA4] at the very moment of the soft timeout', async () => {
    const { office, signed } = await idle()
    shared.clock.advance(10 * minute - 5000)
    const { answer, settled } = await hold(office, signed)
    shared.clock.advance(4999)
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(settled.yet).toBe(false)
    shared.clock.advance(1)
    expect(await answer).toMatchObject({ action: 'exit', reason: 'timeout' })
  })

  test('[NA12] when a newer one of the same session takes its place, also when that does not wait', async () => {
    const { office, signed } = await idle()
    const first = await hold(office, signed)
    const second = await hold(office, signed)
    expect(await first.answer).toBe(superseded)
    expect(await office.next(signed)).toMatchObject({ action: 'wait_for_messages' })
    expect(await second.answer).toBe(superseded)
    expect(office.calls.waitingCalls.size).toBe(0)
  })

  test('[NA12] when its caller has gone, leaving nothing behind', async () => {
    const tails = new Tails({ ...shared, logger: nowhere })
    const { office, signed } = await idle()
    const calls = new AgentCalls({ ...shared, tails })
    const gone = new AbortController()
    const answer = calls.waitingCalls.next(who(signed), 50, gone.signal)
    await waiting({ calls }, 1)
    expect(tails.size).toBe(1)
    gone.abort()
    await answer
    expect([calls.waitingCalls.size, tails.size]).toEqual([0, 0])
    expect(await office.one(signed)).toMatchObject({ state: 'active' })
  })

  test('[OP2] when the server stops: answered as things stand, to be made again', async () => {
    const { office, signed } = await idle()
    const { answer } = await hold(office, signed)
    office.calls.close()
    expect(await answer).toMatchObject({ action: 'wait_for_messages' })
    expect(await office.next(signed, 50)).toMatchObject({ action: 'wait_for_messages' })
  })

  test('[SE8] at once when too many wait already: answered as if it had not asked to', async () => {
    const office = await openOffice(shared.store, shared.clock)
    const agents = await Promise.all(['a', 'b', 'c'].map((name) => office.hire(name)))
    const signed = []
    for (const agentId of agents) {
      await office.openPanel(agentId)
      signed.push(await office.signIn(agentId))
    }
    const waitingCalls = new WaitingCalls(
      { ...shared, tails: new Tails({ ...shared, logger: nowhere }) },
      2,
    )
    const [a, b, c] = signed.map(who)
    const answers = [waitingCalls.next(a as Signed, 50), waitingCalls.next(b as Signed, 50)]
    while (waitingCalls.size < 2) await turn()
    expect(await waitingCalls.next(c as Signed, 50)).toMatchObject({
      next: { action: 'wait_for_messages' },
    })
    waitingCalls.close()
    await Promise.all(answers)
  })
})

describe('a held call costs', () => {
  /** The real store, and how often it was asked for anything. */
  function counted(store: Store) {
    const asked = { times: 0 }
    const proxy = new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          asked.times++
          return value.apply(target, args)
        }
      },
    })
    return { store: proxy, asked }
  }

  test('[NA12] no question to the store while it waits, however long, whatever others do', async () => {
    const { office, signed } = await idle()
    const ben = await office.hire('ben')
    const { store, asked } = counted(shared.store)
    const calls = callsOn(store, shared.clock)
    const answer = calls.waitingCalls.next(who(signed), 50)
    await waiting({ calls }, 1)
    const before = asked.times
    for (let second = 0; second < 49; second++) {
      shared.clock.advance(1000)
      await turn()
    }
    expect(asked.times).toBe(before)
    const elsewhere = await openOffice(shared.store, shared.clock)
    await elsewhere.say('not for ann')
    expect(asked.times).toBe(before)
    // What happens in its project is read once by all who wait there, and most of it leads to no
    // question of its own.
    await office.say('not for ann either', ben)
    expect(asked.times - before).toBeLessThanOrEqual(1)
    const { workSessionId } = await office.giveTask(ben)
    const draft = {
      projectId: office.projectId,
      workSessionId,
      phase: 1,
      type: 'code',
      title: 't',
      by,
    }
    for (let n = 0; n < 50; n++) await office.store.run(createTask, draft)
    expect(asked.times - before).toBeLessThanOrEqual(60)
    const tailOnly = asked.times
    await office.say('for ann')
    expect(await answer).toMatchObject({ next: { action: 'get_pending_messages' } })
    expect(asked.times - tailOnly).toBeLessThanOrEqual(2)
  })

  test('[NA3] nothing to the others: of 300 that wait in one project, a message wakes one, in milliseconds', async () => {
    const office = await openOffice(shared.store, shared.clock)
    const people = Array.from({ length: 300 }, (_, n) => `agent${n}`)
    const signed = await Promise.all(
      people.map(async (name) => {
        const agentId = await office.hire(name)
        await office.openPanel(agentId)
        return office.signIn(agentId)
      }),
    )
    const { store, asked } = counted(shared.store)
    const calls = callsOn(store, shared.clock)
    const answers = signed.map((each) => calls.waitingCalls.next(who(each), 50))
    await waiting({ calls }, signed.length)
    const before = asked.times
    const waited = ownTime()
    await office.say('only you', signed[150]?.agentId)
    expect(await answers[150]).toMatchObject({ next: { action: 'get_pending_messages' } })
    expect(waited()).toBeLessThan(1000)
    expect(asked.times - before).toBeLessThanOrEqual(3)
    expect(calls.waitingCalls.size).toBe(signed.length - 1)
    calls.close()
    await Promise.all(answers)
  })
})

test('[MC1] a held call survives a server that is restarted: made again once, it is held and answered as before', async () => {
  const first = await openTestStore()
  const { clock, folder } = first
  const office = await openOffice(first.store, clock)
  await office.openPanel()
  const signed = await office.signIn()
  const lost = office.next(signed, 50)
  await waiting(office, 1)
  office.calls.close()
  await lost
  await first.store.close()
  const { store } = await openTestStore({ clock, folder })
  const calls = callsOn(store, clock)
  const again = calls.waitingCalls.next(await calls.caller(unknownCaller, signed.token), 50)
  await waiting({ calls }, 1)
  await store.run(postMessage, {
    projectId: office.projectId,
    toAgentId: office.agentId,
    content: 'after the restart',
    by,
  })
  expect(await again).toMatchObject({ next: { action: 'get_pending_messages' } })
})
