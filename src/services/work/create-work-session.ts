/**
 * Creates a work session by hand (WK4). It has no owner until an agent takes one of its tasks, and is ended through `…/end`
 * only.
 */
import type * as z from 'zod'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { WorkSession, WorkSessionDraft } from '../../protocol/work/work-session.ts'
import { defineUseCase } from '../../store/store.ts'
import { workSessionOf } from '../../store/work/work-sessions.ts'
import { noSuchProject } from '../refusals.ts'
import { beginWorkSession } from './work-session-record.ts'

type Input = z.output<typeof WorkSessionDraft> & { projectId: string }

export const createWorkSession = defineUseCase('create-work-session', {
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, ...draft }: Input, context): Promise<WorkSession> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    const beginning = {
      project_id: projectId,
      context_summary: draft.contextSummary ?? null,
      current_phase: draft.phase ?? null,
      current_agent_role: draft.agentRole ?? null,
      current_agent_type: draft.agentType ?? null,
    }
    return workSessionOf(await beginWorkSession(tx, beginning, context))
  },
})
