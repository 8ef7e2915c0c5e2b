/** The fields of a task form, their checks, and the request made of them. Pure. */
import type { Task } from '../../../src/protocol/work/task.ts'
import { wholeNumberProblem } from '../parts/checks.ts'
import type { Messages } from '../translations/en.ts'

export interface TaskValues {
  readonly title: string
  readonly description: string
  readonly type: string
  readonly phase: string
  readonly assignedTo: string
  readonly dependsOn: readonly string[]
  readonly status: Task['status']
  readonly progress: string
  /** The work session of a new task; empty: one that begins when an agent takes the task. */
  readonly workSessionId: string
}

export const newTask: TaskValues = {
  title: '',
  description: '',
  type: 'code',
  phase: '1',
  assignedTo: '',
  dependsOn: [],
  status: 'pending',
  progress: '0',
  workSessionId: '',
}

export const valuesOf = (task: Task): TaskValues => ({
  title: task.title,
  description: task.description ?? '',
  type: task.type,
  phase: String(task.phase),
  assignedTo: task.assignedTo ?? '',
  dependsOn: task.dependsOn,
  status: task.status,
  progress: String(task.progressPercent),
  workSessionId: task.sessionId ?? '',
})

const longest = { title: 500, type: 100 }
const mostPhases = 1_000_000

type Problems = Partial<Record<'title' | 'type' | 'phase' | 'progress', string>>

export function problemsOf(values: TaskValues, words: Messages): Problems {
  const line = (text: string, most: number) =>
    text.trim() === ''
      ? words.form.needed
      : text.trim().length > most
        ? words.form.tooLong(most)
        : undefined
  const number = (text: string, most: number) =>
    text.trim() === '' ? words.form.needed : wholeNumberProblem(text, 0, most, words)
  const found = {
    title: line(values.title, longest.title),
    type: line(values.type, longest.type),
    phase: number(values.phase, mostPhases),
    progress: number(values.progress, 100),
  }
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== undefined))
}

export const draftBody = (values: TaskValues) => ({
  title: values.title.trim(),
  type: values.type.trim(),
  phase: Number(values.phase),
  ...(values.description.trim() && { description: values.description }),
  ...(values.assignedTo && { assignedTo: values.assignedTo }),
  ...(values.workSessionId && { sessionId: values.workSessionId }),
  ...(values.dependsOn.length > 0 && { dependsOn: [...values.dependsOn] }),
})

/** Lists only changed fields, so that what somebody else changed meanwhile stays. */
export function changeBody(task: Task, values: TaskValues) {
  const was = valuesOf(task)
  return {
    ...(values.title.trim() !== was.title && { title: values.title.trim() }),
    ...(values.description !== was.description && { description: values.description || null }),
    ...(values.assignedTo !== was.assignedTo && { assignedTo: values.assignedTo || null }),
    ...(values.dependsOn.join() !== was.dependsOn.join() && { dependsOn: [...values.dependsOn] }),
    ...(values.status !== was.status && { status: values.status }),
    ...(Number(values.progress) !== task.progressPercent && {
      progressPercent: Number(values.progress),
    }),
  }
}
