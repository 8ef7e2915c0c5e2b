/** A project: its name and the tabs of its parts. */
import { Link, Outlet, useMatch, useRouterState } from '@tanstack/react-router'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { useProjectWork } from '../live/work.ts'
import { Page, useTitle, wholeScreen } from '../parts/page.tsx'
import { useScrollToCurrent } from '../parts/scroll-to-current.ts'
import { Gone } from '../shell/not-found.tsx'
import type { Messages } from '../translations/en.ts'
import { useWords } from '../translations/messages.tsx'
import { useProject } from './use-project.ts'

const tabClass =
  'flex h-9 shrink-0 items-center border-b-2 border-transparent px-1 whitespace-nowrap text-quiet transition-colors ' +
  'hover:text-ink -outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink max-md:h-11'

const historyClass =
  'flex h-8 items-center rounded-md px-2.5 text-sm text-quiet hover:bg-hover aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink max-md:h-10'

const tabs = [
  { to: '/projects/$projectId', name: (words: Messages) => words.project.overview },
  { to: '/projects/$projectId/tasks', name: (words: Messages) => words.tasks.tab },
  { to: '/projects/$projectId/history', name: (words: Messages) => words.workSessions.tab },
  { to: '/projects/$projectId/chat', name: (words: Messages) => words.chat.tab },
  { to: '/projects/$projectId/all-sessions', name: (words: Messages) => words.console.tab },
  { to: '/projects/$projectId/settings', name: (words: Messages) => words.project.settings },
] as const

/** What was done in a project, by kind; the first is the tab History itself. */
const history = [
  { to: '/projects/$projectId/history', name: (words: Messages) => words.workSessions.work },
  { to: '/projects/$projectId/approaches', name: (words: Messages) => words.continuity.approaches },
  { to: '/projects/$projectId/approvals', name: (words: Messages) => words.approvals.tab },
] as const

export function ProjectPage() {
  const project = useProject()
  return project ? <OneProject project={project} /> : <MissingProject />
}

function OneProject({ project }: { project: Project }) {
  const words = useWords()
  // Followed on every tab: going to another one shows what is true now.
  useProjectWork(project.id)
  const chats = useMatch({ from: '/shell/projects/$projectId/chat/$agentId', shouldThrow: false })
  const onTasks = useMatch({ from: '/shell/projects/$projectId/tasks', shouldThrow: false })
  const onApproaches = useMatch({
    from: '/shell/projects/$projectId/approaches',
    shouldThrow: false,
  })
  const onReview = useMatch({
    from: '/shell/projects/$projectId/review/$worktreeId',
    shouldThrow: false,
  })
  const atDesk = useMatch({
    from: '/shell/projects/$projectId/console/$userSessionId',
    shouldThrow: false,
  })
  const talks = useMatch({ from: '/shell/projects/$projectId/session/$key', shouldThrow: false })
  const params = { projectId: project.id }
  const onHistory = useRouterState({
    select: ({ location }) => /\/(?:history|approaches|approvals)(?:\/|$)/.test(location.pathname),
  })
  // Not all tabs fit on a phone.
  const strip = useScrollToCurrent(useRouterState({ select: (state) => state.location.pathname }))
  // A session has the whole screen and a head of its own.
  if (chats || atDesk || talks || onReview) {
    return (
      <div className={`flex flex-col ${wholeScreen}`}>
        <Outlet />
      </div>
    )
  }
  return (
    <Page
      title={project.name}
      room={onTasks || onApproaches ? 'wide' : 'text'}
      tabs={
        <nav
          ref={strip}
          aria-label={words.project.tabs}
          className="-mb-px flex gap-4 overflow-x-auto overflow-y-hidden [scrollbar-width:none]"
        >
          {tabs.map(({ to, name }, index) => (
            <Link
              key={to}
              to={to}
              params={params}
              activeOptions={{ exact: index === 0 }}
              {...(onHistory && to === history[0].to && { 'aria-current': 'page' as const })}
              className={tabClass}
            >
              {name(words)}
            </Link>
          ))}
        </nav>
      }
    >
      {onHistory && (
        <nav aria-label={words.workSessions.tab} className="-mb-4 flex flex-wrap gap-1">
          {history.map(({ to, name }) => (
            <Link key={to} to={to} params={params} className={historyClass}>
              {name(words)}
            </Link>
          ))}
          <Link to="/conversations/notes" className={historyClass}>
            {words.conversations.notes}
          </Link>
        </nav>
      )}
      <Outlet />
    </Page>
  )
}

function MissingProject() {
  const words = useWords()
  useTitle(words.projects.missing)
  return <Gone title={words.projects.missing} text={words.projects.missingText} />
}
