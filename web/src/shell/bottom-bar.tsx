/** The bottom bar on phones: the places, and the palette for everything else. */
import { Link } from '@tanstack/react-router'
import { SearchIcon } from '../parts/icons.tsx'
import { useWords } from '../translations/messages.tsx'
import { navItems } from './nav-items.ts'
import { usePalette } from './palette-opening.ts'
import { WaitingBadge } from './waiting-badge.tsx'

/**
 * The links that fit with their names; people and channels are in the palette, and seldom looked
 * for on a phone.
 */
const onPhones = navItems
  .filter(({ name }) => name !== 'people' && name !== 'channels')
  .map((item) =>
    item.name === 'conversations' ? ({ ...item, to: '/sessions', name: 'talks' } as const) : item,
  )

const itemClass =
  'flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-1 text-[0.6875rem] text-quiet -outline-offset-2 ' +
  'aria-[current=page]:text-accent aria-[current=page]:font-medium'

export function BottomBar() {
  const words = useWords()
  const palette = usePalette()
  return (
    <nav
      aria-label={words.places.label}
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-rail pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {onPhones.map(({ to, name, Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/' }} className={itemClass}>
          <span className="relative">
            <Icon className="size-5" />
            {to === '/' && <WaitingBadge corner />}
          </span>
          <span className="max-w-full truncate">{words.places[name]}</span>
        </Link>
      ))}
      <button type="button" onClick={palette.show} className={itemClass}>
        <SearchIcon className="size-5" />
        <span className="max-w-full truncate">{words.act.more}</span>
      </button>
    </nav>
  )
}
