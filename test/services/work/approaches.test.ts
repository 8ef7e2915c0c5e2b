import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { Approach } from '../../../src/protocol/work/approach.ts'
import {
  changeApproach,
  recordAgentApproach,
  recordApproach,
} from '../../../src/services/work/change-approach.ts'
import { listApproaches } from '../../../src/services/work/queries.ts'
import { approachLists } from '../../../src/store/work/approaches.ts'
import { placeAgentSession } from '../agent-sessions/agent-session-rows.ts'
import { by, eventsOf, refused } from '../projects/installation.ts'
import { planOf } from './query-plan.ts'
import { openProject, sharedStore } from './work-room.ts'
import { placeWorkSession } from './work-rows.ts'

const shared = sharedStore()
const untried = {
  kind: 'untried',
  category: 'jump',
  description: 'Find the ground with a ray',
  nextToTry: true,
} as const

describe('approaches', () => {
  test('[AR1] one is recorded with what was said and what its kind has; it is told in its project, with a checkpoint', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId } = await openProject(store)
    const at = new Date(clock.now()).toISOString()
    const place = { projectId, workSessionId, by }
    const words = {
      category: 'jump',
      description: 'Set velocity.y',
      failureReason: 'No test for the ground',
      error: 'endless jump',
    }
    const made = await store.run(recordApproach, {
      ...place,
      kind: 'failed',
      ...words,
      learnings: ['ground first'],
    })
    expect(made).toEqual({
      id: 'approach_f001',
      projectId,
      ['sessionId']: workSessionId,
      kind: 'failed',
      date: at.slice(0, 10),
      ...words,
      details: null,
      evidence: null,
      learnings: ['ground first'],
      reusable: false,
      avoid: true,
      priority: null,
      nextToTry: false,
      note: null,
      history: [],
      recordedAt: at,
      updatedAt: at,
    })
    expect(Approach.parse(made)).toEqual(made)
    expect((await eventsOf(store, projectStream(projectId))).slice(-2)).toEqual([
      { type: 'approach-recorded', data: { approach: made, by } },
      {
        type: 'checkpoint-saved',
        data: {
          workSessionId,
          checkpoint: {
            number: 1,
            at,
            reason: 'approach_recorded',
            subject: 'approach_f001',
            error: null,
          },
        },
      },
    ])
  })

  test('[ID1] fifty recorded at once have fifty ids, counted by kind within the project', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const record = (kind: 'verified' | 'untried', n: number) =>
      store.run(recordApproach, {
        projectId,
        workSessionId,
        kind,
        category: 'c',
        description: `way ${n}`,
        by,
      })
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, n) => record(n % 2 ? 'verified' : 'untried', n)),
    )
    const numbers = Array.from({ length: 25 }, (_, n) => String(n + 1).padStart(3, '0'))
    expect(made.map(({ id }) => id).sort()).toEqual(
      [...numbers.map((n) => `approach_${n}`), ...numbers.map((n) => `approach_u${n}`)].sort(),
    )
    const elsewhere = await openProject(store)
    const first = await store.run(recordApproach, {
      ...untried,
      projectId: elsewhere.projectId,
      workSessionId: elsewhere.workSessionId,
      by,
    })
    expect(first.id).toBe('approach_u001')
  })

  test('[AS8] the same words again are the same approach; words that were changed since are not', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const place = { projectId, workSessionId, by }
    const once = await store.run(recordApproach, {
      ...untried,
      details: { method: 'ray' },
      ...place,
    })
    expect(
      await store.run(recordApproach, { ...untried, details: { method: 'ray' }, ...place }),
    ).toEqual(once)
    expect(
      (await store.run(recordApproach, { ...untried, details: { method: 'rays' }, ...place })).id,
    ).toBe('approach_u002')
  })

  test('[AR1] an untried one that was tried keeps its id and its history; what is decided stays decided', async () => {
    const { store } = shared
    const { projectId, workSessionId } = await openProject(store)
    const { id: approachId } = await store.run(recordApproach, {
      ...untried,
      projectId,
      workSessionId,
      by,
    })
    const place = { projectId, workSessionId, approachId, by }
    const verified = await store.run(changeApproach, {
      ...place,
      kind: 'verified',
      evidence: { type: 'test_result', passed: 5 },
    })
    expect(verified).toMatchObject({
      id: 'approach_u001',
      kind: 'verified',
      evidence: { passed: 5 },
      nextToTry: false,
    })
    expect(verified.history).toMatchObject([{ by, before: { kind: 'untried', nextToTry: true } }])
    expect(await store.run(changeApproach, { ...place, kind: 'verified' })).toEqual(verified)
    expect(
      await refused(store, () => store.run(changeApproach, { ...place, kind: 'failed' })),
    ).toEqual({
      code: 'wrong_state',
      fields: { state: 'verified', wanted: 'failed' },
    })
    // The number stays taken, whatever kind it is of now.
    expect((await store.run(recordApproach, { ...untried, projectId, workSessionId, by })).id).toBe(
      'approach_u002',
    )
  })

  test('[AR2] a resumed work session has what its ancestors learned, and may change it; its siblings’ it has not', async () => {
    const { store, clock } = shared
    const { projectId, workSessionId } = await openProject(store)
    const child = (parentId: string) => store.run(placeWorkSession, { projectId, parentId })
    const { id: first } = await child(workSessionId)
    const { id: second } = await child(first)
    const { id: sibling } = await child(workSessionId)
    for (const [at, description] of [
      [workSessionId, 'of the first'],
      [first, 'of its child'],
      [sibling, 'of the other child'],
      [second, 'of the grandchild'],
    ] as const) {
      clock.advance(1000)
      await store.run(recordApproach, { ...untried, projectId, workSessionId: at, description, by })
    }
    const words = async (of: string, limit = 50, cursor?: string) => {
      const page = await store.query(listApproaches, {
        projectId,
        workSessionId: of,
        limit,
        cursor,
      })
      return {
        words: page.items.map(({ description }) => description),
        nextCursor: page.nextCursor ?? undefined,
      }
    }
    expect((await words(second)).words).toEqual([
      'of the grandchild',
      'of its child',
      'of the first',
    ])
    expect((await words(workSessionId)).words).toEqual(['of the first'])
    const page = await words(second, 2)
    expect((await words(second, 2, page.nextCursor)).words).toEqual(['of the first'])
    const inherited = { projectId, workSessionId: second, approachId: 'approach_u001', by }
    const changed = await store.run(changeApproach, { ...inherited, kind: 'verified' })
    expect(changed).toMatchObject({
      id: 'approach_u001',
      ['sessionId']: workSessionId,
      kind: 'verified',
    })
    const notMine = { ...inherited, approachId: 'approach_u003' }
    expect(await refused(store, () => store.run(changeApproach, notMine))).toMatchObject({
      code: 'not_found',
    })
    const { items } = await store.query(listApproaches, {
      projectId,
      workSessionId: second,
      limit: 50,
      kind: 'verified',
    })
    expect(items).toEqual([changed])
  })

  test('[MC2] an agent records in the work it is at; one that is only chatting has nowhere to', async () => {
    const { store } = shared
    const { projectId, agent } = await openProject(store)
    const { caller, workSessionId } = await agent('ann')
    const made = await store.run(recordAgentApproach, { ...caller, draft: untried })
    expect(made).toMatchObject({ ['sessionId']: workSessionId, id: 'approach_u001' })
    expect((await eventsOf(store, projectStream(projectId))).at(-2)).toMatchObject({
      data: { by: 'ann' },
    })
    const chatting = await store.run(placeAgentSession, {
      agentId: 'bob',
      projectId,
      purpose: 'chat',
    })
    expect(
      await refused(store, () => store.run(recordAgentApproach, { ...chatting, draft: untried })),
    ).toMatchObject({
      code: 'wrong_state',
    })
  })

  test('[RS5] each list an agent is told is read through an index of its own', async () => {
    const plan = await planOf(shared.file, async (reader) => {
      for (const list of Object.values(approachLists))
        await reader.all(list, { workSessionId: 's', limit: 5 })
    })
    expect(plan).toEqual(
      ['verified', 'to_avoid', 'failed', 'to_try'].map((name) =>
        expect.stringMatching(
          new RegExp(`^SEARCH approaches USING INDEX approaches_${name} \\(session_id=\\?\\)$`),
        ),
      ),
    )
  })
})
