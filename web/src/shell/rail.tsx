/** The left rail on wide screens: places, the projects, the connection, the person. */
import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import { useMay } from '../live/queries.ts'
import { MarkIcon, NowIcon, PlusIcon, SearchIcon, SettingsIcon } from '../parts/icons.tsx'
import { itemClass, MenuPopup } from '../parts/menu.tsx'
import { useWords } from '../translations/messages.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ConnectionDot } from './connection-strip.tsx'
import { navItems } from './nav-items.ts'
import { paletteKeys, usePalette } from './palette-opening.ts'
import { ProjectList } from './project-list.tsx'
import { WaitingBadge } from './waiting-badge.tsx'

const linkClass =
  'flex h-8 min-w-0 items-center gap-2.5 rounded-md px-2 text-quiet transition-colors hover:bg-hover hover:text-ink ' +
  'aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink'

export function Rail() {
  const words = useWords()
  const palette = usePalette()
  return (
    <header className="sticky top-0 flex h-dvh w-64 shrink-0 flex-col border-r border-line bg-rail px-3 py-3 max-md:hidden">
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
      <Link to="/" activeOptions={{ exact: true }} className={linkClass}>
        <NowIcon />
        {words.places.now}
        <WaitingBadge />
      </Link>
      <Projects />
      <div className="mt-2 flex items-center gap-1 border-t border-line pt-2">
        <AccountMenu />
        <ConnectionDot />
        <Places />
      </div>
    </header>
  )
}

/** What is set up once and seldom looked at: agents, people, channels, the system. */
function Places() {
  const { places: words, preferences } = useWords()
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={preferences.settings}
        title={preferences.settings}
        className="flex size-8 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-ink data-popup-open:bg-hover"
      >
        <SettingsIcon />
      </Menu.Trigger>
      <MenuPopup side="top">
        {navItems
          .filter(({ to }) => to !== '/')
          .map(({ to, name, Icon }) => (
            <Menu.LinkItem key={to} closeOnClick className={itemClass} render={<Link to={to} />}>
              <Icon className="text-quiet" />
              {words[name]}
            </Menu.LinkItem>
          ))}
      </MenuPopup>
    </Menu.Root>
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
