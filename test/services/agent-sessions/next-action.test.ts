/** What an agent is told to do next, through everything an endpoint does for it (NA). */
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { setSummary } from '../../../src/services/conversations/change-conversation.ts'
import {
  decideApproval,
  requestApproval,
} from '../../../src/services/flows/approvals/request-approval.ts'
import { endChat } from '../../../src/services/flows/conversations/start-chat.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import { by } from '../projects/installation.ts'
import { sharedStore } from '../work/work-room.ts'
import { placeWorkSession } from '../work/work-rows.ts'
import { type Office, openOffice, type Signed } from './agent-office.ts'

const shared = sharedStore()
const minute = 60_000
const open = (settings?: Readonly<Record<string, number>>) =>
  openOffice(shared.store, shared.clock, settings)

const ask = ({ store }: Office, { agentSessionId, agentId, projectId }: Signed) =>
  store.run(requestApproval, { agentSessionId, agentId, projectId, checkpointType: 'design' })
const decide = ({ store, projectId }: Office, approvalId: number) =>
  store.run(decideApproval, { projectId, approvalId, status: 'approved', by })

/** One that has been handed a message and has answered it. */
async function idle(settings?: Readonly<Record<string, number>>) {
  const office = await open(settings)
  await office.say('hello')
  const signed = await office.signIn()
  await office.handOver(signed)
  await office.answer(signed, 'hi')
  return { office, signed }
}

