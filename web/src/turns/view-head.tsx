/** The head of a session on one line: its state, its title, its project and branch; what else is to know of it folds out. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { IconButton } from '../parts/button.tsx'
import { BackIcon, BranchIcon } from '../parts/icons.tsx'
import { useTitle } from '../parts/page.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'

interface ViewHeadProps {
  readonly state: LiveState
  readonly title: string
  readonly project: Project
  readonly branch?: string | null | undefined
  readonly actions?: ReactNode
  /** What folds out. */
  readonly children: ReactNode
}

export function ViewHead({ state, title, project, branch, actions, children }: ViewHeadProps) {
  const { console: words } = useWords()
  const [open, setOpen] = useState(false)
  useTitle(title)
  return (
    <header data-console-bar className="shrink-0 border-b border-line px-4 max-md:px-2">
      <div className="flex min-h-12 items-center gap-3 max-md:min-h-11 max-md:gap-2">
        <Link to="/talks" aria-label={words.all} className="rounded-md p-1.5 text-quiet hover:bg-hover md:hidden">
          <BackIcon />
        </Link>
        <StateDot state={state} />
        <h1 className="min-w-0 truncate font-semibold" title={title}>
          {title}
        </h1>
        <Link
          to="/projects/$projectId"
          params={{ projectId: project.id }}
          className="min-w-0 shrink-0 truncate text-sm text-quiet hover:text-ink max-md:hidden"
        >
          {project.name}
        </Link>
        {branch && (
          <span className="flex min-w-0 items-center gap-1 text-xs text-quiet max-md:hidden">
            <BranchIcon />
            <span className="truncate font-mono">{branch}</span>
          </span>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-1">
          {actions}
          <IconButton label={words.details} aria-expanded={open} onClick={() => setOpen(!open)}>
            <BackIcon className={open ? 'rotate-90' : '-rotate-90'} />
          </IconButton>
        </span>
      </div>
      {open && <div className="flex flex-col gap-2 pb-3 text-sm">{children}</div>}
    </header>
  )
}
