/**
 * Creates a task, or shows one and changes it. It has an address of its own: `?task=new`,
 * `?task=task_p1_code_001`.
 */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import { useDraft } from '../live/draft.ts'
import { type ProjectWork, withTask } from '../live/project-work.ts'
import { client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { changeWork } from '../live/work.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import {
  changeBody,
  draftBody,
  newTask,
  problemsOf,
  type TaskValues,
  valuesOf,
} from './task-draft.ts'
import { TaskFields } from './task-fields.tsx'

interface TaskDialogProps {
  /** `new` for one that is not there yet. */
  readonly taskId: string
  readonly project: Project
  readonly work: ProjectWork
}

export function TaskDialog({ taskId, project, work }: TaskDialogProps) {
  const words = useWords()
  const navigate = useNavigate()
  const mayWrite = useMay('write')
  const task = work.tasks.find(({ id }) => id === taskId)
  const isNew = taskId === 'new'
  const running = work.workSessions.find(({ state }) => state === 'running')
  const was: TaskValues = task ? valuesOf(task) : { ...newTask, workSessionId: running?.id ?? '' }
  // Only typed fields are kept: the others follow the server.
  const [typed, setTyped, clearTyped] = useDraft<Partial<TaskValues>>(
    `task.${project.id}.${taskId}`,
    {},
  )
  const [tried, setTried] = useState(false)
  const { waiting, error, send, stop } = useSending<Task>()
  const values = { ...was, ...typed }
  const problems = problemsOf(values, words)
  const close = () =>
    void navigate({ to: '.', search: ({ task: _, ...filter }) => filter, replace: true })

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (Object.keys(problems).length > 0) return
    const saved = await send(values, (options) => (task ? change(task, options) : create(options)))
    if (!saved) return
    clearTyped()
    changeWork(project.id, (now) => withTask(now, saved))
    notify(isNew ? words.tasks.created(saved.title) : words.tasks.saved(saved.title))
    close()
  }

  type Options = Parameters<Parameters<typeof send>[1]>[0]
  const params = { projectId: project.id }

  const change = (known: Task, options: Options): Promise<Task> =>
    client.patch('/api/projects/{projectId}/tasks/{taskId}', {
      params: { ...params, taskId: known.id },
      body: changeBody(known, values),
      ...options,
    })

  /** TK3: what is begun is work for its agent. TK2: only a person begins again what failed. */
  async function start(known: Task) {
    const place = { ...params, taskId: known.id }
    const body = { ...changeBody(known, values), status: 'in_progress' as const }
    const begun = await send({ place, body }, (options) =>
      client.patch('/api/projects/{projectId}/tasks/{taskId}', { params: place, body, ...options }),
    )
    if (!begun) return
    clearTyped()
    changeWork(project.id, (now) => withTask(now, begun))
    notify(words.tasks.started(begun.title))
    close()
  }

  const create = (options: Options): Promise<Task> =>
    client.post('/api/projects/{projectId}/tasks', { params, body: draftBody(values), ...options })

  if (!isNew && !task) {
    return (
      <InputDialog open title={words.tasks.missing} onClose={close}>
        <DialogBody>
          <p className="font-mono text-sm">{taskId}</p>
        </DialogBody>
      </InputDialog>
    )
  }
  return (
    <InputDialog
      open
      title={task ? `${words.tasks.edit} ${task.id}` : words.tasks.new}
      onClose={close}
    >
      <form onSubmit={submit} noValidate className="contents">
        <DialogBody>
          <TaskFields
            task={task}
            values={values}
            onValues={(next) => setTyped({ ...typed, ...next })}
            problems={tried ? problems : {}}
            project={project}
            work={work}
            readOnly={!mayWrite}
          />
          <ProblemNote error={error} typed />
          <SlowAnswer waiting={waiting} onStop={stop} />
        </DialogBody>
        <DialogFoot>
          <Button onClick={close}>{mayWrite ? words.act.cancel : words.act.close}</Button>
          {mayWrite && (task?.status === 'failed' || task?.status === 'pending') && (
            <Button
              disabled={values.assignedTo === ''}
              title={values.assignedTo === '' ? words.tasks.startNeedsAgent : undefined}
              onClick={() => void start(task)}
            >
              {task.status === 'failed' ? words.tasks.retry : words.tasks.start}
            </Button>
          )}
          {mayWrite && (
            <SubmitButton waiting={waiting}>
              {task ? words.act.save : words.act.create}
            </SubmitButton>
          )}
        </DialogFoot>
      </form>
    </InputDialog>
  )
}
