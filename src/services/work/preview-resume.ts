/**
 * What a resume would do (RS7): which agents start with which task, which cannot and why, what
 * becomes of each task, and what they are told. Changes nothing.
 */
import { decideResume } from '../../domain/work/resume-context.ts'
import type { ResumePreview } from '../../protocol/work/resume.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { selectFinishedCounts, type TaskRow, taskOf } from '../../store/work/tasks.ts'
import {
  descendantsOf,
  type WorkSessionRow,
  workSessionOf,
} from '../../store/work/work-sessions.ts'
import { existingWorkSession } from './end-work-session.ts'
import { isWorkedOn } from './plan-record.ts'
import { resumeContextOf, resumeContextWith } from './resume-context.ts'
import {
  carriedOver,
  missingForAgent,
  missingToStart,
  refusalOf,
  unfinishedOf,
} from './resume-work-session.ts'

/** More agents than a plan has. */
const maxAgents = 50

export const previewResume = defineQuery('preview-resume', {
  scope: 'write',
  on: 'project',
  run: async (
    reader,
    place: { projectId: string; workSessionId: string },
  ): Promise<ResumePreview> => {
    const row = await existingWorkSession(reader, place)
    const running = (await descendantsOf(reader, row.id)).find(({ ended_at }) => ended_at === null)
    const decision = decideResume({
      state: workSessionOf(row).state,
      setAside: row.set_aside,
      runningId: running?.id ?? null,
    })
    if (decision.outcome === 'refused') throw refusalOf(row.id, decision.refusal)
    const tasks = running
      ? await unfinishedOf(reader, running.id)
      : await carriedOver(reader, row.id)
    const context = running
      ? await resumeContextOf(reader, running)
      : await resumeContextWith(reader, row, tasks)
    const isDriven = running !== undefined && (await isWorkedOn(reader, running))
    return {
      agents: await agentsOf(reader, tasks),
      missing: isDriven ? [] : await missingToStart(reader, row.id, tasks),
      tasks: await countsOf(reader, row, tasks),
      learned: {
        verified: context.verifiedApproaches.length,
        failed: context.failedApproaches.length,
        decisions: context.decisions.length,
      },
    }
  },
})

const isReady = ({ status }: TaskRow): boolean => status === 'pending' || status === 'in_progress'

/** Each agent with the task it begins with: the one it was at, else the oldest. */
async function agentsOf(
  reader: Reader,
  tasks: readonly TaskRow[],
): Promise<ResumePreview['agents']> {
  const agents: ResumePreview['agents'] = []
  const groups = Map.groupBy(tasks.filter(isReady), ({ assigned_to }) => assigned_to)
  for (const [agentId, own] of [...groups].slice(0, maxAgents)) {
    const first = own.find(({ status }) => status === 'in_progress') ?? own.at(-1)
    if (!first) continue
    const { id, title, progressPercent } = taskOf(first)
    agents.push({
      agentId,
      task: { id, title, progressPercent },
      taskCount: own.length,
      missing: (await missingForAgent(reader, agentId, first)) ?? null,
    })
  }
  return agents
}

async function countsOf(
  reader: Reader,
  row: WorkSessionRow,
  tasks: readonly TaskRow[],
): Promise<ResumePreview['tasks']> {
  const counted = await reader.all(selectFinishedCounts, { workSessionId: row.id })
  const finished = (status: TaskRow['status']) =>
    Number(counted.find((each) => each.status === status)?.count ?? 0)
  const continuing = tasks.filter(({ status }) => status === 'in_progress').length
  const ready = tasks.filter(({ status }) => status === 'pending').length
  return {
    completed: finished('completed'),
    failed: finished('failed'),
    continuing,
    ready,
    waiting: tasks.length - continuing - ready,
  }
}
