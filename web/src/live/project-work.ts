/**
 * The tasks and work sessions of a project as the page knows them, and how each event changes them.
 * Pure: of two versions of a task the later one stays, whichever way it came.
 */
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'

export interface ProjectWork {
  /** Newest first, as are the work sessions. */
  readonly tasks: readonly Task[]
  readonly workSessions: readonly WorkSession[]
}

export function withTask(work: ProjectWork, task: Task): ProjectWork {
  const known = work.tasks.find((each) => each.id === task.id)
  if (!known) {
    const tasks = [...work.tasks, task].sort(
      (a, b) => order(b.createdAt, a.createdAt) || order(b.id, a.id),
    )
    return { ...work, tasks }
  }
  if (known.updatedAt > task.updatedAt) return work
  return { ...work, tasks: work.tasks.map((each) => (each === known ? task : each)) }
}

/** A work session that has ended never runs again. */
export function withWorkSession(work: ProjectWork, workSession: WorkSession): ProjectWork {
  const known = work.workSessions.find((each) => each.id === workSession.id)
  if (!known) {
    const all = [...work.workSessions, workSession]
    return {
      ...work,
      workSessions: all.sort((a, b) => order(b.startedAt, a.startedAt) || order(b.id, a.id)),
    }
  }
  if (known.endedAt !== null && workSession.endedAt === null) return work
  return {
    ...work,
    workSessions: work.workSessions.map((each) => (each === known ? workSession : each)),
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The same object when the event is about something else. */
export function afterProjectEvent(work: ProjectWork, event: HoldfastEvent): ProjectWork {
  if (!('data' in event)) return work
  switch (event.type) {
    case 'task-created':
    case 'task-changed':
      return withTask(work, event.data.task)
    case 'work-session-started':
    case 'work-session-changed':
    case 'work-session-ended':
      return withWorkSession(work, event.data.workSession)
    default:
      return work
  }
}
