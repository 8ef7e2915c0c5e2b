/**
 * The fields of a task: what, who, after what; of one that is there also its state and how far it
 * is.
 */
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import { useDisplayName } from '../live/display-names.ts'
import type { ProjectWork } from '../live/project-work.ts'
import { SelectField, TextAreaField, TextField } from '../parts/field.tsx'
import { PickField } from '../parts/pick-field.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import type { problemsOf, TaskValues } from './task-draft.ts'

/** `blocked` is nobody's choice: it follows from the tasks it depends on. */
const choosable = [
  'pending',
  'in_progress',
  'completed',
  'failed',
] as const satisfies readonly Task['status'][]

interface TaskFieldsProps {
  readonly task: Task | undefined
  readonly values: TaskValues
  readonly onValues: (values: Partial<TaskValues>) => void
  readonly problems: ReturnType<typeof problemsOf>
  readonly project: Project
  readonly work: ProjectWork
  readonly readOnly: boolean
}

export function TaskFields({
  task,
  values,
  onValues,
  problems,
  project,
  work,
  readOnly,
}: TaskFieldsProps) {
  const { tasks } = useWords()
  const nameOf = useDisplayName()
  const statuses =
    choosable.some((each) => each === task?.status) || !task
      ? choosable
      : [task.status, ...choosable]
  const assignable = [
    ...new Set([...project.agentIds, ...(task?.assignedTo ? [task.assignedTo] : [])]),
  ]
  return (
    <fieldset disabled={readOnly} className="contents">
      <TextField
        label={tasks.fields.title}
        placeholder={tasks.fields.titleExample}
        value={values.title}
        onValue={(title) => onValues({ title })}
        error={problems.title}
        spellCheck
        required
      />
      <TextAreaField
        label={tasks.fields.description}
        optional
        prose
        rows={2}
        maxLength={100_000}
        value={values.description}
        onValue={(description) => onValues({ description })}
      />
      {!task && (
        <div className="grid grid-cols-2 gap-4">
          <TextField
            label={tasks.fields.phase}
            inputMode="numeric"
            value={values.phase}
            onValue={(phase) => onValues({ phase })}
            error={problems.phase}
          />
          <TextField
            label={tasks.fields.type}
            hint={tasks.fields.typeHint}
            value={values.type}
            onValue={(type) => onValues({ type })}
            error={problems.type}
          />
        </div>
      )}
      <SelectField
        label={tasks.fields.assignedTo}
        hint={
          task?.status === 'pending' && values.assignedTo === '' ? tasks.startNeedsAgent : undefined
        }
        value={values.assignedTo}
        onValue={(assignedTo) => onValues({ assignedTo })}
        options={[
          { value: '', name: tasks.unassigned },
          ...assignable.map((id) => ({ value: id, name: nameOf(id) })),
        ]}
      />
      {task ? (
        <div className="grid grid-cols-2 gap-4">
          <SelectField
            label={tasks.fields.status}
            value={values.status}
            onValue={(status) =>
              onValues({ status: statuses.find((each) => each === status) ?? values.status })
            }
            options={statuses.map((status) => ({ value: status, name: tasks.statuses[status] }))}
          />
          <TextField
            label={tasks.fields.progress}
            hint={tasks.fields.progressHint}
            inputMode="numeric"
            value={values.progress}
            onValue={(progress) => onValues({ progress })}
            error={problems.progress}
          />
        </div>
      ) : (
        <WorkSessionChoice values={values} onValues={onValues} work={work} />
      )}
      <Dependencies task={task} values={values} onValues={onValues} work={work} />
      {task?.result != null && (
        <div className="flex flex-col gap-1">
          <p className="font-medium">{tasks.fields.result}</p>
          <p className="rounded-md bg-sunken px-3 py-2 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
            {typeof task.result === 'string' ? task.result : JSON.stringify(task.result, null, 2)}
          </p>
        </div>
      )}
    </fieldset>
  )
}

function WorkSessionChoice({
  values,
  onValues,
  work,
}: Pick<TaskFieldsProps, 'values' | 'onValues' | 'work'>) {
  const { tasks } = useWords()
  const writing = useWriting()
  const running = work.workSessions.filter(({ state }) => state === 'running')
  const name = ({ id, contextSummary, currentAgentRole, startedAt }: (typeof running)[number]) =>
    `${contextSummary?.slice(0, 60) || currentAgentRole || id} · ${writing.exact(startedAt)}`
  return (
    <SelectField
      label={tasks.fields.workSession}
      value={values.workSessionId}
      onValue={(workSessionId) => onValues({ workSessionId })}
      options={[
        ...running.map((each) => ({ value: each.id, name: name(each) })),
        { value: '', name: tasks.newWorkSession },
      ]}
    />
  )
}

function Dependencies({
  task,
  values,
  onValues,
  work,
}: Pick<TaskFieldsProps, 'task' | 'values' | 'onValues' | 'work'>) {
  const { tasks } = useWords()
  const known = work.tasks.filter(({ id }) => id !== task?.id)
  if (known.length === 0 && values.dependsOn.length === 0) return null
  return (
    <PickField
      label={tasks.fields.dependsOn}
      hint={tasks.fields.dependsOnHint}
      placeholder={tasks.fields.dependsOnExample}
      none={tasks.nothingFound}
      remove={tasks.fields.removeDependency}
      options={known.map(({ id, title }) => ({ id, name: title }))}
      value={values.dependsOn}
      onValue={(dependsOn) => onValues({ dependsOn })}
    />
  )
}
