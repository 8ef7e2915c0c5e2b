import { describe, expect, test } from 'vitest'
import { home, projectStream } from '../../../src/domain/stream-name.ts'
import { Approval } from '../../../src/protocol/approvals/approval.ts'
import type { Page } from '../../../src/protocol/page.ts'
import type { HomeState, ProjectState } from '../../../src/protocol/snapshot.ts'
import {
  listApprovals,
  listPendingApprovals,
  readApproval,
} from '../../../src/services/approvals/queries.ts'
import {
  createApproval,
  resubmitApproval,
} from '../../../src/services/flows/approvals/request-approval.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { readSnapshot } from '../../../src/services/system/read-snapshot.ts'
import {
  approvalsOfProject,
  inboxPage,
  pendingApprovals,
  pendingApprovalsOf,
} from '../../../src/store/approvals/approvals.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { planOf } from '../work/query-plan.ts'
import { openProject, sharedStore } from '../work/work-room.ts'

const shared = sharedStore()

describe('asking and deciding', () => {
  test('[AP2] a new approval is pending, has a number and what it is about, and is told in its project and at home', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId, task } = await openProject(store)
    const { id: taskId } = await task()
    const draft = {
      checkpointType: 'design',
      leaderId: 'lead',
      workerInstructions: [{ do: 'x' }],
      artifacts: ['a.md'],
    }
    const approval = await store.run(createApproval, {
      projectId,
      workSessionId,
      taskId,
      instructionContent: 'ship',
      ...draft,
    })
    expect(approval).toEqual({
      id: expect.any(Number),
      projectId,
      ['sessionId']: workSessionId,
      taskId,
      ...draft,
      status: 'pending',
      submittedAt: new Date(clock.now()).toISOString(),
      resolvedAt: null,
      decidedBy: null,
      feedback: null,
      instructionContent: 'ship',
      revisionHistory: [],
      held: null,
      imported: null,
      outcome: null,
      permission: null,
      question: null,
    })
    expect(Approval.parse(approval)).toEqual(approval)
    expect(
      await store.query(readApproval, { viewer: null, projectId, approvalId: approval.id }),
    ).toEqual(approval)
    const stream = projectStream(projectId)
    expect((await eventsOf(store, stream)).at(-1)).toEqual({
      type: 'approval-asked',
      data: { approval },
    })
    const [position] = await store.positions([stream])
    const [copy] = (await store.eventsAfter(home, 0, 1000)).slice(-1)
    expect(copy).toMatchObject({
      type: 'approval-asked',
      data: null,
      refStream: stream,
      refSeq: position?.head,
    })
  })

  test('[AP1] two people decide in the same instant, a thousand times: one wins, the other is told who decided what', async () => {
    const { store } = shared
    const { projectId, ask, decide } = await openProject(store)
    const asked = await Promise.all(Array.from({ length: 1000 }, () => ask()))
    const verdicts = ['approved', 'rejected', 'revision_requested'] as const
    const rounds = await Promise.all(
      asked.map(async ({ id }, n) => {
        const people = n % 2 ? ['mia', 'noa'] : ['noa', 'mia']
        const choices = people.map((person, each) => ({
          person,
          verdict: verdicts[(n + each) % 3] ?? 'approved',
        }))
        const outcomes = await Promise.allSettled(
          choices.map(({ person, verdict }) => decide(id, verdict, 'why', person)),
        )
        return { id, choices, outcomes }
      }),
    )
    const winners = new Set<string>()
    for (const { id, choices, outcomes } of rounds) {
      const won = outcomes.findIndex(({ status }) => status === 'fulfilled')
      const lost = outcomes[1 - won]
      const winner = choices[won]
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(lost?.status === 'rejected' && lost.reason).toMatchObject({
        code: 'approval_decided',
        fields: { decidedBy: winner?.person, decision: winner?.verdict },
      })
      const kept = await store.query(readApproval, { viewer: null, projectId, approvalId: id })
      expect(kept).toMatchObject({
        status: winner?.verdict,
        decidedBy: winner?.person,
        feedback: 'why',
      })
      winners.add(winner?.person ?? '')
    }
    expect(winners).toEqual(new Set(['mia', 'noa']))
    const [position] = await store.positions([projectStream(projectId)])
    const events = await store.eventsAfter(projectStream(projectId), 0, 5000)
    expect(events).toHaveLength(position?.head ?? 0)
    expect(events.filter(({ type }) => type === 'approval-decided')).toHaveLength(1000)
  })

  test('[AP1] what was sent back is submitted again, and every submission stays in its history', async () => {
    const { store, clock } = shared
    const { projectId, ask, decide } = await openProject(store)
    const first = await ask()
    const place = { projectId, approvalId: first.id }
    await decide(first.id, 'revision_requested', 'smaller', 'mia')
    const decidedAt = new Date(clock.now()).toISOString()
    clock.advance(1000)
    const second = await store.run(resubmitApproval, { ...place, instructionContent: 'ship less' })
    expect(second).toEqual({
      ...first,
      instructionContent: 'ship less',
      submittedAt: new Date(clock.now()).toISOString(),
      revisionHistory: [
        {
          instructionContent: 'ship it',
          workerInstructions: [],
          artifacts: [],
          submittedAt: first.submittedAt,
          resolvedAt: decidedAt,
          decidedBy: 'mia',
          feedback: 'smaller',
        },
      ],
    })
    await decide(first.id, 'revision_requested', 'smaller still', 'noa')
    const third = await store.run(resubmitApproval, { ...place, artifacts: ['b.md'] })
    expect(third.revisionHistory).toMatchObject([
      { feedback: 'smaller' },
      { instructionContent: 'ship less', decidedBy: 'noa' },
    ])
    expect(third).toMatchObject({
      status: 'pending',
      instructionContent: 'ship less',
      artifacts: ['b.md'],
      decidedBy: null,
    })
    expect(await decide(first.id, 'approved')).toMatchObject({
      status: 'approved',
      revisionHistory: third.revisionHistory,
    })
    const types = (await eventsOf(store, projectStream(projectId))).map(({ type }) => type).slice(2)
    expect(types.filter((type) => type !== 'checkpoint-saved')).toEqual([
      'approval-asked',
      ...[
        'approval-decided',
        'approval-resubmitted',
        'approval-decided',
        'approval-resubmitted',
        'approval-decided',
      ],
    ])
  })

  test('[AP1] only what was sent back is submitted again, and a decision is final', async () => {
    const { store } = shared
    const { projectId, ask, decide } = await openProject(store)
    const { id: approvalId } = await ask()
    const resubmit = () => store.run(resubmitApproval, { projectId, approvalId })
    expect(await refused(store, resubmit)).toEqual({
      code: 'wrong_state',
      fields: { state: 'pending', wanted: 'revision_requested' },
    })
    await decide(approvalId, 'rejected', undefined, 'mia')
    const decided = { code: 'approval_decided', fields: { decidedBy: 'mia', decision: 'rejected' } }
    expect(await refused(store, resubmit)).toEqual(decided)
    expect(await refused(store, () => decide(approvalId, 'approved', undefined, 'mia'))).toEqual(
      decided,
    )
  })

  test('[HT2] what is not there, or is another project’s, is not found', async () => {
    const { store } = shared
    const other = await openProject(store)
    const { id: approvalId } = await other.ask()
    const { projectId, decide } = await openProject(store)
    const draft = { checkpointType: 'c', leaderId: 'l', workSessionId: null }
    for (const attempt of [
      () => decide(approvalId, 'approved'),
      () => decide(1_000_000, 'approved'),
      () => store.run(resubmitApproval, { projectId, approvalId }),
      () => store.query(readApproval, { viewer: null, projectId, approvalId }),
      () => store.query(listApprovals, { viewer: null, projectId: 'nobody', limit: 5 }),
      () => store.run(createApproval, { ...draft, projectId, workSessionId: other.workSessionId }),
      () => store.run(createApproval, { ...draft, projectId, taskId: 'task_p1_code_001' }),
      () => store.run(createApproval, { ...draft, projectId: 'nobody' }),
    ])
      expect(await refused(store, attempt)).toMatchObject({ code: 'not_found' })
    expect(
      await store.query(readApproval, { viewer: null, projectId: other.projectId, approvalId }),
    ).toMatchObject({
      status: 'pending',
    })
  })
})

