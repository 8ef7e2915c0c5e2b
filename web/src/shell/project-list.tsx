/**
 * The projects by activity, each with its sessions that need somebody or are newest (UI1): their
 * state by shape, title, age, and whether something is unread.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { useTitleOf } from '../conversations/titles.ts'
import { useHome, useMay } from '../live/queries.ts'
import { mostListed, recent } from '../live/recent.ts'
import { useFirstRun } from '../now/use-first-run.ts'
import { BackIcon, BranchIcon, ColumnsIcon, PlusIcon } from '../parts/icons.tsx'
import { tickingClock } from '../parts/ticking-clock.ts'
import { useWords, useWriting } from '../translations/messages.tsx'
import { hasAgent, type ListedView, viewsOf } from './listed-views.ts'
import { byActivity, inOrderOf, isQuiet, type ListedProject, shownViews } from './sidebar-order.ts'
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
  const { folded, toggle } = useFolded()
  const { listed, complete, steady } = useListedProjects()
  const isOpen = useIsOpen()
  const [quietShown, setQuietShown] = useState(false)
  const now = useNow()
  const isFoldedAway = (each: ListedProject) => isQuiet(each, now) && !each.views.some(isOpen)
  const quiet = listed.filter(isFoldedAway)
  const nav = useRef<HTMLElement>(null)
  useOpenInSight(nav)
  const shown = (each: ListedProject) => (
    <OneProject
      key={each.project.id}
      project={each.project}
      views={each.views}
      isOpen={isOpen}
      hasAll={complete}
      isFolded={folded.includes(each.project.id)}
      onToggle={() => toggle(each.project.id)}
    />
  )
  return (
    <nav
      ref={nav}
      aria-label={words.places.projects}
      className="flex min-h-0 flex-1 flex-col overflow-y-auto pb-1"
      {...steady}
    >
      <ul className="flex flex-col gap-1">
        {listed.filter((each) => !isFoldedAway(each)).map(shown)}
        {quietShown && quiet.map(shown)}
      </ul>
      {quiet.length > 0 && (
        <button
          type="button"
          aria-expanded={quietShown}
          onClick={() => setQuietShown(!quietShown)}
          className="mt-1 flex h-8 items-center gap-1 rounded-md px-1 text-sm text-faint hover:bg-hover hover:text-ink max-md:h-11"
        >
          <BackIcon className={`size-3.5 ${quietShown ? '-rotate-90' : 'rotate-180'}`} />
          {words.now.quiet(quiet.length)}
        </button>
      )}
    </nav>
  )
}

/** By activity; the order changes only while neither pointer nor focus is in the list. */
function useListedProjects() {
  const home = useHome()
  const firstRun = useFirstRun()
  const hidden = firstRun?.hasRun === false ? firstRun.demo?.project.id : undefined
  const known = useQuery({ ...recent, enabled: home !== undefined }).data ?? []
  const [held, setHeld] = useState(false)
  const order = useRef<readonly string[]>([])
  const projects = (home?.projects ?? []).filter(({ id }) => id !== hidden)
  const each = projects.map((project): ListedProject => {
    const views = viewsOf(known, project.id)
    const at = [project.createdAt, ...views.map((view) => view.at)].reduce((a, b) =>
      a > b ? a : b,
    )
    return { project, views, at }
  })
  const listed = held ? inOrderOf(order.current, each) : byActivity(each)
  order.current = listed.map(({ project }) => project.id)
  const steady = {
    onPointerEnter: () => setHeld(true),
    onPointerLeave: () => setHeld(false),
    onFocus: () => setHeld(true),
    onBlur: () => setHeld(false),
  }
  return { listed, complete: known.length < mostListed, steady }
}

/** Whether a view is the one that is open. */
function useIsOpen(): (view: ListedView) => boolean {
  const { key, projectId, agentId, userSessionId } = useParams({ strict: false })
  return (view) =>
    userSessionId !== undefined
      ? view.userSessionId === userSessionId
      : view.key === (key ?? (agentId && projectId ? `web:${projectId}.${agentId}` : undefined))
}

function useOpenInSight(nav: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session is open at another address
  useEffect(() => {
    nav.current
      ?.querySelector('[data-view] [aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest' })
  }, [path, nav])
}

interface OneProjectProps {
  readonly project: Project
  readonly views: readonly ListedView[]
  readonly isOpen: (view: ListedView) => boolean
  /** The views are all there are. */
  readonly hasAll: boolean
  readonly isFolded: boolean
  readonly onToggle: () => void
}

const rowClass =
  'relative flex h-7.5 min-w-0 items-center gap-2 rounded-md pr-2 text-sm text-quiet hover:bg-hover hover:text-ink max-md:h-11 ' +
  'aria-[current=page]:bg-hover aria-[current=page]:text-ink aria-[current=page]:before:absolute aria-[current=page]:before:inset-y-0 ' +
  'aria-[current=page]:before:left-0 aria-[current=page]:before:w-0.5 aria-[current=page]:before:bg-accent'

function OneProject({ project, views, isOpen, hasAll, isFolded, onToggle }: OneProjectProps) {
  const words = useWords()
  const mayWrite = useMay('write')
  const shown = isFolded ? views.filter(isOpen) : shownViews(views, isOpen)
  const count = (state: 'waiting' | 'working') =>
    views.filter((each) => each.state === state).length
  return (
    <li>
      <div className="group flex h-8 items-center gap-1 max-md:h-11">
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
        {hasAll && views.length > 0 && !isFolded && (
          <span className="text-xs text-faint tabular-nums">
            <span aria-hidden="true">{views.length}</span>
            <span className="sr-only">{words.now.total(views.length)}</span>
          </span>
        )}
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
        {mayWrite && project.agentIds.length > 0 && (
          <Link
            to="."
            search={(search) => ({ ...search, new: 'session', in: project.id })}
            aria-label={words.now.newIn(project.name)}
            title={words.now.newIn(project.name)}
            className="rounded-md p-1 text-faint opacity-0 group-hover:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 max-md:opacity-100"
          >
            <PlusIcon className="size-3.5" />
          </Link>
        )}
      </div>
      {shown.length > 0 && (
        <ul className="flex flex-col">
          {shown.map((view) => (
            <ViewRow key={view.id} view={view} />
          ))}
          {!isFolded && views.length > shown.length && (
            <li>
              <Link
                to="/projects/$projectId/all-sessions"
                params={{ projectId: project.id }}
                className={`${rowClass} pl-8`}
              >
                {hasAll ? words.places.allViews(views.length) : words.now.allOfThem}
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
      <span
        dir="auto"
        className={`min-w-0 flex-1 truncate ${view.isUnread ? 'font-semibold text-ink' : ''}`}
      >
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
