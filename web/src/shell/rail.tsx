/** The left rail on wide screens: places, the projects, the connection, the person. */
import { Link } from '@tanstack/react-router'
import { useMay } from '../live/queries.ts'
import { MarkIcon, NowIcon, PlusIcon, SearchIcon, SettingsIcon } from '../parts/icons.tsx'
import { useWords } from '../translations/messages.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ConnectionDot } from './connection-strip.tsx'
import { paletteKeys, usePalette } from './palette-opening.ts'
import { PlacesMenu } from './places-menu.tsx'
import { ProjectList } from './project-list.tsx'
import { WaitingBadge } from './waiting-badge.tsx'

const linkClass =
  'flex h-8 min-w-0 items-center gap-2.5 rounded-md px-2 text-quiet transition-colors hover:bg-hover hover:text-ink ' +
  'aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink'

const keyClass = 'ml-auto font-sans text-xs text-faint'

export function Rail() {
  const words = useWords()
  const palette = usePalette()
  const mayWrite = useMay('write')
  return (
    <header className="sticky top-0 flex h-dvh w-64 shrink-0 flex-col border-r border-line bg-rail px-3 py-3 max-md:hidden">
      <div className="flex h-9 items-center gap-2 px-2 font-semibold">
        <MarkIcon className="size-5 text-accent" />
        {words.product}
      </div>
      <div className="mt-2 flex flex-col gap-px">
        {mayWrite && (
          <Link to="." search={(search) => ({ ...search, new: 'session' })} className={linkClass}>
            <PlusIcon />
            {words.now.newSession}
            <span aria-hidden="true" className={keyClass}>
              n
            </span>
          </Link>
        )}
        <button type="button" onClick={palette.show} className={linkClass}>
          <SearchIcon />
          {words.palette.open}
          <span aria-hidden="true" className={keyClass}>
            {paletteKeys}
          </span>
        </button>
        <Link to="/" activeOptions={{ exact: true }} className={linkClass}>
          <NowIcon />
          {words.places.now}
          <WaitingBadge />
        </Link>
      </div>
      <Projects />
      <div className="mt-2 flex items-center gap-1 border-t border-line pt-2">
        <AccountMenu />
        <ConnectionDot />
        <PlacesMenu
          side="top"
          label={words.preferences.settings}
          className="flex size-8 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-ink data-popup-open:bg-hover"
        >
          <SettingsIcon />
        </PlacesMenu>
      </div>
    </header>
  )
}

function Projects() {
  const words = useWords()
  const mayWrite = useMay('write')
  return (
    <>
      <div className="mt-3 mb-1 flex h-7 items-center justify-between pr-0.5 pl-2 text-sm font-medium text-faint">
        <Link to="/projects" activeOptions={{ exact: true }} className="rounded-md hover:text-ink">
          {words.places.projects}
        </Link>
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
      <ProjectList />
    </>
  )
}
