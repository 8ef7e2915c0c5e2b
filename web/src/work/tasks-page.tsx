/** The tab Tasks of a project: searched, filtered, in groups that fold, as a board or a list. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { Task } from '../../../src/protocol/work/task.ts'
import { useDisplayName } from '../live/display-names.ts'
import { reconnectNow } from '../live/live.ts'
import type { ProjectWork } from '../live/project-work.ts'
import { useMay } from '../live/queries.ts'
import { useProjectWork } from '../live/work.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Choices } from '../parts/choices.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { BackIcon, PlusIcon } from '../parts/icons.tsx'
import { Empty, Section } from '../parts/page.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { browserChoice, useChoice } from '../preferences/choice.ts'
import { useProject } from '../projects/use-project.ts'
import { useWords } from '../translations/messages.tsx'
import { DependencyLines } from './dependency-lines.tsx'
import { TaskCard, TaskRow } from './task-card.tsx'
import { TaskDialog } from './task-dialog.tsx'
import {
  filterOf,
  type Grouping,
  groupedTasks,
  isFinished,
  matchingTasks,
  statuses,
  type TaskGroup,
} from './task-filter.ts'

const route = '/shell/projects/$projectId/tasks'
/** More of a group, or of a column in it, are shown when asked for. */
const shownAtFirst = { board: 12, list: 100 }
const viewChoice = browserChoice<'board' | 'list'>('tasks-view', ['board', 'list'], 'board')
const groupingChoice = browserChoice<Grouping>(
  'tasks-grouping',
  ['phase', 'agent', 'status'],
  'phase',
)

export function TasksPage() {
  const words = useWords()
  const project = useProject()
  const work = useProjectWork(project?.id ?? '')
  const { task } = useSearch({ from: route })
  if (!project) return null
  if (!work) return <Waiting what={words.things.work} onRetry={reconnectNow} />
  return (
    <>
      <Tasks work={work} project={project} />
      {task !== undefined && <TaskDialog key={task} taskId={task} project={project} work={work} />}
    </>
  )
}

function Tasks({ work, project }: { work: ProjectWork; project: Project }) {
  const words = useWords()
  const mayWrite = useMay('write')
  const filter = filterOf(useSearch({ from: route }))
  const view = useChoice(viewChoice)
  const grouping = useChoice(groupingChoice)
  const board = useRef<HTMLDivElement>(null)
  const add = mayWrite && (
    <Link to="." search={(was) => ({ ...was, task: 'new' })} className={buttonClass()}>
      <PlusIcon />
      {words.tasks.new}
    </Link>
  )
  if (work.tasks.length === 0) {
    return (
      <Empty title={words.tasks.none}>
        <p className="max-w-prose text-quiet">{words.tasks.noneText}</p>
        {add}
      </Empty>
    )
  }
  const shown = matchingTasks(work.tasks, filter)
  const groups = groupedTasks(shown, view === 'board' ? 'phase' : grouping)
  const note =
    shown.length === work.tasks.length
      ? shown.length
      : words.tasks.some(shown.length, work.tasks.length)
  return (
    <Section title={words.tasks.tab} note={note} actions={add}>
      <Toolbar work={work} project={project} />
      {shown.length === 0 && <NothingFound />}
      <div ref={board} className="relative flex flex-col gap-4">
        {view === 'board' && <DependencyLines board={board} tasks={shown} />}
        {groups.map((group) =>
          view === 'board' ? (
            <Lane
              key={group.key}
              group={group}
              all={work.tasks}
              columns={statuses.filter((each) => has(shown, each))}
            />
          ) : (
            <ListGroup
              key={`${grouping} ${group.key}`}
              group={group}
              grouping={grouping}
              all={work.tasks}
            />
          ),
        )}
      </div>
    </Section>
  )
}

const has = (tasks: readonly Task[], status: Task['status']): boolean =>
  tasks.some((task) => task.status === status)

function Toolbar({ work, project }: { work: ProjectWork; project: Project }) {
  const { tasks } = useWords()
  const nameOf = useDisplayName()
  const filter = filterOf(useSearch({ from: route }))
  const navigate = useNavigate({ from: '/projects/$projectId/tasks' })
  const view = useChoice(viewChoice)
  const grouping = useChoice(groupingChoice)
  const change = (next: { q?: string; status?: string; agent?: string }) =>
    void navigate({
      search: ({ task }) => ({ ...(task && { task }), ...filterOf({ ...filter, ...next }) }),
      replace: true,
    })
  const agents = [
    ...new Set([...project.agentIds, ...work.tasks.flatMap(({ assignedTo }) => assignedTo ?? [])]),
  ]
  return (
    <search className="flex flex-wrap items-end gap-3">
      <TextField
        type="search"
        label={tasks.search}
        className="min-w-40 flex-1"
        value={filter.q ?? ''}
        onValue={(q) => change({ q })}
      />
      <SelectField
        label={tasks.fields.status}
        value={filter.status ?? ''}
        onValue={(status) => change({ status })}
        options={[
          { value: '', name: tasks.every },
          ...statuses.map((value) => ({ value, name: tasks.statuses[value] })),
        ]}
      />
      <SelectField
        label={tasks.fields.assignedTo}
        value={filter.agent === undefined ? 'any' : `is ${filter.agent}`}
        onValue={(value) =>
          change({ agent: value.startsWith('is ') ? value.slice(3) : undefined } as {
            agent?: string
          })
        }
        options={[
          { value: 'any', name: tasks.every },
          ...agents.map((id) => ({ value: `is ${id}`, name: nameOf(id) })),
          { value: 'is ', name: tasks.unassigned },
        ]}
      />
      {view === 'list' && (
        <SelectField
          label={tasks.groupBy}
          value={grouping}
          onValue={(value) => groupingChoice.set(value as Grouping)}
          options={(['phase', 'agent', 'status'] as const).map((value) => ({
            value,
            name: tasks.groupings[value],
          }))}
        />
      )}
      <Choices
        label={tasks.view}
        hideLabel
        value={view}
        onValue={(value) => viewChoice.set(value)}
        options={(['board', 'list'] as const).map((value) => ({ value, name: tasks.views[value] }))}
      />
    </search>
  )
}

