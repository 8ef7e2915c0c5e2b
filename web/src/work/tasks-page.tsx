/** The tab Tasks of a project: a lane for each phase, in it a column for each status. */
import { Link, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Task } from '../../../src/protocol/work/task.ts'
import { reconnectNow } from '../live/live.ts'
import type { ProjectWork } from '../live/project-work.ts'
import { useMay } from '../live/queries.ts'
import { useProjectWork } from '../live/work.ts'
import { buttonClass } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Empty, Section } from '../parts/page.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProject } from '../projects/use-project.ts'
import { useWords } from '../translations/messages.tsx'
import { DependencyLines } from './dependency-lines.tsx'
import { TaskCard } from './task-card.tsx'
import { TaskDialog } from './task-dialog.tsx'

const columns = ['pending', 'blocked', 'in_progress', 'completed', 'failed'] as const satisfies readonly Task['status'][]

export function TasksPage() {
  const words = useWords()
  const project = useProject()
  const work = useProjectWork(project?.id ?? '')
  const { task } = useSearch({ from: '/shell/projects/$projectId/tasks' })
  if (!project) return null
  if (!work) return <Waiting what={words.things.work} onRetry={reconnectNow} />
  return (
    <>
      <Board work={work} />
      {task !== undefined && <TaskDialog key={task} taskId={task} project={project} work={work} />}
    </>
  )
}

function Board({ work }: { work: ProjectWork }) {
  const words = useWords()
  const mayWrite = useMay('write')
  const board = useRef<HTMLDivElement>(null)
  const { tasks } = work
  const phases = [...new Set(tasks.map(({ phase }) => phase))].sort((a, b) => a - b)
  const add = mayWrite && (
    <Link to="." search={{ task: 'new' }} className={buttonClass()}>
      <PlusIcon />
      {words.tasks.new}
    </Link>
  )
  if (tasks.length === 0) {
    return (
      <Empty title={words.tasks.none}>
        <p className="max-w-prose text-quiet">{words.tasks.noneText}</p>
        {add}
      </Empty>
    )
  }
  return (
    <Section title={words.tasks.tab} note={tasks.length} actions={add}>
      <div ref={board} className="relative flex flex-col gap-6">
        <DependencyLines board={board} tasks={tasks} />
        {phases.map((phase) => (
          <Lane key={phase} phase={phase} work={work} />
        ))}
      </div>
    </Section>
  )
}

function Lane({ phase, work }: { phase: number; work: ProjectWork }) {
  const words = useWords()
  // Within a phase the older task stands first: that is the order it was planned in.
  const tasks = work.tasks.filter((task) => task.phase === phase).toReversed()
  return (
    <section aria-label={words.tasks.phase(phase)} className="relative border-t border-line pt-3">
      <h3 className="mb-2 text-sm font-semibold text-quiet">{words.tasks.phase(phase)}</h3>
      <div className="grid gap-3 max-lg:grid-cols-1 lg:grid-cols-5">
        {columns.map((status) => {
          const listed = tasks.filter((task) => task.status === status)
          const heading = `${words.tasks.statuses[status]} ${listed.length}`
          return (
            <div key={status} className={listed.length === 0 ? 'max-lg:hidden' : ''}>
              <h4 className="mb-1.5 flex gap-1.5 text-xs text-faint">
                {words.tasks.statuses[status]}
                <span className="tabular-nums">{listed.length}</span>
              </h4>
              {listed.length > 0 && (
                <ul aria-label={heading} className="flex flex-col gap-2">
                  {listed.map((task) => (
                    <TaskCard key={task.id} task={task} all={work.tasks} />
                  ))}
                </ul>
              )}
            </div>
          )
        })}
      </div>
    </section>
  )
}
