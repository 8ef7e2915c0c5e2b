/** One store for a file of tests, and in it a project with a work session for each of them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type * as z from 'zod'
import type { Task, TaskChange, TaskDraft } from '../../../src/protocol/work/task.ts'
import {
  createApproval,
  decideApproval,
} from '../../../src/services/flows/approvals/request-approval.ts'
import { createProject } from '../../../src/services/projects/change-project.ts'
import { changeTask, createTask } from '../../../src/services/work/change-task.ts'
import { createWorkSession } from '../../../src/services/work/end-work-session.ts'
import { getTask } from '../../../src/services/work/queries.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { bundled } from '../../support/store.ts'
import { startWarmWriter } from '../../support/warm-writers.ts'
import { placeAgentSession } from '../agent-sessions/agent-session-rows.ts'
import { by } from '../projects/installation.ts'
import { placeWorkSession } from './work-rows.ts'

const writerUrl = new URL('./work-writer.ts', import.meta.url)

/** The store is there once the tests run. */
export function sharedStore() {
  const clock = manualClock()
  const shared = { clock, folder: '', file: '', store: undefined as unknown as Store }
  beforeAll(async () => {
    shared.folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
    shared.file = join(shared.folder, 'holdfast.db')
    shared.store = await openSqliteStore({
      file: shared.file,
      clock,
      writerUrl: bundled(writerUrl),
      startThread: startWarmWriter,
    })
  })
  afterAll(async () => {
    await shared.store.close()
    await rm(shared.folder, { recursive: true, force: true })
  })
  return shared
}

type Draft = Partial<Omit<z.output<typeof TaskDraft>, 'workSessionId'>>
type Verdict = 'approved' | 'rejected' | 'revision_requested'

export async function openProject(store: Store) {
  const { id: projectId } = await store.run(createProject, { name: 'p', by })
  const { id: workSessionId } = await store.run(createWorkSession, { projectId })
  const change = (taskId: string, asked: z.output<typeof TaskChange>): Promise<Task> =>
    store.run(changeTask, { projectId, taskId, ...asked, by })
  return {
    projectId,
    workSessionId,
    task: (draft: Draft = {}, inWorkSession = workSessionId): Promise<Task> =>
      store.run(createTask, {
        projectId,
        workSessionId: inWorkSession,
        phase: 1,
        type: 'code',
        title: 't',
        ...draft,
        by,
      }),
    get: (taskId: string): Promise<Task> => store.query(getTask, { projectId, taskId }),
    change,
    start: (taskId: string) => change(taskId, { status: 'in_progress' }),
    complete: async (taskId: string) => {
      await change(taskId, { status: 'in_progress' })
      return change(taskId, { status: 'completed' })
    },
    ask: (checkpointType = 'design') =>
      store.run(createApproval, {
        projectId,
        workSessionId,
        checkpointType,
        leaderId: 'lead',
        instructionContent: 'ship it',
      }),
    decide: (approvalId: number, status: Verdict, feedback?: string, person = by) =>
      store.run(decideApproval, { projectId, approvalId, status, feedback, by: person }),
    /** An agent that drives a work session of its own. */
    agent: async (agentId: string) => {
      const caller = await store.run(placeAgentSession, { agentId, projectId, purpose: 'task' })
      const driven = await store.run(placeWorkSession, {
        projectId,
        agentSessionId: caller.agentSessionId,
      })
      return { caller, workSessionId: driven.id }
    },
  }
}