function NothingFound() {
  const { tasks } = useWords()
  return (
    <Empty title={tasks.nothingFound}>
      <Link to="." search={({ task }) => (task ? { task } : {})} className={buttonClass()}>
        {tasks.showAll}
      </Link>
    </Empty>
  )
}

/** Folds; what is finished altogether begins folded when there is something else to look at. */
function Group({
  name,
  tasks,
  children,
}: {
  name: string
  tasks: readonly Task[]
  children: ReactNode
}) {
  const words = useWords()
  const [open, setOpen] = useState(
    () => !tasks.every(isFinished) || tasks.length <= shownAtFirst.board,
  )
  return (
    <section aria-label={name} className="relative border-t border-line pt-1">
      <h3>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-8 w-full items-center gap-2 rounded-md text-left text-sm font-semibold text-quiet hover:text-ink max-md:min-h-10"
        >
          <BackIcon
            className={`size-3 transition-transform ${open ? '-rotate-90' : 'rotate-180'}`}
          />
          {name}
          <span className="font-normal text-faint tabular-nums">
            {words.tasks.done(
              tasks.filter(({ status }) => status === 'completed').length,
              tasks.length,
            )}
          </span>
        </button>
      </h3>
      {open && children}
    </section>
  )
}

function Lane({
  group,
  all,
  columns,
}: {
  group: TaskGroup
  all: readonly Task[]
  columns: readonly Task['status'][]
}) {
  const { tasks: words } = useWords()
  return (
    <Group name={words.phase(Number(group.key))} tasks={group.tasks}>
      <div className="grid gap-3 pt-1 lg:auto-cols-[minmax(0,1fr)] lg:grid-flow-col">
        {columns.map((status) => {
          const listed = group.tasks.filter((task) => task.status === status)
          return (
            <div key={status} className={`min-w-0 ${listed.length === 0 ? 'max-lg:hidden' : ''}`}>
              <h4 className="mb-1.5 flex gap-1.5 text-xs text-faint">
                {words.statuses[status]}
                <span className="tabular-nums">{listed.length}</span>
              </h4>
              <Some
                tasks={listed}
                most={shownAtFirst.board}
                label={`${words.statuses[status]} ${listed.length}`}
                gap
              >
                {(task) => <TaskCard key={task.id} task={task} all={all} />}
              </Some>
            </div>
          )
        })}
      </div>
    </Group>
  )
}

function ListGroup({
  group,
  grouping,
  all,
}: {
  group: TaskGroup
  grouping: Grouping
  all: readonly Task[]
}) {
  const { tasks: words } = useWords()
  const nameOf = useDisplayName()
  const status = statuses.find((each) => each === group.key)
  const name =
    grouping === 'phase'
      ? words.phase(Number(group.key))
      : grouping === 'status' && status
        ? words.statuses[status]
        : group.key === ''
          ? words.unassigned
          : nameOf(group.key)
  return (
    <Group name={name} tasks={group.tasks}>
      <Some tasks={group.tasks} most={shownAtFirst.list} label={name}>
        {(task) => <TaskRow key={task.id} task={task} all={all} />}
      </Some>
    </Group>
  )
}

interface SomeProps {
  readonly tasks: readonly Task[]
  readonly most: number
  readonly label: string
  readonly gap?: boolean
  readonly children: (task: Task) => ReactNode
}

/** The first tasks of a list, with a button for as many again. */
function Some({ tasks, most, label, gap = false, children }: SomeProps) {
  const words = useWords()
  const [count, setCount] = useState(most)
  if (tasks.length === 0) return null
  return (
    <>
      <ul aria-label={label} className={gap ? 'flex flex-col gap-2' : 'divide-y divide-line'}>
        {tasks.slice(0, count).map(children)}
      </ul>
      {tasks.length > count && (
        <Button className="mt-2" onClick={() => setCount(count + Math.max(most, 50))}>
          {words.tasks.more(tasks.length - count)}
        </Button>
      )}
    </>
  )
}
