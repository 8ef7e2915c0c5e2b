/** Tasks that are in no work session: one begins when their agent starts work (WK4). */
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import { changeAgent } from '../../../src/services/agents/change-agent.ts'
import { requestApproval } from '../../../src/services/flows/approvals/request-approval.ts'
import { changeTask, createTask } from '../../../src/services/work/change-task.ts'
import { endWorkSession } from '../../../src/services/work/end-work-session.ts'
import { getTask, getWorkSession, listWorkSessions } from '../../../src/services/work/queries.ts'
import { type Office, openOffice } from '../agent-sessions/agent-office.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { sharedStore } from './work-room.ts'

const shared = sharedStore()
const open = () => openOffice(shared.store, shared.clock)

async function looseTask({ store, projectId, agentId }: Office, phase = 2): Promise<Task> {
  const draft = {
    projectId,
    workSessionId: null,
    phase,
    type: 'code',
    title: 't',
    assignedTo: agentId,
    by,
  }
  const { id: taskId } = await store.run(createTask, draft)
  return store.run(changeTask, { projectId, taskId, status: 'in_progress', by })
}

const workOf = async ({ store, projectId }: Office) =>
  (await store.query(listWorkSessions, { projectId, limit: 50 })).items
const taskNow = ({ store, projectId }: Office, taskId: string) =>
  store.query(getTask, { projectId, taskId })
const workId = (task: Task | null | undefined) => task?.['sessionId']

describe('work that begins with its agent', () => {
  test('[WK4] a task in no work session is work; to sign in for it begins one, owned by that agent session', async () => {
    const office = await open()
    const { store, projectId, agentId } = office
    await store.run(changeAgent, { agentId, role: 'WORKER', by })
    const task = await looseTask(office)
    expect(workId(task)).toBeNull()
    expect(await workOf(office)).toEqual([])
    const signed = await office.signIn()
    const [begun, ...others] = await workOf(office)
    expect(others).toEqual([])
    expect(begun).toMatchObject({
      state: 'running',
      currentTaskId: task.id,
      currentPhase: 2,
      currentAgentRole: 'WORKER',
      parentSessionId: null,
    })
    expect(signed.agentSession).toMatchObject({ purpose: 'task', workSessionId: begun?.id })
    expect(workId(await taskNow(office, task.id))).toBe(begun?.id)
    const received = (await eventsOf(store, projectStream(projectId))).slice(-3)
    expect(received.map(({ type }) => type)).toEqual([
      'work-session-started',
      'task-changed',
      'agent-session-started',
    ])
    // What is asked for meanwhile belongs to it.
    const { agentSessionId } = signed
    const caller = { agentSessionId, agentId, projectId }
    await store.run(requestApproval, {
      ...caller,
      checkpointType: 'design',
      instructionContent: 'this way?',
    })
    const whole = await store.query(getWorkSession, {
      viewer: null,
      projectId,
      workSessionId: begun?.id ?? '',
    })
    expect(whole).toMatchObject({ tasks: [{ id: task.id }], approvals: [{ taskId: task.id }] })
  })

  test('[AS9] it is completed with the work, and interrupted when its agent leaves it unfinished', async () => {
    const office = await open()
    const task = await looseTask(office)
    const signed = await office.signIn()
    expect(await office.next(signed)).toMatchObject({
      action: 'work_on_task',
      task: { id: task.id },
    })
    await office.finish(task.id)
    expect(await office.next(signed)).toMatchObject({ action: 'exit', reason: 'work_done' })
    expect(await workOf(office)).toMatchObject([{ state: 'completed' }])
    await looseTask(office)
    shared.clock.advance(1)
    await office.calls.logout(await office.signIn())
    expect(await workOf(office)).toMatchObject([
      { state: 'interrupted', interruptionReason: 'abandoned' },
      { state: 'completed' },
    ])
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
  })

  test('[WK4] what an agent takes up next joins the work it is at; after that was ended it begins another', async () => {
    const office = await open()
    const { store, projectId } = office
    const one = await looseTask(office)
    const signed = await office.signIn()
    const two = await looseTask(office, 3)
    await office.finish(one.id)
    const next = await office.next(signed)
    const [running] = await workOf(office)
    expect(next).toMatchObject({
      action: 'work_on_task',
      task: { id: two.id, ['sessionId']: running?.id },
    })
    expect(running).toMatchObject({ currentTaskId: two.id, currentPhase: 3 })
    // Asked again, nothing is begun twice.
    const before = await store.positions([projectStream(projectId)])
    expect(await office.next(signed)).toEqual(next)
    expect(await store.positions([projectStream(projectId)])).toEqual(before)
    await office.finish(two.id)
    await store.run(endWorkSession, { projectId, workSessionId: running?.id ?? '' })
    shared.clock.advance(1)
    const three = await looseTask(office)
    expect(await office.next(signed)).toMatchObject({
      action: 'work_on_task',
      task: { id: three.id },
    })
    const [newest, ...older] = await workOf(office)
    expect(older).toHaveLength(1)
    expect(newest).toMatchObject({ state: 'running', currentTaskId: three.id })
    expect(await office.one(signed)).toMatchObject({ workSessionId: newest?.id })
    await office.finish(three.id)
    expect(await office.next(signed)).toMatchObject({ action: 'exit' })
    expect(await workOf(office)).toMatchObject([{ state: 'completed' }, { state: 'completed' }])
  })

  test('[WK4] a task begun after its work session was completed is new work; one that was left in it is not', async () => {
    const office = await open()
    const { store, projectId, agentId } = office
    const left = await office.giveTask()
    const { workSessionId } = left
    const draft = {
      projectId,
      workSessionId,
      phase: 1,
      type: 'code',
      title: 't',
      assignedTo: agentId,
      by,
    }
    const { id: taskId } = await store.run(createTask, draft)
    await store.run(endWorkSession, { projectId, workSessionId })
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    expect(
      workId(await store.run(changeTask, { projectId, taskId, status: 'in_progress', by })),
    ).toBeNull()
    expect(workId(await taskNow(office, left.taskId))).toBe(workSessionId)
    const { agentSession } = await office.signIn()
    expect(agentSession.workSessionId).not.toBe(workSessionId)
    expect(workId(await taskNow(office, taskId))).toBe(agentSession.workSessionId)
  })

  test('[HT2] a task for a project that is not there is refused', async () => {
    const { store } = await open()
    const draft = {
      projectId: 'nobody',
      workSessionId: null,
      phase: 1,
      type: 'code',
      title: 't',
      by,
    }
    expect(await refused(store, () => store.run(createTask, draft))).toMatchObject({
      code: 'not_found',
    })
  })
})
