/**
 * What a resume must answer, out of the events alone: the state of a reader of the log from its
 * beginning.
 */

import type { EventBodies } from '../../../src/protocol/events.ts'
import type { Approach } from '../../../src/protocol/work/approach.ts'
import type { Resumed } from '../../../src/protocol/work/resume.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import type { StoredEvent } from '../../../src/store/store.ts'

interface LoggedState {
  readonly tasks: Map<string, Task>
  readonly approaches: Map<string, Approach>
  readonly workSessions: Map<string, WorkSession>
}

function fold(events: readonly StoredEvent[]): LoggedState {
  const logged: LoggedState = { tasks: new Map(), approaches: new Map(), workSessions: new Map() }
  for (const { data } of events) {
    const body = (data === null ? {} : JSON.parse(data)) as Partial<
      EventBodies['task-changed'] &
        EventBodies['approach-changed'] &
        EventBodies['work-session-changed']
    >
    if (body.task) logged.tasks.set(body.task.id, body.task)
    if (body.approach) logged.approaches.set(body.approach.id, body.approach)
    if (body.workSession) logged.workSessions.set(body.workSession.id, body.workSession)
  }
  return logged
}

/** In a form that can be compared: lists by their ids, sorted. */
export interface Comparable {
  readonly previousState: string | null
  readonly currentPhase: number | null
  readonly currentTask: string | null
  readonly failed: readonly string[]
  readonly verified: readonly string[]
  readonly next: readonly string[]
  readonly remaining: readonly string[]
}

export function contextInLog(events: readonly StoredEvent[], workSessionId: string): Comparable {
  const { tasks, approaches, workSessions } = fold(events)
  const workSession = workSessions.get(workSessionId)
  const unfinished = [...tasks.values()].filter(
    (task) =>
      task['sessionId'] === workSessionId &&
      task.status !== 'completed' &&
      task.status !== 'failed',
  )
  const named = unfinished.find(({ id }) => id === workSession?.currentTaskId)
  const [begun] = unfinished
    .filter(({ status }) => status === 'in_progress')
    .toSorted((a, b) => ((a.startedAt ?? '') < (b.startedAt ?? '') ? 1 : -1))
  const current = named ?? begun
  const all = [...approaches.values()]
  const ids = (list: readonly { readonly id: string }[]): string[] =>
    list.map(({ id }) => id).sort()
  return {
    previousState: workSession?.contextSummary ?? null,
    currentPhase: workSession?.currentPhase ?? null,
    currentTask: current ? `${current.id} ${current.progressPercent}` : null,
    failed: ids(all.filter(({ kind }) => kind === 'failed')),
    verified: ids(all.filter(({ kind }) => kind === 'verified')),
    next: ids(all.filter(({ kind, nextToTry }) => kind === 'untried' && nextToTry)),
    remaining: ids(unfinished.filter(({ id }) => id !== current?.id)),
  }
}

export function contextIn({ resumeContext: context }: Resumed): Comparable {
  const ids = (list: readonly { readonly id: string }[]): string[] =>
    list.map(({ id }) => id).sort()
  const { currentTask } = context
  return {
    previousState: context.previousState,
    currentPhase: context.currentPhase,
    currentTask: currentTask ? `${currentTask.taskId} ${currentTask.progressPercent}` : null,
    failed: ids(context.failedApproaches),
    verified: ids(context.verifiedApproaches),
    next: ids(context.nextApproaches),
    remaining: context.remainingTasks.map(({ taskId }) => taskId).sort(),
  }
}
