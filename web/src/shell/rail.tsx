/** The left rail on wide screens: places, the projects, the connection, the person. */
import { Link } from '@tanstack/react-router'
import { useHome, useMay } from '../live/queries.ts'
import { MarkIcon, PlusIcon, ProjectIcon, SearchIcon } from '../parts/icons.tsx'
import { useWords } from '../translations/messages.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ConnectionDot } from './connection-strip.tsx'
import { navItems } from './nav-items.ts'
import { paletteKeys, usePalette } from './palette-opening.ts'
import { WaitingBadge } from './waiting-badge.tsx'

const linkClass =
  'flex h-8 min-w-0 items-center gap-2.5 rounded-md px-2 text-quiet transition-colors hover:bg-hover hover:text-ink ' +
  'aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink'

export function Rail() {
  const words = useWords()
  const palette = usePalette()
  return (
    <header className="sticky top-0 flex h-dvh w-60 shrink-0 flex-col border-r border-line bg-rail px-3 py-3 max-md:hidden">
      <div className="flex h-9 items-center gap-2 px-2 font-semibold">
        <MarkIcon className="size-5 text-accent" />
        {words.product}
      </div>
      <button
        type="button"
        onClick={palette.show}
        className="mt-2 mb-3 flex h-8 items-center gap-2.5 rounded-md bg-canvas px-2 text-faint shadow-[inset_0_0_0_1px_var(--edge)] transition-colors hover:text-ink"
      >
        <SearchIcon />
        <span className="flex-1 text-left">{words.palette.open}</span>
        <kbd className="font-sans text-xs">{paletteKeys}</kbd>
      </button>
      <nav aria-label={words.places.label} className="flex min-h-0 flex-1 flex-col">
        <ul className="flex flex-col gap-0.5">
          {navItems.map(({ to, name, Icon }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/' }} className={linkClass}>
                <Icon />
                {words.places[name]}
                {to === '/' && <WaitingBadge />}
              </Link>
            </li>
          ))}
        </ul>
        <Projects />
      </nav>
      <div className="mt-2 flex items-center gap-1 border-t border-line pt-2">
        <AccountMenu />
        <ConnectionDot />
      </div>
    </header>
  )
}

function Projects() {
  const words = useWords()
  const home = useHome()
  const mayWrite = useMay('write')
  return (
    <>
      <div className="mt-5 mb-1 flex h-7 items-center justify-between pr-0.5 pl-2 text-sm font-medium text-faint">
        {words.places.projects}
        {mayWrite && (
          <Link
            to="."
            search={{ new: 'project' }}
            aria-label={words.projects.new}
            title={words.projects.new}
            className="rounded-md p-1 text-quiet transition-colors hover:bg-hover hover:text-ink"
          >
            <PlusIcon />
          </Link>
        )}
      </div>
      {/* The list scrolls by keyboard through its links. */}
      <ul className="-mx-1 flex min-h-0 flex-col gap-0.5 overflow-y-auto px-1 pb-1">
        {home?.projects.map((project) => (
          <li key={project.id}>
            <Link to="/projects/$projectId" params={{ projectId: project.id }} className={linkClass} title={project.name}>
              <ProjectIcon />
              <span className="truncate">{project.name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
