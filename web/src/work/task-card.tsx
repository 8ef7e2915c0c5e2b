/**
 * A task on the board or in a list: what, who, how far, and what it waits for. Opens its dialog.
 */
import { Link } from '@tanstack/react-router'
import type { Task } from '../../../src/protocol/work/task.ts'
import { useDisplayName } from '../live/display-names.ts'
import { AgentIcon } from '../parts/icons.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { taskDots } from './task-dots.ts'
import { isFinished } from './task-filter.ts'

export function TaskCard({ task, all }: { task: Task; all: readonly Task[] }) {
  const { tasks } = useWords()
  const nameOf = useDisplayName()
  const titleOf = (id: string) => all.find((each) => each.id === id)?.title ?? id
  const finished = isFinished(task)
  return (
    <li className="list-row" data-task={task.id}>
      <Link
        to="."
        search={(was) => ({ ...was, task: task.id })}
        title={task.id}
        className="flex flex-col gap-1.5 rounded-md bg-raised px-3 py-2 shadow-[inset_0_0_0_1px_var(--edge)] -outline-offset-2 transition-colors hover:bg-hover"
      >
        <span className="flex items-baseline gap-2">
          <StateDot state={taskDots[task.status]} />
          <span
            dir="auto"
            className={`min-w-0 font-medium [overflow-wrap:anywhere] ${finished ? 'text-quiet' : ''}`}
          >
            {task.title}
          </span>
        </span>
        {task.status === 'blocked' && task.blockedBy && (
          <span className="text-sm text-warn [overflow-wrap:anywhere]">
            {tasks.blockedBy(titleOf(task.blockedBy))}
          </span>
        )}
        {task.status !== 'blocked' && !finished && task.dependsOn.length > 0 && (
          <span className="text-sm text-faint [overflow-wrap:anywhere]">
            {tasks.waitsFor(task.dependsOn.map(titleOf).join(', '))}
          </span>
        )}
        {task.status === 'in_progress' && <Progress percent={task.progressPercent} />}
        <span className="flex min-w-0 items-center gap-1 text-xs text-faint">
          <AgentIcon className="size-3" />
          <span className="truncate">
            {task.assignedTo ? nameOf(task.assignedTo) : tasks.unassigned}
          </span>
        </span>
      </Link>
    </li>
  )
}

function Progress({ percent }: { percent: number }) {
  const { tasks } = useWords()
  return (
    <span className="flex items-center gap-2 text-xs text-quiet tabular-nums">
      <svg
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        className="h-1 min-w-0 flex-1"
        aria-hidden="true"
      >
        <rect width="100" height="4" className="fill-line" />
        <rect width={percent} height="4" className="fill-accent" />
      </svg>
      <span>{tasks.progress(percent)}</span>
    </span>
  )
}

export function TaskRow({ task, all }: { task: Task; all: readonly Task[] }) {
  const { tasks } = useWords()
  const nameOf = useDisplayName()
  const blocker = task.status === 'blocked' && all.find(({ id }) => id === task.blockedBy)
  return (
    <li className="list-row">
      <Link
        to="."
        search={(was) => ({ ...was, task: task.id })}
        className="flex min-h-10 items-center gap-3 rounded-md px-2 py-1 -outline-offset-2 transition-colors hover:bg-hover max-md:min-h-11"
      >
        <StateDot state={taskDots[task.status]} />
        <span
          dir="auto"
          className={`min-w-0 flex-1 truncate ${isFinished(task) ? 'text-quiet' : 'font-medium'}`}
        >
          {task.title}
        </span>
        {blocker && (
          <span className="max-w-[30%] truncate text-sm text-warn max-md:hidden">
            {tasks.blockedBy(blocker.title)}
          </span>
        )}
        <span className="w-24 text-sm text-quiet max-md:hidden">{tasks.statuses[task.status]}</span>
        <span className="w-28 truncate text-sm text-faint">
          {task.assignedTo ? nameOf(task.assignedTo) : tasks.unassigned}
        </span>
        <span className="w-36 truncate text-right font-mono text-xs text-faint max-lg:hidden">
          {task.id}
        </span>
      </Link>
    </li>
  )
}
