/**
 * The place Conversations (UI4): all of them by channel, search over all days, and beside the list
 * what was chosen from it.
 */
import { Link, Outlet, useMatchRoute, useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { buttonClass } from '../../parts/button.tsx'
import { inputClass } from '../../parts/field.tsx'
import { BackIcon, CalendarIcon } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { useWords } from '../../translations/messages.tsx'
import { ConversationList } from './conversation-list.tsx'
import { moveAmongLinks } from './move-among-links.ts'
import { SearchResults } from './search-results.tsx'

/** A pause in typing: then it is looked for. */
const typedMs = 200

export function ConversationsPage() {
  const { conversations: words } = useWords()
  const isChosen = useMatchRoute()({ to: '/conversations' }) === false
  // A note needs the room more than the list does.
  const onNotes = useMatchRoute()({ to: '/conversations/notes' }) !== false
  const { q } = useSearch({ from: '/shell/conversations' })
  const actions = !onNotes && (
    <Link to="/conversations/notes" search={{}} className={buttonClass('quiet')}>
      <CalendarIcon />
      {words.notes}
    </Link>
  )
  return (
    <Page
      title={onNotes ? words.notes : words.title}
      room="desk"
      actions={actions}
      above={
        onNotes && (
          <Link
            to="/conversations"
            className={buttonClass('quiet', '-ml-2 px-2')}
            aria-label={words.back}
          >
            <BackIcon />
          </Link>
        )
      }
    >
      <div className="flex min-h-0 flex-1 gap-6">
        <nav
          aria-label={words.list}
          onKeyDown={moveAmongLinks}
          className={`flex min-h-0 w-80 shrink-0 flex-col border-line md:border-r md:pr-4 max-md:w-full ${onNotes ? 'max-2xl:hidden' : isChosen ? 'max-md:hidden' : ''}`}
        >
          <SearchBox />
          <div className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1 pb-4">
            {q ? <SearchResults q={q} /> : <ConversationList />}
          </div>
        </nav>
        <div className={`flex min-h-0 min-w-0 flex-1 flex-col ${isChosen ? '' : 'max-md:hidden'}`}>
          <Outlet />
        </div>
      </div>
    </Page>
  )
}

export function NothingChosen() {
  const { conversations: words } = useWords()
  return <p className="m-auto max-w-sm text-center text-faint">{words.choose}</p>
}

/** Keeps the search text in the address, so that it can be shared and back and forward work. */
function SearchBox() {
  const { conversations: words } = useWords()
  const navigate = useNavigate()
  const { q = '' } = useSearch({ from: '/shell/conversations' })
  const [typed, setTyped] = useState(q)
  const [asked, setAsked] = useState(q)
  if (q !== asked) {
    // Somebody went back or forward, or followed a link.
    setAsked(q)
    if (q !== typed.trim()) setTyped(q)
  }
  const wanted = useDeferredValue(typed).trim()
  useEffect(() => {
    if (wanted === q) return
    const look = () =>
      void navigate({
        to: '.',
        search: ({ q: _, ...rest }) => (wanted ? { ...rest, q: wanted } : rest),
        replace: true,
      })
    const timer = setTimeout(look, typedMs)
    return () => clearTimeout(timer)
  }, [wanted, q, navigate])
  return (
    <search className="py-3">
      <input
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={typed}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        className={inputClass}
      />
    </search>
  )
}
