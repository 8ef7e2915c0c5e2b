/**
 * All sessions of a project, ended ones too, newest first: found by their titles, read on while one
 * scrolls.
 */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useDisplayName } from '../live/display-names.ts'
import { client } from '../live/queries.ts'
import { inputClass } from '../parts/field.tsx'
import { BranchIcon, ColumnsIcon } from '../parts/icons.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { type ListedView, viewsOf } from '../shell/listed-views.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { TalkLink } from './talk-link.tsx'
import { useTitleOf } from './titles.ts'

const pageSize = 100

export function AllTalks({ projectId }: { projectId: string }) {
  const { talks: words, things } = useWords()
  const titleOf = useTitleOf()
  const [typed, setTyped] = useState('')
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['sessions-of', projectId],
    queryFn: ({ pageParam, signal }) => {
      const query = { projectId, limit: pageSize, ...(pageParam !== null && { cursor: pageParam }) }
      return client.get('/api/conversations', { query, signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })
  const views = viewsOf(data?.pages.flatMap(({ items }) => items) ?? [], projectId)
  const wanted = typed.trim().toLowerCase()
  const shown = wanted
    ? views.filter((view) => (view.title ?? titleOf(view.key).title).toLowerCase().includes(wanted))
    : views
  const end = useRef<HTMLDivElement>(null)
  const more = hasNextPage && !isFetching
  // What is looked for may be on any page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each page its end may still be in sight
  useEffect(() => {
    if (!more || !end.current) return
    if (wanted) return void fetchNextPage()
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && void fetchNextPage(),
      { rootMargin: '600px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [more, wanted, views.length, fetchNextPage])
  return (
    <Section
      title={words.title}
      note={views.length > 0 && `${views.length}${hasNextPage ? '+' : ''}`}
      actions={
        <input
          type="search"
          value={typed}
          aria-label={words.find}
          placeholder={words.find}
          onChange={(event) => setTyped(event.target.value)}
          className={`${inputClass} w-56 py-1!`}
        />
      }
    >
      {!data && error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error && <Waiting what={things.talks} onRetry={() => void refetch()} />}
      {data && shown.length === 0 && !isFetching && (
        <p className="text-faint">{wanted ? words.noMatch : words.none}</p>
      )}
      {shown.length > 0 && (
        <Rows label={words.title}>
          {shown.map((view) => (
            <TalkRow key={view.id} view={view} />
          ))}
        </Rows>
      )}
      <div ref={end} />
    </Section>
  )
}

function TalkRow({ view }: { view: ListedView }) {
  const words = useWords()
  const titleOf = useTitleOf()
  const nameOf = useDisplayName()
  const name = view.title ?? titleOf(view.key).title
  const title = view.isFork ? words.files.forkName(name) : name
  return (
    <li className="list-row" data-view={view.id}>
      <TalkLink
        conversationKey={view.key}
        projectId={view.projectId}
        className="-mx-2 flex min-h-10 min-w-0 items-center gap-x-3 rounded-md px-2 -outline-offset-2 hover:bg-hover max-md:min-h-11"
        title={title}
      >
        <StateDot state={view.state} />
        <span className="sr-only">{words.console.states[view.state]}: </span>
        <span className={`min-w-0 flex-1 truncate ${view.isUnread ? 'font-semibold' : ''}`}>
          {title}
        </span>
        {view.isUnread && <span className="sr-only">{words.places.unread}</span>}
        {view.isFork && <BranchIcon />}
        {view.roles > 1 && <ColumnsIcon className="size-3.5 text-faint" />}
        <span className="min-w-0 shrink-0 truncate text-sm text-quiet max-sm:hidden">
          {view.agents.map(nameOf).join(', ')}
        </span>
        <span className="w-24 shrink-0 text-right text-sm text-faint max-md:hidden">
          {words.console.states[view.state]}
        </span>
        <Ago
          at={view.at}
          className="shrink-0 text-right whitespace-nowrap sm:w-28 text-sm text-faint tabular-nums"
        />
      </TalkLink>
    </li>
  )
}
