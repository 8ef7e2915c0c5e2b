/**
 * What ends with an agent session, and what does not (AS9); and whose end is not its own doing
 * (SE3).
 */
import { describe, expect, test } from 'vitest'
import { agentKey } from '../../../src/domain/conversations/key.ts'
import { conversationStream, home, projectStream } from '../../../src/domain/stream-name.ts'
import { getConversation } from '../../../src/services/conversations/queries.ts'
import { replacePasskey } from '../../../src/services/flows/agent-sessions/replace-passkey.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import { reportProcessExit } from '../../../src/services/flows/processes/report-process-exit.ts'
import { deleteAgent } from '../../../src/services/flows/projects/delete-agent.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { unassignAgent } from '../../../src/services/flows/projects/unassign-agent.ts'
import { changeTask } from '../../../src/services/work/change-task.ts'
import { getWorkSession } from '../../../src/services/work/queries.ts'
import { resumeWorkSession } from '../../../src/services/work/resume-work-session.ts'
import { by, typesOf } from '../projects/installation.ts'
import { sharedStore } from '../work/work-room.ts'
import { type Office, openOffice, type Signed } from './agent-office.ts'

const shared = sharedStore()
const open = () => openOffice(shared.store, shared.clock)

const exit = ({ projectId, agentId, store }: Office, launchId: string) =>
  store.run(reportProcessExit, {
    projectId,
    agentId,
    remainingProcesses: 0,
    launchId,
    reporterId: 'c',
  })
const workSession = ({ store, projectId }: Office, workSessionId: string) =>
  store.query(getWorkSession, { viewer: null, projectId, workSessionId })
const logout = async (office: Office, signed: Signed) =>
  office.calls.logout(await office.caller(signed))

describe('the work session it drove', () => {
  test('[AS9] is completed when its agent logs out with every task finished, and interrupted when one is left', async () => {
    const office = await open()
    const done = await office.giveTask()
    const first = await office.signIn()
    const other = await office.giveTask(office.agentId, done.workSessionId)
    await office.finish(done.taskId)
    await office.finish(other.taskId, 'failed')
    await logout(office, first)
    expect(await workSession(office, done.workSessionId)).toMatchObject({
      state: 'completed',
      interruptionReason: null,
    })
    const left = await office.giveTask()
    const second = await office.signIn()
    await logout(office, second)
    expect(await workSession(office, left.workSessionId)).toMatchObject({
      state: 'interrupted',
      interruptionReason: 'abandoned',
    })
    expect(
      (await typesOf(shared.store, projectStream(office.projectId))).filter(
        (type) => type === 'work-session-ended',
      ),
    ).toHaveLength(2)
    expect((await typesOf(shared.store, home)).at(-1)).toBe('work-session-ended')
  })

  test('[WK7] is interrupted when all it did has failed, and can be resumed', async () => {
    const office = await open()
    const { taskId, workSessionId } = await office.giveTask()
    const signed = await office.signIn()
    await office.finish(taskId, 'failed')
    await logout(office, signed)
    expect(await workSession(office, workSessionId)).toMatchObject({
      state: 'interrupted',
      interruptionReason: 'task_failed',
    })
    const place = { projectId: office.projectId, workSessionId, by: 'owner' }
    const outcome = await office.store.run(resumeWorkSession, place)
    expect(outcome).toMatchObject({
      outcome: 'begun',
      resumed: { missing: [{ what: 'task', detail: expect.stringContaining(taskId) }] },
    })
    // Begun again, it is a task of the work that goes on.
    const child = outcome.outcome === 'failed' ? '' : outcome.resumed.session.id
    const again = {
      projectId: office.projectId,
      taskId,
      status: 'in_progress' as const,
      by: 'owner',
    }
    expect(await office.store.run(changeTask, again)).toMatchObject({
      ['sessionId']: child,
      status: 'in_progress',
    })
  })

  test('[AS9] is completed when there was no work left, and interrupted with the true reason when the process exited', async () => {
    const office = await open()
    const done = await office.giveTask()
    const first = await office.signIn()
    await office.finish(done.taskId)
    expect(await office.next(first)).toMatchObject({
      action: 'exit',
      reason: 'work_done',
      state: 'task_done',
    })
    expect(await workSession(office, done.workSessionId)).toMatchObject({ state: 'completed' })
    const died = await office.giveTask()
    await office.signIn(office.agentId, 'launch-1')
    expect(await exit(office, 'launch-1')).toMatchObject({ decision: 'ended' })
    expect(await workSession(office, died.workSessionId)).toMatchObject({
      state: 'interrupted',
      interruptionReason: 'process_exited',
    })
  })

  test('[AS9] nothing else ends: not one that another session drives, nor one that nobody has taken up', async () => {
    const office = await open()
    const ben = await office.hire('ben')
    const mine = await office.giveTask()
    const theirs = await office.giveTask(ben)
    const later = await office.giveTask()
    const [ann, other] = [await office.signIn(), await office.signIn(ben)]
    await logout(office, ann)
    expect(await workSession(office, mine.workSessionId)).toMatchObject({ state: 'interrupted' })
    expect(await workSession(office, theirs.workSessionId)).toMatchObject({ state: 'running' })
    expect(await workSession(office, later.workSessionId)).toMatchObject({ state: 'running' })
    expect(await office.one(other)).toMatchObject({ state: 'active' })
  })

  test('[AS9] goes on under another agent that works in it too, and ends with the last of them', async () => {
    const office = await open()
    const ben = await office.hire('ben')
    const { workSessionId } = await office.giveTask()
    await office.giveTask(ben, workSessionId)
    const [ann, other] = [await office.signIn(), await office.signIn(ben)]
    await logout(office, ann)
    expect(await workSession(office, workSessionId)).toMatchObject({ state: 'running' })
    await logout(office, other)
    expect(await workSession(office, workSessionId)).toMatchObject({ state: 'interrupted' })
  })

  test('[WK4] is another one as soon as the agent is given a task of another; both end with it', async () => {
    const office = await open()
    const one = await office.giveTask()
    const signed = await office.signIn()
    const two = await office.giveTask()
    expect(await office.next(signed)).toMatchObject({
      action: 'work_on_task',
      taskId: one.taskId,
      task: { id: one.taskId },
    })
    await office.finish(one.taskId)
    expect(await office.next(signed)).toMatchObject({
      action: 'work_on_task',
      taskId: two.taskId,
      task: { id: two.taskId },
    })
    expect(await office.one(signed)).toMatchObject({ workSessionId: two.workSessionId })
    await logout(office, signed)
    expect(await workSession(office, one.workSessionId)).toMatchObject({ state: 'completed' })
    expect(await workSession(office, two.workSessionId)).toMatchObject({ state: 'interrupted' })
  })
})