describe('in a chat', () => {
  test('[NA1] a message is to be fetched, then answered, and then there is nothing to do but wait', async () => {
    const office = await open()
    await office.say('hello')
    const signed = await office.signIn()
    const pending = { action: 'get_pending_messages', state: 'chat_pending' }
    expect(await office.next(signed)).toMatchObject(pending)
    expect((await office.next(signed)) as { instruction: string }).toHaveProperty(
      'instruction',
      expect.stringContaining('1 message'),
    )
    expect((await office.handOver(signed)).map(({ content }) => content)).toEqual(['hello'])
    // NA7: delivered is not answered.
    expect(await office.next(signed)).toMatchObject(pending)
    await office.answer(signed, 'hi')
    expect(await office.next(signed)).toMatchObject({
      action: 'wait_for_messages',
      state: 'chat_waiting',
      waitSeconds: 5,
      idleTimeoutMinutes: 10,
    })
  })

  test('[NA3] the instruction always asks for the longest wait: the agent’s own limit, within half its time to live', async () => {
    const { office, signed } = await idle()
    expect((await office.next(signed)) as { instruction: string }).toHaveProperty(
      'instruction',
      expect.stringContaining('wait_seconds: 50'),
    )
    await office.set({ 'agent_session.ttl_minutes': 0.5 })
    expect((await office.next(signed)) as { instruction: string }).toHaveProperty(
      'instruction',
      expect.stringContaining('wait_seconds: 15'),
    )
  })

  test('[NA4] idle for ten minutes: exit by timeout, ended in the same call, and the answer can be had again', async () => {
    const { office, signed } = await idle()
    shared.clock.advance(10 * minute - 1)
    expect(await office.next(signed)).toMatchObject({ action: 'wait_for_messages' })
    shared.clock.advance(1)
    const exit = { action: 'exit', state: 'chat_timeout', reason: 'timeout' }
    expect(await office.next(signed)).toMatchObject(exit)
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'timeout' })
    expect(await office.next(signed)).toMatchObject(exit)
  })

  test('[NA4] a message at 9:59 is answered, and the ten minutes begin again', async () => {
    const { office, signed } = await idle()
    shared.clock.advance(10 * minute - 1000)
    await office.say('still there?')
    expect(await office.next(signed)).toMatchObject({ action: 'get_pending_messages' })
    await office.handOver(signed)
    shared.clock.advance(10 * minute)
    // NA2: what is unread wins over the timeout, however late the agent is.
    expect(await office.next(signed)).toMatchObject({ action: 'get_pending_messages' })
    await office.answer(signed, 'yes')
    shared.clock.advance(10 * minute - 1)
    expect(await office.next(signed)).toMatchObject({ action: 'wait_for_messages' })
  })

  test('[NA4] before the first answer the ten minutes count from signing in', async () => {
    const office = await open()
    await office.openPanel()
    const signed = await office.signIn()
    shared.clock.advance(10 * minute)
    expect(await office.next(signed)).toMatchObject({ action: 'exit', reason: 'timeout' })
  })

  test('[NA2] a message that arrives in the very moment of the timeout is never lost: answered, or left for the next session', async () => {
    for (let round = 0; round < 20; round++) {
      const { office, signed } = await idle()
      shared.clock.advance(10 * minute)
      const [said, answer] = await Promise.all([office.say('just in time'), office.next(signed)])
      const next = answer as { action: string }
      if (next.action === 'exit') {
        const again = await office.signIn()
        expect((await office.handOver(again)).map(({ id }) => id)).toEqual([said.id])
      } else expect((await office.handOver(signed)).map(({ id }) => id)).toEqual([said.id])
    }
  })

  test('[NA5] one that is asked to go gets exit before anything else, has ended by then, and its messages wait for the next', async () => {
    const { office, signed } = await idle()
    await office.store.run(endChat, { projectId: office.projectId, agentId: office.agentId, by })
    await office.say('one more thing')
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    expect(await office.next(signed)).toMatchObject({
      action: 'exit',
      state: 'session_closed',
      reason: 'session_closed',
    })
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'closed' })
    expect(await office.next(signed)).toMatchObject({ action: 'exit', reason: 'session_closed' })
    expect((await office.handOver(await office.signIn())).map(({ content }) => content)).toEqual([
      'one more thing',
    ])
  })

  test('[NA13] a process that dies between delivery and answer loses nothing: the next session is handed the same messages', async () => {
    const office = await open()
    await office.say('hello')
    const first = await office.signIn(office.agentId, 'launch-1')
    const handed = await office.handOver(first)
    await office.say('and this')
    const exit = {
      projectId: office.projectId,
      agentId: office.agentId,
      remainingProcesses: 0,
      launchId: 'launch-1',
    }
    await office.calls.reportExit(
      { ...(await office.bearerOf()).who, id: 'c', scopes: ['coordinator'] },
      exit,
    )
    const second = await office.signIn(office.agentId, 'launch-2')
    expect(await office.next(second)).toMatchObject({ action: 'get_pending_messages' })
    expect((await office.handOver(second)).map(({ content }) => content)).toEqual([
      'hello',
      'and this',
    ])
    expect(handed).toHaveLength(1)
  })

  test('[NA9] a long conversation is to be summarised once nothing is unread, and what the summary covers counts no more', async () => {
    const { office, signed } = await idle({ 'chat.summarize_after_chars': 1000 })
    await office.say('x'.repeat(1001))
    expect(await office.next(signed)).toMatchObject({ action: 'get_pending_messages' })
    await office.handOver(signed)
    const { seq } = await office.answer(signed, 'long, that')
    expect(await office.next(signed)).toMatchObject({
      action: 'summarize_conversation',
      state: 'summary_due',
      throughSeq: seq,
    })
    const { agentSessionId, agentId, projectId } = signed
    const conversationKey = webKey(projectId, agentId)
    const summary = {
      agentSessionId,
      agentId,
      projectId,
      conversationKey,
      summary: 'x, often',
      throughSeq: seq ?? 0,
    }
    await office.store.run(setSummary, summary)
    expect(await office.next(signed)).toMatchObject({ action: 'wait_for_messages' })
  })

  test('[AP3] an approval asked for in a chat is waited for past the timeout, and a decision begins the ten minutes again', async () => {
    const { office, signed } = await idle()
    const { id: approvalId } = await ask(office, signed)
    shared.clock.advance(60 * minute)
    expect(await office.next(signed)).toMatchObject({
      action: 'wait_for_approval',
      state: 'approval_pending',
      approvalId,
    })
    await office.say('by the way')
    expect(await office.next(signed)).toMatchObject({ action: 'get_pending_messages' })
    await office.handOver(signed)
    expect(await office.next(signed)).toMatchObject({ action: 'wait_for_approval' })
    await office.answer(signed, '')
    shared.clock.advance(60 * minute)
    await decide(office, approvalId)
    shared.clock.advance(10 * minute - 1)
    expect(await office.next(signed)).toMatchObject({ action: 'wait_for_messages' })
    shared.clock.advance(1)
    expect(await office.next(signed)).toMatchObject({ action: 'exit', reason: 'timeout' })
  })

  test('[CV10] what another agent writes is unread chat, and work for an agent that has no session', async () => {
    const { office, signed } = await idle()
    const ben = await office.hire('ben')
    const { agentSessionId, agentId, projectId } = signed
    await office.store.run(sendMessage, {
      agentSessionId,
      agentId,
      projectId,
      toAgentId: ben,
      content: 'help me',
    })
    const other = await office.signIn(ben)
    expect(await office.next(other)).toMatchObject({ action: 'get_pending_messages' })
    await office.handOver(other)
    await office.answer(other, 'gladly')
    expect(await office.next(signed)).toMatchObject({ action: 'get_pending_messages' })
    expect((await office.handOver(signed)).map(({ content }) => content)).toEqual(['gladly'])
  })

  test('[NA10] the settings of its project apply to an agent from the next call on', async () => {
    const { office, signed } = await idle({
      'chat.soft_timeout_minutes': 0.1,
      'chat.wait_interval_seconds': 7,
    })
    expect(await office.next(signed)).toMatchObject({ waitSeconds: 7, idleTimeoutMinutes: 0.1 })
    shared.clock.advance(6000)
    await office.set({ 'chat.soft_timeout_minutes': 1 })
    expect(await office.next(signed)).toMatchObject({
      action: 'wait_for_messages',
      idleTimeoutMinutes: 1,
    })
    shared.clock.advance(54_000)
    expect(await office.next(signed)).toMatchObject({ action: 'exit', reason: 'timeout' })
  })
})

