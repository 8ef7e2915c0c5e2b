/**
 * Tasks and approvals with two nodes on one PostgreSQL: what is serial in one process must be so
 * between two.
 */
import { expect, test } from 'vitest'
import { home, projectStream } from '../../../src/domain/stream-name.ts'
import type { ProjectState } from '../../../src/protocol/snapshot.ts'
import { listApprovals, listPendingApprovals } from '../../../src/services/approvals/queries.ts'
import {
  createApproval,
  decideApproval,
  requestApproval,
} from '../../../src/services/flows/approvals/request-approval.ts'
import { readSnapshot } from '../../../src/services/system/read-snapshot.ts'
import { changeTask, createTask } from '../../../src/services/work/change-task.ts'
import {
  getMyTask,
  getWorkSession,
  listTasks,
  listWorkSessions,
} from '../../../src/services/work/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import { usePostgres } from '../../support/postgres.ts'
import { openNodes } from '../../support/postgres-store.ts'
import { by } from '../projects/installation.ts'
import { openProject } from './work-room.ts'

usePostgres()

test('[AP1] decided on two nodes in the same instant: one wins, the other is told who decided what', async () => {
  const nodes = await openNodes()
  const { projectId, workSessionId } = await openProject(nodes[0])
  const draft = { projectId, workSessionId, checkpointType: 'design', leaderId: 'lead' }
  const asked = await Promise.all(
    Array.from({ length: 60 }, (_, n) => nodes[n % 2 ? 1 : 0].run(createApproval, draft)),
  )
  expect(asked.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, n) => n + 1),
  )
  const people = ['mia', 'noa'] as const
  const rounds = await Promise.all(
    asked.map(({ id: approvalId }) =>
      Promise.allSettled(
        nodes.map((node, n) =>
          node.run(decideApproval, {
            projectId,
            approvalId,
            status: 'approved',
            by: people[n] ?? '',
          }),
        ),
      ),
    ),
  )
  for (const outcomes of rounds) {
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
    const lost = outcomes[1 - won]
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(lost?.status === 'rejected' && lost.reason).toMatchObject({
      code: 'approval_decided',
      fields: { decidedBy: people[won], decision: 'approved' },
    })
  }
  expect((await nodes[1].query(listPendingApprovals, { viewer: null, limit: 50 })).items).toEqual(
    [],
  )
  expect(
    (await nodes[0].query(listApprovals, { viewer: null, projectId, limit: 50 })).nextCursor,
  ).toEqual(expect.any(String))
})

test('[ID1] tasks made on two nodes at once get numbers of their own, and the last dependency lifts wherever it completes', async () => {
  const nodes = await openNodes()
  const { projectId, workSessionId, task, start, get } = await openProject(nodes[0])
  const draft = { projectId, workSessionId, phase: 1, type: 'code', title: 't', by }
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, n) => nodes[n % 2 ? 1 : 0].run(createTask, draft)),
  )
  expect(new Set(made.map(({ id }) => id)).size).toBe(40)
  const [a, b] = ['task_p1_code_001', 'task_p1_code_002']
  const { id: waiting } = await task({ dependsOn: [a, b] })
  await Promise.all([start(a), start(b)])
  const complete = (node: Store, taskId: string) =>
    node.run(changeTask, { projectId, taskId, status: 'completed', by })
  await Promise.all([complete(nodes[0], a), complete(nodes[1], b)])
  expect(await get(waiting)).toMatchObject({ status: 'pending', blockedBy: null })
  const cycle = nodes[1].run(changeTask, {
    projectId,
    taskId: 'task_p1_code_003',
    dependsOn: ['task_p1_code_003'],
    by,
  })
  await expect(cycle).rejects.toMatchObject({ code: 'dependency_cycle' })
})

test('[WK3] everything that is read is read alike on PostgreSQL', async () => {
  const [store] = await openNodes()
  const { projectId, workSessionId, task, start, agent, ask, decide } = await openProject(store)
  const { caller } = await agent('ann')
  const { id: taskId } = await task({ assignedTo: 'ann' })
  await start(taskId)
  expect(await store.query(getMyTask, caller)).toMatchObject({ task: { id: taskId } })
  const request = { ...caller, checkpointType: 'plan', artifacts: ['a.md'] }
  const { id } = await store.run(requestApproval, request)
  expect((await store.run(requestApproval, request)).id).toBe(id)
  await decide((await ask()).id, 'revision_requested')
  expect((await store.query(listPendingApprovals, { viewer: null, limit: 1 })).items).toMatchObject(
    [{ id, taskId }],
  )
  expect(
    (await store.query(listTasks, { projectId, status: 'in_progress', workSessionId, limit: 5 }))
      .items,
  ).toHaveLength(1)
  expect((await store.query(listWorkSessions, { projectId, limit: 1 })).nextCursor).toEqual(
    expect.any(String),
  )
  expect(
    await store.query(getWorkSession, { viewer: null, projectId, workSessionId }),
  ).toMatchObject({
    currentTaskId: taskId,
    children: [],
  })
  const stream = projectStream(projectId)
  const { state } = await store.query(readSnapshot, { streams: [home, stream] })
  const { pendingApprovals, tasks, workSessions } = state[stream] as ProjectState
  expect([pendingApprovals, tasks.length, workSessions.length]).toEqual([1, 1, 2])
})
