/**
 * The projects, each with its sessions that are live or newest (UI1): their state by shape, title,
 * age, and whether something is unread.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { useTitleOf } from '../conversations/titles.ts'
import { useHome } from '../live/queries.ts'
import { recent } from '../live/recent.ts'
import { BackIcon, BranchIcon, ColumnsIcon } from '../parts/icons.tsx'
import { tickingClock } from '../parts/ticking-clock.ts'
import { useWords, useWriting } from '../translations/messages.tsx'
import { hasAgent, type ListedView, viewsOf } from './listed-views.ts'
import { StateDot } from './state-dot.tsx'

const useNow = tickingClock(30_000)
const storageKey = 'holdfast.folded'

/** Which projects are folded, kept in this browser. */
function useFolded() {
  const [folded, setFolded] = useState<readonly string[]>(() => {
    try {
      return JSON.parse(localStorage.getItem(storageKey) ?? '[]') as string[]
    } catch {
      return []
    }
  })
  const toggle = (id: string) => {
    const next = folded.includes(id) ? folded.filter((each) => each !== id) : [...folded, id]
    setFolded(next)
    try {
      localStorage.setItem(storageKey, JSON.stringify(next))
    } catch {
      // Without storage they are unfolded on the next visit.
    }
  }
  return { folded, toggle }
}

export function ProjectList() {
  const words = useWords()
  const home = useHome()
  const listed = useQuery({ ...recent, enabled: home !== undefined }).data ?? []
  const { folded, toggle } = useFolded()
  return (
    <nav
      aria-label={words.places.projects}
      className="flex min-h-0 flex-1 flex-col overflow-y-auto pb-1"
    >
      <ul className="flex flex-col gap-1">
        {home?.projects.map((project) => (
          <OneProject
            key={project.id}
            project={project}
            views={viewsOf(listed, project.id)}
            isFolded={folded.includes(project.id)}
            onToggle={() => toggle(project.id)}
          />
        ))}
      </ul>
    </nav>
  )
}

interface OneProjectProps {
  readonly project: Project
  readonly views: readonly ListedView[]
  readonly isFolded: boolean
  readonly onToggle: () => void
}

const rowClass =
  'relative flex h-7.5 min-w-0 items-center gap-2 rounded-md pr-2 text-sm text-quiet hover:bg-hover hover:text-ink max-md:h-11 ' +
  'aria-[current=page]:bg-hover aria-[current=page]:text-ink aria-[current=page]:before:absolute aria-[current=page]:before:inset-y-0 ' +
  'aria-[current=page]:before:left-0 aria-[current=page]:before:w-0.5 aria-[current=page]:before:bg-accent'

/** Sessions of a project that are shown unless more are live. */
const mostShown = 5

function OneProject({ project, views, isFolded, onToggle }: OneProjectProps) {
  const words = useWords()
  const live = views.filter(({ isLive }) => isLive)
  const shown = [...live, ...views.filter(({ isLive }) => !isLive)].slice(
    0,
    Math.max(mostShown, live.length),
  )
  const count = (state: 'waiting' | 'working') =>
    views.filter((each) => each.state === state).length
  return (
    <li>
      <div className="flex h-8 items-center gap-1 max-md:h-11">
        <button
          type="button"
          aria-expanded={!isFolded}
          aria-label={words.places.fold(project.name)}
          onClick={onToggle}
          className="rounded-md p-1 text-faint hover:bg-hover hover:text-ink"
        >
          <BackIcon className={`size-3.5 ${isFolded ? 'rotate-180' : '-rotate-90'}`} />
        </button>
        <Link
          to="/projects/$projectId"
          params={{ projectId: project.id }}
          activeOptions={{ exact: true }}
          title={project.name}
          className="min-w-0 flex-1 truncate rounded-md px-1 py-1 text-sm font-medium text-ink hover:bg-hover aria-[current=page]:bg-hover"
        >
          {project.name}
        </Link>
        {isFolded &&
          (['waiting', 'working'] as const).map(
            (state) =>
              count(state) > 0 && (
                <span
                  key={state}
                  className="flex items-center gap-1 text-xs text-quiet tabular-nums"
                >
                  <StateDot state={state} />
                  <span className="sr-only">{words.console.states[state]}</span>
                  {count(state)}
                </span>
              ),
          )}
      </div>
      {!isFolded && (
        <ul className="flex flex-col">
          {shown.map((view) => (
            <ViewRow key={view.id} view={view} />
          ))}
          {views.length > shown.length && (
            <li>
              <Link
                to="/projects/$projectId/all-sessions"
                params={{ projectId: project.id }}
                className={`${rowClass} pl-8`}
              >
                {words.places.allViews(views.length)}
              </Link>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function ViewRow({ view }: { view: ListedView }) {
  const words = useWords()
  const writing = useWriting()
  const now = useNow()
  const titleOf = useTitleOf()
  const name = view.title ?? titleOf(view.key).title
  const title = view.isFork ? words.files.forkName(name) : name
  const inside = (
    <>
      <StateDot state={view.state} />
      <span className="sr-only">{words.console.states[view.state]}: </span>
      <span className={`min-w-0 flex-1 truncate ${view.isUnread ? 'font-semibold text-ink' : ''}`}>
        {title}
      </span>
      {view.roles > 1 && <ColumnsIcon className="size-3.5 text-faint" />}
      {view.isFork && <BranchIcon />}
      {view.isUnread && (
        <>
          <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-accent" />
          <span className="sr-only">{words.places.unread}</span>
        </>
      )}
      <time
        aria-hidden="true"
        dateTime={view.at}
        title={writing.exact(view.at)}
        className="shrink-0 text-xs text-faint tabular-nums"
      >
        {writing.age(view.at, now)}
      </time>
    </>
  )
  const { projectId, agentId, userSessionId, key } = view
  const more = { className: `${rowClass} pl-3.5`, title }
  return (
    <li data-view={view.id}>
      {userSessionId ? (
        <Link
          to="/projects/$projectId/console/$userSessionId"
          params={{ projectId, userSessionId }}
          {...more}
        >
          {inside}
        </Link>
      ) : agentId ? (
        <Link to="/projects/$projectId/chat/$agentId" params={{ projectId, agentId }} {...more}>
          {inside}
        </Link>
      ) : hasAgent(key) ? (
        <Link to="/projects/$projectId/session/$key" params={{ projectId, key }} {...more}>
          {inside}
        </Link>
      ) : (
        <Link to="/conversations/$key" params={{ key }} {...more}>
          {inside}
        </Link>
      )}
    </li>
  )
}