describe('on a task', () => {
  test('[NA11] an approval it asked for is waited for, then the task goes on, and with none left it is done', async () => {
    const office = await open()
    const { taskId } = await office.giveTask()
    const signed = await office.signIn()
    expect(await office.next(signed)).toMatchObject({
      action: 'work_on_task',
      state: 'task_ready',
      taskId,
      task: { id: taskId },
    })
    const [one, two] = [
      await ask(office, signed),
      await office.store.run(requestApproval, { ...plain(signed), checkpointType: 'two' }),
    ]
    expect(await office.next(signed)).toMatchObject({
      action: 'wait_for_approval',
      approvalId: one.id,
      task: null,
    })
    await decide(office, one.id)
    expect(await office.next(signed)).toMatchObject({
      action: 'wait_for_approval',
      approvalId: two.id,
    })
    await decide(office, two.id)
    // No timeouts: a build may take hours.
    shared.clock.advance(240 * minute)
    expect(await office.next(signed)).toMatchObject({ action: 'work_on_task', taskId })
    await office.finish(taskId)
    expect(await office.next(signed)).toMatchObject({
      action: 'exit',
      state: 'task_done',
      reason: 'work_done',
    })
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'work_done' })
  })

  test('[NA11] a resumed work session is handed over first, once to each session that takes it up', async () => {
    const office = await open()
    const { projectId } = office
    const child = await office.store.run(placeWorkSession, {
      projectId,
      parentId: 'sess_20260101000000_parent',
    })
    const { taskId } = await office.giveTask(office.agentId, child.id)
    const signed = await office.signIn()
    expect(await office.next(signed)).toMatchObject({
      action: 'resume_work',
      state: 'task_resuming',
      resumed: child.id,
    })
    expect(await office.next(signed)).toMatchObject({
      action: 'work_on_task',
      taskId,
      resumed: null,
    })
  })

  test('[NA11] another’s approval, and one that an earlier session asked for, are not waited for', async () => {
    const office = await open()
    const ben = await office.hire('ben')
    await office.giveTask(ben)
    await ask(office, await office.signIn(ben))
    const { taskId } = await office.giveTask()
    expect(await office.next(await office.signIn())).toMatchObject({
      action: 'work_on_task',
      taskId,
    })
  })
})

test('[NA3] asking for the next action writes nothing when it changes nothing', async () => {
  const { office, signed } = await idle()
  const commits = () => shared.store.figures().commits
  await office.next(signed)
  const before = commits()
  for (let n = 0; n < 100; n++) await office.next(signed)
  expect(commits()).toBe(before)
})

test('[AS6] a call is written down at most once a minute, and what it moves is the expiry alone', async () => {
  const { office, signed } = await idle()
  const rowOf = () => {
    const database = new DatabaseSync(shared.file, { readOnly: true })
    const row = database
      .prepare('select * from agent_sessions where id = ?')
      .get(signed.agentSessionId)
    database.close()
    return row
  }
  const first = rowOf()
  for (let n = 0; n < 59; n++) {
    shared.clock.advance(1000)
    await office.next(signed)
  }
  expect(rowOf()).toEqual(first)
  shared.clock.advance(1000)
  await office.next(signed)
  const written = new Date(shared.clock.now() + 60 * minute).toISOString()
  expect(rowOf()).toEqual({ ...first, expires_at: written })
})

const plain = ({ agentSessionId, agentId, projectId }: Signed) => ({
  agentSessionId,
  agentId,
  projectId,
})