describe('the conversations it had open', () => {
  test('[AS9] are closed in the same commit, and those of others stay open', async () => {
    const office = await open()
    const [ben, cai] = [await office.hire('ben'), await office.hire('cai')]
    await office.say('hello')
    await office.say('hello', ben)
    const [ann, other] = [await office.signIn(), await office.signIn(ben)]
    const write = ({ agentSessionId, agentId, projectId }: Signed, toAgentId: string) =>
      office.store.run(sendMessage, {
        agentSessionId,
        agentId,
        projectId,
        toAgentId,
        content: 'do this',
      })
    await write(ann, ben)
    await write(other, cai)
    await logout(office, ann)
    const stateOf = async (key: string) =>
      (await office.store.query(getConversation, { key })).state
    expect(await stateOf(agentKey(office.agentId, ben))).toBe('closed')
    expect(await stateOf(agentKey(ben, cai))).toBe('open')
    expect(
      (await typesOf(shared.store, conversationStream(agentKey(office.agentId, ben)))).at(-1),
    ).toBe('conversation-closed')
  })
})

describe('sessions whose right to be there is taken away', () => {
  const signedInTwice = async () => {
    const office = await open()
    await office.say('hello')
    await office.giveTask()
    return { office, both: [await office.signIn(), await office.signIn()] }
  }

  test('[SE3] an agent that is taken off its project has ended there, and a call says why', async () => {
    const { office, both } = await signedInTwice()
    const { projectId, agentId, store } = office
    await store.run(unassignAgent, { projectId, agentId, by })
    for (const signed of both) {
      expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'revoked' })
      expect(await office.next(signed)).toMatchObject({ action: 'exit', reason: 'revoked' })
    }
  })

  test('[SE3] a new passkey ends what the old one had opened; so do deleting the agent and deleting the project', async () => {
    for (const ending of ['passkey', 'agent', 'project'] as const) {
      const { office, both } = await signedInTwice()
      const { projectId, agentId, store } = office
      if (ending === 'passkey') await store.run(replacePasskey, { agentId, by })
      if (ending === 'agent') await store.run(deleteAgent, { agentId, by })
      if (ending === 'project') await store.run(deleteProject, { projectId, by })
      for (const signed of both)
        expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'revoked' })
    }
  })
})
