/**
 * The head of a session on one line: its state, its title, its project and branch; what else is to
 * know of it folds out.
 */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { IconButton } from '../parts/button.tsx'
import { BackIcon, BranchIcon, CloseIcon } from '../parts/icons.tsx'
import { LineCounts } from '../parts/line-counts.tsx'
import { useTitle } from '../parts/page.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'

interface ViewHeadProps {
  readonly state: LiveState
  readonly title: string
  readonly project: Project
  readonly branch?: string | null | undefined
  /** What its turns changed in the files. */
  readonly lines?: { readonly added: number; readonly removed: number } | null | undefined
  readonly actions?: ReactNode
  /** Closes the view, where it is one of several; the name of the page is then left alone. */
  readonly onClose?: (() => void) | undefined
  /** What folds out. */
  readonly children: ReactNode
}

export function ViewHead({
  state,
  title,
  project,
  branch,
  lines,
  actions,
  onClose,
  children,
}: ViewHeadProps) {
  const { console: words, columns } = useWords()
  const [open, setOpen] = useState(false)
  const isColumn = onClose !== undefined
  useTitle(isColumn ? undefined : title)
  const Heading = isColumn ? 'h2' : 'h1'
  const onWide = isColumn ? 'hidden' : 'max-md:hidden'
  return (
    <header data-console-bar className="shrink-0 border-b border-line px-4 max-md:px-2">
      <div className="flex min-h-12 items-center gap-3 max-md:min-h-11 max-md:gap-2">
        {!isColumn && (
          <Link
            to="/sessions"
            aria-label={words.all}
            className="rounded-md p-1.5 text-quiet hover:bg-hover md:hidden"
          >
            <BackIcon />
          </Link>
        )}
        <StateDot state={state} />
        <Heading dir="auto" className="min-w-0 truncate font-semibold" title={title}>
          {title}
        </Heading>
        <Link
          to="/projects/$projectId"
          params={{ projectId: project.id }}
          className={`max-w-40 min-w-0 shrink-0 truncate text-sm text-quiet hover:text-ink ${onWide}`}
        >
          {project.name}
        </Link>
        {branch && (
          <span
            title={branch}
            className={`flex max-w-48 min-w-0 items-center gap-1 text-xs text-quiet ${onWide}`}
          >
            <BranchIcon />
            <span className="truncate font-mono">{branch}</span>
          </span>
        )}
        {lines && lines.added + lines.removed > 0 && (
          <span className={isColumn ? '' : 'max-md:hidden'}>
            <LineCounts {...lines} />
          </span>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-1">
          {actions}
          <IconButton label={words.details} aria-expanded={open} onClick={() => setOpen(!open)}>
            <BackIcon className={open ? 'rotate-90' : '-rotate-90'} />
          </IconButton>
          {onClose && (
            <IconButton label={columns.close(title)} onClick={onClose}>
              <CloseIcon />
            </IconButton>
          )}
        </span>
      </div>
      {open && <div className="flex flex-col gap-2 pb-3 text-sm">{children}</div>}
    </header>
  )
}
