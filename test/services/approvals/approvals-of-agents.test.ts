import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { getApproval, listApprovals } from '../../../src/services/approvals/queries.ts'
import { requestApproval } from '../../../src/services/flows/approvals/request-approval.ts'
import { selectPendingOfAgent } from '../../../src/store/approvals/approvals.ts'
import { endAgentSessionRow } from '../agent-sessions/agent-session-rows.ts'
import { refused } from '../projects/installation.ts'
import { planOf } from '../work/query-plan.ts'
import { openProject, sharedStore } from '../work/work-room.ts'

const shared = sharedStore()

describe('approvals that agents ask for', () => {
  test('[WK4] it belongs to the work session its agent session drives and to the task it is at', async () => {
    const { store } = shared
    const { projectId, task, start, agent, decide } = await openProject(store)
    const { caller, workSessionId } = await agent('ann')
    const request = { ...caller, checkpointType: 'design', instructionContent: 'ship it' }
    expect(await store.run(requestApproval, { ...request, checkpointType: 'plan' })).toMatchObject({
      taskId: null,
    })
    const { id: taskId } = await task({ assignedTo: 'ann' }, workSessionId)
    await start(taskId)
    const asked = await store.run(requestApproval, request)
    expect(asked).toMatchObject({
      ['sessionId']: workSessionId,
      taskId,
      leaderId: 'ann',
      status: 'pending',
      projectId,
    })
    expect(await store.query(getApproval, { ...caller, approvalId: asked.id })).toEqual(asked)
    const decided = await decide(asked.id, 'approved', 'fine', 'mia')
    expect(await store.query(getApproval, { ...caller, approvalId: asked.id })).toEqual(decided)
  })

  test('[AP3] whoever waits on the project learns of the decision from its doorbell', async () => {
    const { store } = shared
    const { projectId, agent, decide } = await openProject(store)
    const { caller } = await agent('ann')
    const { id } = await store.run(requestApproval, { ...caller, checkpointType: 'design' })
    const [position] = await store.positions([projectStream(projectId)])
    const woken = new Promise<number>((resolve) =>
      store.doorbell.on(projectStream(projectId), resolve),
    )
    await decide(id, 'approved')
    expect(await woken).toBeGreaterThan(position?.head ?? 0)
  })

  test('[AS8] the same request again while it is pending is the same approval: a retried call asks nobody twice', async () => {
    const { store } = shared
    const { projectId, agent, decide } = await openProject(store)
    const { caller } = await agent('ann')
    const request = { ...caller, checkpointType: 'design', artifacts: ['a.md'] }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => store.run(requestApproval, request)),
    )
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    const [first] = answers
    expect((await store.run(requestApproval, { ...request, artifacts: ['b.md'] })).id).not.toBe(
      first?.id,
    )
    await decide(first?.id ?? 0, 'rejected')
    expect((await store.run(requestApproval, request)).id).not.toBe(first?.id)
    expect(
      (await store.query(listApprovals, { viewer: null, projectId, limit: 50 })).items,
    ).toHaveLength(3)
  })

  test('[AP1] what was sent back is submitted again under its own number, and a retried call does it once', async () => {
    const { store } = shared
    const { agent, decide } = await openProject(store)
    const { caller } = await agent('ann')
    const request = { ...caller, checkpointType: 'design' }
    const { id: approvalId } = await store.run(requestApproval, {
      ...request,
      instructionContent: 'all of it',
    })
    await decide(approvalId, 'revision_requested', 'less')
    const again = { ...request, approvalId, instructionContent: 'half of it' }
    const resubmitted = await store.run(requestApproval, again)
    expect(resubmitted).toMatchObject({
      id: approvalId,
      status: 'pending',
      instructionContent: 'half of it',
    })
    expect(resubmitted.revisionHistory).toMatchObject([
      { instructionContent: 'all of it', feedback: 'less' },
    ])
    expect(await store.run(requestApproval, again)).toEqual(resubmitted)
    expect(await store.run(requestApproval, { ...request, approvalId })).toEqual(resubmitted)
    const other = { ...request, approvalId, instructionContent: 'a quarter' }
    expect(await refused(store, () => store.run(requestApproval, other))).toMatchObject({
      code: 'wrong_state',
    })
  })

  test('[SE3] what another agent asked for is not there, and neither is another’s task to ask about', async () => {
    const { store } = shared
    const { task, agent, decide } = await openProject(store)
    const [ann, bob] = [await agent('ann'), await agent('bob')]
    const { id: approvalId } = await store.run(requestApproval, {
      ...bob.caller,
      checkpointType: 'design',
    })
    const { id: taskId } = await task({ assignedTo: 'bob' })
    const request = { ...ann.caller, checkpointType: 'design' }
    await decide(approvalId, 'revision_requested')
    for (const attempt of [
      () => store.query(getApproval, { ...ann.caller, approvalId }),
      () => store.query(getApproval, { ...ann.caller, approvalId: 1_000_000 }),
      () => store.run(requestApproval, { ...request, approvalId }),
      () => store.run(requestApproval, { ...request, taskId }),
    ])
      expect(await refused(store, attempt)).toMatchObject({ code: 'not_found' })
    expect(await store.query(getApproval, { ...bob.caller, approvalId })).toMatchObject({
      revisionHistory: [],
    })
  })

  test('[AS8] an agent session that has ended asks nobody; the next one of the agent takes over what it asked for', async () => {
    const { store } = shared
    const { projectId, agent, decide } = await openProject(store)
    const { caller } = await agent('ann')
    const request = { checkpointType: 'design', instructionContent: 'ship it' }
    const asked = await store.run(requestApproval, { ...caller, ...request })
    const approvalId = asked.id
    await store.run(endAgentSessionRow, {
      agentSessionId: caller.agentSessionId,
      projectId,
      reason: 'process_exited',
    })
    const ended = { code: 'session_ended', fields: { reason: 'process_exited' } }
    expect(
      await refused(store, () => store.run(requestApproval, { ...caller, checkpointType: 'x' })),
    ).toEqual(ended)
    expect(await refused(store, () => store.query(getApproval, { ...caller, approvalId }))).toEqual(
      ended,
    )
    const next = (await agent('ann')).caller
    const waits = async () =>
      (await store.read((reader) => reader.row('human_approvals', { id: approvalId })))
        ?.asked_by_agent_session_id
    expect(await store.query(getApproval, { ...next, approvalId })).toEqual(asked)
    expect(await waits()).toBe(caller.agentSessionId)
    expect(await store.run(requestApproval, { ...next, ...request })).toEqual(asked)
    expect(await waits()).toBe(next.agentSessionId)
    await decide(approvalId, 'revision_requested')
    await store.run(endAgentSessionRow, {
      agentSessionId: next.agentSessionId,
      projectId,
      reason: 'process_exited',
    })
    const third = (await agent('ann')).caller
    await store.run(requestApproval, {
      ...third,
      ...request,
      approvalId,
      instructionContent: 'half of it',
    })
    expect(await waits()).toBe(third.agentSessionId)
  })

  test('[AP5] what an agent has asked for is found through an index, however much was decided', async () => {
    const plan = await planOf(shared.file, (reader) =>
      reader.all(selectPendingOfAgent, { projectId: 'p', agentId: 'a' }),
    )
    expect(plan).toEqual([
      expect.stringMatching(
        /^SEARCH human_approvals USING INDEX approvals_pending_of_project \(project_id=\? AND leader_id=\?\)$/,
      ),
    ])
  })
})