describe('lists of approvals', () => {
  test('[AP5] the inbox holds what is pending in all projects, oldest first, and what was submitted again at its end', async () => {
    const { store, clock } = shared
    const [one, two] = [await openProject(store), await openProject(store)]
    const before = await pagesOf(
      (page) => store.query(listPendingApprovals, { viewer: null, ...page }),
      200,
    )
    const asked: number[] = []
    for (let n = 0; n < 7; n++) {
      // Two of the same millisecond: the number then decides.
      if (n % 2 === 0) clock.advance(1)
      asked.push((await (n % 3 ? one : two).ask(`c${n}`)).id)
    }
    const inbox = async (limit: number) =>
      (
        await pagesOf((page) => store.query(listPendingApprovals, { viewer: null, ...page }), limit)
      ).slice(before.length)
    expect((await inbox(2)).map(({ id }) => id)).toEqual(asked)
    const [first = 0, second = 0] = asked
    await two.decide(first, 'revision_requested')
    await one.decide(second, 'approved')
    clock.advance(1)
    await store.run(resubmitApproval, { projectId: two.projectId, approvalId: first })
    expect((await inbox(3)).map(({ id }) => id)).toEqual([...asked.slice(2), first])
    const streams = [home, projectStream(two.projectId)] as const
    const { state } = await store.query(readSnapshot, { streams })
    expect((state[home] as HomeState).pendingApprovals).toBe(before.length + 6)
    expect((state[streams[1]] as ProjectState).pendingApprovals).toBe(3)
  })

  test('[HT1] those of a project, decided ones too, newest first; a cursor of no list is refused', async () => {
    const { store } = shared
    const { projectId, ask, decide } = await openProject(store)
    const ids: number[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await ask()).id)
    await decide(ids[2] ?? 0, 'approved')
    const list = await pagesOf(
      (page) => store.query(listApprovals, { viewer: null, ...page, projectId }),
      2,
    )
    expect(list.map(({ id }) => id)).toEqual(ids)
    expect(list[2]).toMatchObject({ status: 'approved' })
    const foreign = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url')
    for (const cursor of [
      'x',
      foreign(['2026-03-01T09:00:00.000Z', 'proj_1']),
      foreign(['2026-03-01T09:00:00.000Z', 7]),
    ])
      for (const list of [listPendingApprovals, listApprovals])
        expect(
          await refused(store, () =>
            store.query(list, { viewer: null, projectId, limit: 5, cursor }),
          ),
        ).toMatchObject({
          code: 'invalid_request',
        })
  })

  test('[HT1] pages and counts are read through an index alone, so they cost the same however much was decided', async () => {
    const plan = await planOf(shared.file, async (reader) => {
      await inboxPage(reader, { submittedAt: '', id: 0, limit: 51 })
      await approvalsOfProject(reader, 'p', 10, 51)
      await pendingApprovals(reader)
      await pendingApprovalsOf(reader, 'p')
    })
    expect(plan).toEqual([
      expect.stringMatching(
        /^SEARCH human_approvals USING INDEX approvals_pending \(\(submitted_at,id\)>\(\?,\?\)\)$/,
      ),
      expect.stringMatching(
        /^SEARCH human_approvals USING INDEX approvals_of_project \(project_id=\? AND id<\?\)$/,
      ),
      expect.stringMatching(/^S(CAN|EARCH) human_approvals USING COVERING INDEX approvals_pending/),
      expect.stringMatching(
        /^SEARCH human_approvals USING COVERING INDEX approvals_pending_of_project \(project_id=\?\)$/,
      ),
    ])
  })

  test('[AP5] with its project, what was pending in it leaves the inbox, and no number is given out again', async () => {
    const { store } = shared
    const { projectId, ask } = await openProject(store)
    const other = await openProject(store)
    const { id } = await ask()
    await store.run(deleteProject, { projectId, by })
    const pending = await pagesOf(
      (page) => store.query(listPendingApprovals, { viewer: null, ...page }),
      200,
    )
    expect(pending.map((each) => each.id)).not.toContain(id)
    expect(
      (await eventsOf(store, projectStream(projectId))).map(({ type }) => type).slice(-5),
    ).toEqual([
      'approval-decided',
      'checkpoint-saved',
      'checkpoint-saved',
      'work-session-ended',
      'project-deleted',
    ])
    expect((await other.ask()).id).toBe(id + 1)
  })
})

/** Every item, page by page. */
async function pagesOf(
  ask: (page: { limit: number; cursor?: string }) => Promise<Page<Approval>>,
  limit: number,
) {
  const items: Approval[] = []
  let cursor: string | undefined
  do {
    const page = await ask({ limit, ...(cursor && { cursor }) })
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return items
}
