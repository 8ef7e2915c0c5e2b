import { describe, expect, test } from 'vitest'
import { updateTask } from '../../../src/services/work/change-task.ts'
import { endWorkSession } from '../../../src/services/work/end-work-session.ts'
import { getMyTask } from '../../../src/services/work/queries.ts'
import { selectNextTask, selectTaskAtHand } from '../../../src/store/work/tasks.ts'
import { endAgentSessionRow } from '../agent-sessions/agent-session-rows.ts'
import { refused } from '../projects/installation.ts'
import { planOf } from './query-plan.ts'
import { openProject, sharedStore } from './work-room.ts'

const shared = sharedStore()

describe('tasks of agents', () => {
  test('[TK3] the task that was assigned and begun is what its agent is at; that of its own work session first', async () => {
    const { store, clock } = shared
    const { projectId, task, start, agent } = await openProject(store)
    const { caller, workSessionId } = await agent('ann')
    const mine = async () => (await store.query(getMyTask, caller)).task
    expect(await mine()).toBeNull()
    const elsewhere = await task({ assignedTo: 'ann' })
    expect(await mine()).toBeNull()
    await start(elsewhere.id)
    expect(await mine()).toMatchObject({ id: elsewhere.id, assignedTo: 'ann' })
    clock.advance(1)
    const own = await task({ assignedTo: 'ann' }, workSessionId)
    await start((await task({ assignedTo: 'bob' }, workSessionId)).id)
    await start(own.id)
    expect(await mine()).toMatchObject({ id: own.id })
    // AS3: after an interruption only a resume makes it work again.
    await store.run(endWorkSession, { projectId, workSessionId, reason: 'error' })
    expect(await mine()).toMatchObject({ id: elsewhere.id })
  })

  test('[AS6] an agent says how far its task is and how it ended, and that counts as activity', async () => {
    const { store, clock } = shared
    const { task, start, agent } = await openProject(store)
    const { caller, workSessionId } = await agent('ann')
    const { id: taskId } = await task({ assignedTo: 'ann' }, workSessionId)
    await start(taskId)
    clock.advance(60_000)
    expect(await store.run(updateTask, { ...caller, taskId, progressPercent: 70 })).toMatchObject({
      progressPercent: 70,
    })
    const row = await store.read((reader) =>
      reader.row('agent_sessions', { id: caller.agentSessionId }),
    )
    expect(row?.last_activity_at).toBe(new Date(clock.now()).toISOString())
    expect(row?.last_answer_at).toBeNull()
    expect(
      await refused(store, () =>
        store.run(updateTask, { ...caller, taskId, progressPercent: 101 }),
      ),
    ).toMatchObject({
      code: 'invalid_progress',
    })
    const done = await store.run(updateTask, {
      ...caller,
      taskId,
      status: 'completed',
      result: 'ok',
    })
    expect(done).toMatchObject({ status: 'completed', progressPercent: 100, result: 'ok' })
    // A call whose answer was lost can be made again.
    expect(
      await store.run(updateTask, { ...caller, taskId, status: 'completed', result: 'ok' }),
    ).toEqual(done)
    expect(await store.query(getMyTask, caller)).toEqual({ task: null, decisions: [] })
  })

  test('[SE3] one agent cannot read or change the task of another, nor come with the session of another', async () => {
    const { store } = shared
    const { projectId, task, start, agent, get } = await openProject(store)
    const [ann, bob] = [await agent('ann'), await agent('bob')]
    const [his, nobodys] = [await task({ assignedTo: 'bob' }), await task()]
    await start(his.id)
    const before = await get(his.id)
    for (const taskId of [his.id, nobodys.id, 'task_p1_code_999'])
      expect(
        await refused(store, () =>
          store.run(updateTask, { ...ann.caller, taskId, progressPercent: 1 }),
        ),
      ).toEqual({
        code: 'not_found',
        fields: { taskId },
      })
    const borrowed = { ...ann.caller, agentSessionId: bob.caller.agentSessionId }
    expect(await refused(store, () => store.query(getMyTask, borrowed))).toMatchObject({
      code: 'not_found',
    })
    const claimed = {
      agentSessionId: bob.caller.agentSessionId,
      agentId: 'bob',
      projectId: `${projectId}x`,
    }
    expect(await refused(store, () => store.query(getMyTask, claimed))).toMatchObject({
      code: 'not_found',
    })
    expect(await get(his.id)).toEqual(before)
  })

  test('[AS8] an agent session that has ended is told so, with the reason', async () => {
    const { store } = shared
    const { projectId, task, start, agent } = await openProject(store)
    const { caller } = await agent('ann')
    const { id: taskId } = await task({ assignedTo: 'ann' })
    await start(taskId)
    await store.run(endAgentSessionRow, {
      agentSessionId: caller.agentSessionId,
      projectId,
      reason: 'expired',
    })
    for (const attempt of [
      () => store.query(getMyTask, caller),
      () => store.run(updateTask, { ...caller, taskId, progressPercent: 5 }),
    ])
      expect(await refused(store, attempt)).toEqual({
        code: 'session_ended',
        fields: { reason: 'expired' },
      })
  })

  test('[AS3] what an agent is at is found through an index, however many tasks there are', async () => {
    const place = { agentId: 'a', projectId: 'p', workSessionId: null }
    const plan = await planOf(shared.file, (reader) => reader.first(selectTaskAtHand, place))
    expect(plan).toContainEqual(
      expect.stringMatching(/^SEARCH tasks USING INDEX tasks_in_progress/),
    )
    expect(plan.join('\n')).not.toContain('SCAN')
    const next = await planOf(shared.file, (reader) => reader.first(selectNextTask, place))
    expect(next).toContainEqual(expect.stringMatching(/USING (COVERING )?INDEX tasks_begun/))
    expect(next.join('\n')).not.toContain('SCAN')
  })
})
