/** The bottom bar on phones: Now, the sessions, a new one, search, and the other places. */
import { Link } from '@tanstack/react-router'
import { useMay } from '../live/queries.ts'
import { NowIcon, PlusIcon, SearchIcon, SettingsIcon, TalkIcon } from '../parts/icons.tsx'
import { useWords } from '../translations/messages.tsx'
import { usePalette } from './palette-opening.ts'
import { PlacesMenu } from './places-menu.tsx'
import { WaitingBadge } from './waiting-badge.tsx'

const itemClass =
  'flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-1 text-[0.6875rem] text-quiet -outline-offset-2 ' +
  'aria-[current=page]:text-accent aria-[current=page]:font-medium'
const nameClass = 'max-w-full truncate'

export function BottomBar() {
  const words = useWords()
  const palette = usePalette()
  const mayWrite = useMay('write')
  return (
    <nav
      aria-label={words.places.label}
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-rail pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <Link to="/" activeOptions={{ exact: true }} className={itemClass}>
        <span className="relative">
          <NowIcon className="size-5" />
          <WaitingBadge corner />
        </span>
        <span className={nameClass}>{words.places.now}</span>
      </Link>
      <Link to="/sessions" className={itemClass}>
        <TalkIcon className="size-5" />
        <span className={nameClass}>{words.places.talks}</span>
      </Link>
      {mayWrite && (
        <Link
          to="."
          search={(search) => ({ ...search, new: 'session' })}
          aria-label={words.now.newSession}
          className={itemClass}
        >
          <span className="flex size-9 items-center justify-center rounded-full bg-accent text-accent-ink">
            <PlusIcon className="size-5" />
          </span>
        </Link>
      )}
      <button type="button" onClick={palette.show} className={itemClass}>
        <SearchIcon className="size-5" />
        <span className={nameClass}>{words.now.search}</span>
      </button>
      <PlacesMenu side="top" className={itemClass}>
        <SettingsIcon className="size-5" />
        <span className={nameClass}>{words.act.more}</span>
      </PlacesMenu>
    </nav>
  )
}
