import { describe, expect, test } from 'vitest'
import { home, projectStream } from '../../../src/domain/stream-name.ts'
import type { ProjectState } from '../../../src/protocol/snapshot.ts'
import {
  type ListedWorkSession,
  WholeWorkSession,
  WorkSession,
} from '../../../src/protocol/work/work-session.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { readSnapshot } from '../../../src/services/system/read-snapshot.ts'
import { createWorkSession, endWorkSession } from '../../../src/services/work/end-work-session.ts'
import { getWorkSession, listWorkSessions } from '../../../src/services/work/queries.ts'
import { approvalsOfWorkSession } from '../../../src/store/approvals/approvals.ts'
import { newest } from '../../../src/store/page-cursor.ts'
import {
  childrenOf,
  selectRunningOfProject,
  workSessionsPage,
} from '../../../src/store/work/work-sessions.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { planOf } from './query-plan.ts'
import { openProject, sharedStore } from './work-room.ts'
import { placeWorkSession } from './work-rows.ts'

const shared = sharedStore()

describe('work sessions', () => {
  test('[WK4] one begun by hand is running and has no owner; it is told in its project and at home', async () => {
    const { store, clock } = shared
    const { projectId } = await openProject(store)
    const draft = {
      contextSummary: 'Jumping works,\nlanding does not',
      phase: 2,
      agentRole: 'LEADER',
      agentType: 'code',
    }
    const made = await store.run(createWorkSession, { projectId, ...draft })
    const at = new Date(clock.now()).toISOString()
    expect(made).toEqual({
      id: expect.stringMatching(
        new RegExp(`^sess_${at.replaceAll(/\D/g, '').slice(0, 14)}_[a-z0-9]{6}$`),
      ),
      projectId,
      parentSessionId: null,
      state: 'running',
      startedAt: at,
      endedAt: null,
      interruptionReason: null,
      currentPhase: 2,
      currentAgentRole: 'LEADER',
      currentAgentType: 'code',
      currentTaskId: null,
      contextSummary: 'Jumping works,\nlanding does not',
      resumedBy: null,
      setAside: null,
      dismissedAt: null,
      fileProblem: null,
      notice: null,
      error: null,
      stateSummary: 'running, phase 2, LEADER code: Jumping works, landing does not',
    })
    expect(WorkSession.parse(made)).toEqual(made)
    const stream = projectStream(projectId)
    expect((await eventsOf(store, stream)).at(-1)).toEqual({
      type: 'work-session-started',
      data: { workSession: made },
    })
    expect((await store.eventsAfter(home, 0, 1000)).at(-1)).toMatchObject({
      type: 'work-session-started',
      refStream: stream,
    })
    const row = await store.read((reader) => reader.row('sessions', { id: made.id }))
    expect(row?.owner_agent_session_id).toBeNull()
  })

  test('[ID1] two hundred begun in the same second all get ids of their own', async () => {
    const { projectId } = await openProject(shared.store)
    const made = await Promise.all(
      Array.from({ length: 200 }, () => shared.store.run(createWorkSession, { projectId })),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(200)
  })

  test('[WK1] it ends completed, or interrupted with the caller’s word; the same end twice is one', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId } = await openProject(store)
    const other = await store.run(createWorkSession, { projectId })
    clock.advance(5000)
    const done = await store.run(endWorkSession, { projectId, workSessionId })
    expect(done).toMatchObject({
      state: 'completed',
      endedAt: new Date(clock.now()).toISOString(),
      interruptionReason: null,
    })
    const stopped = await store.run(endWorkSession, {
      projectId,
      workSessionId: other.id,
      reason: 'lunch',
    })
    expect(stopped).toMatchObject({
      state: 'interrupted',
      interruptionReason: 'lunch',
      stateSummary: 'interrupted (lunch)',
    })
    const before = await store.positions([home, projectStream(projectId)])
    clock.advance(5000)
    expect(await store.run(endWorkSession, { projectId, workSessionId })).toEqual(done)
    expect(
      await store.run(endWorkSession, { projectId, workSessionId: other.id, completed: false }),
    ).toEqual(stopped)
    expect(await store.positions([home, projectStream(projectId)])).toEqual(before)
    const received = (await eventsOf(store, projectStream(projectId))).filter(
      ({ type }) => type !== 'checkpoint-saved',
    )
    expect(received.slice(-2)).toEqual([
      { type: 'work-session-ended', data: { workSession: done } },
      { type: 'work-session-ended', data: { workSession: stopped } },
    ])
    expect((await store.eventsAfter(home, 0, 1000)).at(-1)).toMatchObject({
      type: 'work-session-ended',
      data: null,
    })
  })

  test('[WK1] a completed one is not interrupted, an interrupted one not completed', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const { id: other } = await store.run(createWorkSession, { projectId })
    await store.run(endWorkSession, { projectId, workSessionId })
    await store.run(endWorkSession, { projectId, workSessionId: other, reason: 'lunch' })
    expect(
      await refused(store, () =>
        store.run(endWorkSession, { projectId, workSessionId, reason: 'x' }),
      ),
    ).toEqual({
      code: 'work_session_completed',
      fields: { workSessionId },
    })
    expect(
      await refused(store, () => store.run(endWorkSession, { projectId, workSessionId: other })),
    ).toEqual({
      code: 'wrong_state',
      fields: { state: 'interrupted', wanted: 'completed' },
    })
  })

  test('[WK3] the whole of one: its tasks, approvals and children', async () => {
    const { store } = shared
    const { projectId, workSessionId, task, ask } = await openProject(store)
    const [one, two] = [await task(), await task()]
    const approval = await ask()
    await store.run(createWorkSession, { projectId })
    const child = await store.run(placeWorkSession, { projectId, parentId: workSessionId })
    const whole = await store.query(getWorkSession, { viewer: null, projectId, workSessionId })
    expect(WholeWorkSession.parse(whole)).toEqual(whole)
    expect(whole).toMatchObject({
      id: workSessionId,
      tasks: [two, one],
      approvals: [approval],
      children: [child],
    })
    expect(whole).toMatchObject({ approaches: [], checkpoints: [], artifacts: [] })
    expect(child.parentSessionId).toBe(workSessionId)
  })

  test('[WK3] work sessions are listed newest first, each once, with lineage and a line about their state', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId } = await openProject(store)
    const ids = [workSessionId]
    for (let n = 0; n < 4; n++) {
      clock.advance(1)
      ids.unshift((await store.run(placeWorkSession, { projectId, parentId: workSessionId })).id)
    }
    const seen: ListedWorkSession[] = []
    let cursor: string | undefined
    do {
      const page = await store.query(listWorkSessions, {
        projectId,
        limit: 2,
        ...(cursor && { cursor }),
      })
      seen.push(...page.items)
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(seen.map(({ id }) => id)).toEqual(ids)
    expect(seen.map(({ parentSessionId }) => parentSessionId)).toEqual([
      ...Array(4).fill(workSessionId),
      null,
    ])
    expect(new Set(seen.map(({ stateSummary }) => stateSummary))).toEqual(new Set(['running']))
    const { state } = await store.query(readSnapshot, { streams: [projectStream(projectId)] })
    expect((state[projectStream(projectId)] as ProjectState).workSessions).toEqual(
      seen.map(({ waitsFor: _, ...each }) => each),
    )
  })

  test('[HT2] what is not there, or is another project’s, is not found', async () => {
    const { store } = shared
    const { workSessionId } = await openProject(store)
    const { projectId } = await openProject(store)
    for (const attempt of [
      () => store.run(createWorkSession, { projectId: 'nobody' }),
      () => store.run(endWorkSession, { projectId, workSessionId }),
      () => store.run(endWorkSession, { projectId: 'nobody', workSessionId }),
      () => store.query(getWorkSession, { viewer: null, projectId, workSessionId }),
      () => store.query(listWorkSessions, { projectId: 'nobody', limit: 5 }),
    ])
      expect(await refused(store, attempt)).toMatchObject({ code: 'not_found' })
  })

  test('[WK9] with its project it is stopped', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    await store.run(deleteProject, { projectId, by })
    const row = await store.read((reader) => reader.row('sessions', { id: workSessionId }))
    expect(row).toMatchObject({ interruption_reason: 'stopped', ended_at: expect.any(String) })
  })

  test('[WK3] lists are read through an index alone, so they cost the same however many there are', async () => {
    const plan = await planOf(shared.file, async (reader) => {
      await workSessionsPage(reader, 'p', { ...newest, limit: 51 })
      await childrenOf(reader, 's', 51)
      await approvalsOfWorkSession(reader, 's', 51)
      await reader.all(selectRunningOfProject, { projectId: 'p' })
    })
    expect(plan).toEqual([
      expect.stringMatching(
        /^SEARCH sessions USING INDEX sessions_newest \(project_id=\? AND \(started_at,id\)<\(\?,\?\)\)$/,
      ),
      expect.stringMatching(
        /^SEARCH sessions USING INDEX sessions_of_parent \(parent_session_id=\?\)$/,
      ),
      expect.stringMatching(
        /^SEARCH human_approvals USING INDEX approvals_of_session \(session_id=\?\)$/,
      ),
      expect.stringMatching(/^SEARCH sessions USING INDEX sessions_running \(project_id=\?\)$/),
    ])
  })
})
