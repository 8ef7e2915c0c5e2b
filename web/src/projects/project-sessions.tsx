/**
 * The sessions of a project by day, ended and archived ones too: found by title, state and agent,
 * read on while one scrolls.
 */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { TalkLink } from '../conversations/thread/talk-link.tsx'
import { useTitleOf } from '../conversations/titles.ts'
import { useDisplayName } from '../live/display-names.ts'
import { client, useHome } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { Button } from '../parts/button.tsx'
import { Choice } from '../parts/choice.tsx'
import { inputClass } from '../parts/field.tsx'
import { BranchIcon, ColumnsIcon } from '../parts/icons.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { describeProblem, ProblemNote } from '../parts/problem-note.tsx'
import { tickingClock } from '../parts/ticking-clock.ts'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { type ListedView, viewsOf } from '../shell/listed-views.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { CloseSession } from '../worktrees/close-session.tsx'
import { byDay, type DayName } from './days.ts'

const pageSize = 100
const useNow = tickingClock(60_000)

type Shown = 'open' | 'archived'

export function ProjectSessions({ projectId }: { projectId: string }) {
  const { talks: words, things, now } = useWords()
  const home = useHome()
  const current = useNow()
  const titleOf = useTitleOf()
  const [typed, setTyped] = useState('')
  const [shownState, setShownState] = useState<Shown>('open')
  const [agentId, setAgentId] = useState('')
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['sessions-of', projectId, shownState, agentId],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        projectId,
        limit: pageSize,
        ...(shownState === 'archived' && { archived: true }),
        ...(agentId && { agentId }),
        ...(pageParam !== null && { cursor: pageParam }),
      }
      return client.get('/api/conversations', { query, signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  })
  const agents = (home?.agents ?? []).filter(({ projectIds }) => projectIds.includes(projectId))
  const writing = useWriting()
  const dayName = (name: DayName) =>
    typeof name === 'string' ? now.days[name] : writing.month(`${name.month}-15`)
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
        <div className="flex flex-wrap items-center gap-1">
          <Choice
            label={now.state}
            value={shownState}
            values={[
              { id: 'open', name: now.states.open },
              { id: 'archived', name: now.states.archived },
            ]}
            disabled={false}
            onValue={(value) => setShownState(value as Shown)}
          />
          {agents.length > 1 && (
            <Choice
              label={now.byAgent}
              value={agentId}
              values={[{ id: '', name: now.everyAgent }, ...agents]}
              disabled={false}
              onValue={setAgentId}
            />
          )}
          <input
            type="search"
            value={typed}
            aria-label={words.find}
            placeholder={words.find}
            onChange={(event) => setTyped(event.target.value)}
            className={`${inputClass} w-56 py-1!`}
          />
        </div>
      }
    >
      {!data && error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error && <Waiting what={things.talks} onRetry={() => void refetch()} />}
      {data && shown.length === 0 && !isFetching && (
        <p className="text-faint">{wanted ? words.noMatch : words.none}</p>
      )}
      {shown.length > 0 && (
        <div className="flex flex-col gap-4">
          {byDay(shown, current).map(({ name, items }) => (
            <section key={JSON.stringify(name)} aria-label={dayName(name)}>
              <h3 className="mb-1 text-sm font-semibold">{dayName(name)}</h3>
              <Rows label={dayName(name)}>
                {items.map((view) => (
                  <TalkRow key={view.id} view={view} isArchived={shownState === 'archived'} />
                ))}
              </Rows>
            </section>
          ))}
        </div>
      )}
      <div ref={end} />
    </Section>
  )
}

function TalkRow({ view, isArchived }: { view: ListedView; isArchived: boolean }) {
  const words = useWords()
  const titleOf = useTitleOf()
  const nameOf = useDisplayName()
  const name = view.title ?? titleOf(view.key).title
  const title = view.isFork ? words.files.forkName(name) : name
  return (
    <li className="list-row flex items-center gap-x-1" data-view={view.id}>
      <TalkLink
        conversationKey={view.key}
        projectId={view.projectId}
        className="-ml-2 flex min-h-10 min-w-0 flex-1 items-center gap-x-3 rounded-md px-2 -outline-offset-2 hover:bg-hover max-md:min-h-11"
        title={title}
      >
        <StateDot state={view.state} />
        <span className="sr-only">{words.console.states[view.state]}: </span>
        <span
          dir="auto"
          className={`min-w-0 flex-1 truncate ${view.isUnread ? 'font-semibold' : ''}`}
        >
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
      {view.canClose && (
        <CloseSession conversationKey={view.key} projectId={view.projectId} title={title} />
      )}
      {!view.userSessionId && <Archive view={view} isArchived={isArchived} />}
    </li>
  )
}

/** Out of one's own lists until something is said in it; at once, with the way back. */
function Archive({ view, isArchived }: { view: ListedView; isArchived: boolean }) {
  const words = useWords()
  const { now } = words
  const titleOf = useTitleOf()
  const title = view.title ?? titleOf(view.key).title
  const set = async (archived: boolean): Promise<void> => {
    try {
      const params = { key: view.key }
      await client.patch('/api/conversations/{key}', { params, body: { archived } })
      refreshRecent(view.key)
      notify(archived ? now.taken.archived : now.broughtBack, () => void set(!archived))
    } catch (error) {
      notify(describeProblem(error, words).title)
    }
  }
  return (
    <Button
      look="quiet"
      className="min-h-7 px-2 text-sm"
      aria-label={isArchived ? now.bringBackName(title) : now.archiveName(title)}
      onClick={() => void set(!isArchived)}
    >
      {isArchived ? now.bringBack : now.archive}
    </Button>
  )
}
