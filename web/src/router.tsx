/** The places of the page and their addresses. Each place is loaded when it is first visited. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { isInternalPath } from './access/internal-path.ts'
import { lazyRoute, loadOnce } from './lazy-route.tsx'
import { load, loadWhenVisited } from './route-files.ts'
import { mostColumns } from './shell/listed-views.ts'
import { NotFound } from './shell/not-found.tsx'
import { PageError } from './shell/page-error.tsx'
import { Shell } from './shell/shell.tsx'
import { filterOf, type TaskFilter } from './work/task-filter.ts'

/** Things that can be created from anywhere, in a dialog over the page with its own address. */
export const creations = [
  'session',
  'import',
  'project',
  'agent',
  'person',
  'token',
  'editor',
  'vscode',
  'phone',
] as const
export type Creation = (typeof creations)[number]

interface AnySearch {
  new?: Creation
  /** The project that a new session is to be in. */
  in?: string
}

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: PageError,
  validateSearch: (search): AnySearch => {
    const found = creations.find((each) => each === search['new'])
    const project = search['in']
    if (!found) return {}
    return { new: found, ...(typeof project === 'string' && { in: project }) }
  },
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { to?: string } =>
    isInternalPath(search['to']) ? { to: search['to'] } : {},
  component: lazyRoute(
    loadOnce(() => import('./access/sign-in-page.tsx')),
    'SignInPage',
  ),
})

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

const now = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRoute(load.now, 'NowPage'),
})
const project = createRoute({
  getParentRoute: () => shell,
  path: '/projects/$projectId',
  component: lazyRoute(load.project, 'ProjectPage'),
})
const projects = createRoute({
  getParentRoute: () => shell,
  path: '/projects',
  component: lazyRoute(loadWhenVisited.projects, 'ProjectsPage'),
})
const projectOverview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRoute(load.projectOverview, 'ProjectOverview'),
})
const projectSettings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyRoute(loadWhenVisited.projectSettings, 'ProjectSettings'),
})
const projectChat = createRoute({
  getParentRoute: () => project,
  path: '/chat',
  component: lazyRoute(loadWhenVisited.chat, 'ChatPage'),
})
const agentChat = createRoute({
  getParentRoute: () => project,
  path: '/chat/$agentId',
  component: lazyRoute(loadWhenVisited.chat, 'AgentChatPage'),
})
const talk = createRoute({
  getParentRoute: () => project,
  path: '/session/$key',
  component: lazyRoute(loadWhenVisited.talk, 'TalkPage'),
})
const columns = createRoute({
  getParentRoute: () => shell,
  path: '/columns',
  validateSearch: ({ keys }): { keys: string[] } => ({
    keys: (Array.isArray(keys) ? keys : [])
      .filter((key) => typeof key === 'string')
      .slice(0, mostColumns),
  }),
  component: lazyRoute(loadWhenVisited.talk, 'ColumnsPage'),
})
const projectTasks = createRoute({
  getParentRoute: () => project,
  path: '/tasks',
  validateSearch: (search): TaskFilter & { task?: string } => ({
    ...filterOf(search),
    ...(typeof search['task'] === 'string' && { task: search['task'] }),
  }),
  component: lazyRoute(load.tasks, 'TasksPage'),
})
const projectApprovals = createRoute({
  getParentRoute: () => project,
  path: '/approvals',
  component: lazyRoute(loadWhenVisited.approvals, 'ApprovalsPage'),
})
const projectWorkSessions = createRoute({
  getParentRoute: () => project,
  path: '/history',
  component: lazyRoute(loadWhenVisited.workSessions, 'WorkSessionsPage'),
})
const workSession = createRoute({
  getParentRoute: () => project,
  path: '/history/$workSessionId',
  component: lazyRoute(loadWhenVisited.workSession, 'WorkSessionPage'),
})
const projectApproaches = createRoute({
  getParentRoute: () => project,
  path: '/approaches',
  component: lazyRoute(loadWhenVisited.approaches, 'ApproachesPage'),
})
const projectConsole = createRoute({
  getParentRoute: () => project,
  path: '/all-sessions',
  component: lazyRoute(loadWhenVisited.console, 'ConsolePage'),
})
const userSession = createRoute({
  getParentRoute: () => project,
  path: '/console/$userSessionId',
  component: lazyRoute(loadWhenVisited.userSession, 'UserSessionPage'),
})
const review = createRoute({
  getParentRoute: () => project,
  path: '/review/$worktreeId',
  validateSearch: ({ turn, view }): { turn?: string; view?: 'uncommitted' | 'since' } => ({
    ...(typeof turn === 'string' && { turn }),
    ...((view === 'uncommitted' || view === 'since') && { view }),
  }),
  component: lazyRoute(loadWhenVisited.review, 'ReviewPage'),
})
interface ConversationsSearch {
  q?: string
  channel?: string
}

const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversations',
  validateSearch: ({ q, channel }): ConversationsSearch => ({
    ...(q !== undefined && q !== '' && { q: String(q) }),
    ...(typeof channel === 'string' && { channel }),
  }),
  component: lazyRoute(loadWhenVisited.conversations, 'ConversationsPage'),
})
const noConversation = createRoute({
  getParentRoute: () => conversations,
  path: '/',
  component: lazyRoute(loadWhenVisited.conversations, 'NothingChosen'),
})
const notes = createRoute({
  getParentRoute: () => conversations,
  path: '/notes',
  validateSearch: ({ month, day }): { month?: string; day?: string } => ({
    ...(/^\d{4}-\d{2}$/.test(String(month)) && { month: String(month) }),
    ...(/^\d{4}-\d{2}-\d{2}$/.test(String(day)) && { day: String(day) }),
  }),
  component: lazyRoute(loadWhenVisited.notes, 'NotesPage'),
})
const conversation = createRoute({
  getParentRoute: () => conversations,
  path: '/$key',
  validateSearch: ({ at }): { at?: number } =>
    Number.isSafeInteger(at) ? { at: at as number } : {},
  component: lazyRoute(loadWhenVisited.conversation, 'ConversationPage'),
})
const talks = createRoute({
  getParentRoute: () => shell,
  path: '/sessions',
  component: lazyRoute(loadWhenVisited.talks, 'TalksPage'),
})
const agents = createRoute({
  getParentRoute: () => shell,
  path: '/agents',
  component: lazyRoute(loadWhenVisited.agents, 'AgentsPage'),
})
const agent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/$agentId',
  component: lazyRoute(loadWhenVisited.agent, 'AgentPage'),
})
const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  component: lazyRoute(loadWhenVisited.people, 'PeoplePage'),
})
const system = createRoute({
  getParentRoute: () => shell,
  path: '/system',
  validateSearch: (search): { launch?: string } =>
    typeof search['launch'] === 'string' ? { launch: search['launch'] } : {},
  component: lazyRoute(loadWhenVisited.system, 'SystemPage'),
})

const channels = createRoute({
  getParentRoute: () => shell,
  path: '/channels',
  component: lazyRoute(loadWhenVisited.channels, 'ChannelsPage'),
})

/** Addresses of earlier versions, which people have kept: each leads on to what is there now. */
const moved = [
  createRoute({
    getParentRoute: () => project,
    path: '/sessions',
    beforeLoad: ({ params }) => leadOn({ to: '/projects/$projectId/history', params }),
  }),
  createRoute({
    getParentRoute: () => project,
    path: '/sessions/$workSessionId',
    beforeLoad: ({ params }) =>
      leadOn({ to: '/projects/$projectId/history/$workSessionId', params }),
  }),
  createRoute({
    getParentRoute: () => project,
    path: '/console',
    beforeLoad: ({ params }) => leadOn({ to: '/projects/$projectId/all-sessions', params }),
  }),
  createRoute({
    getParentRoute: () => project,
    path: '/talk/$key',
    beforeLoad: ({ params }) => leadOn({ to: '/projects/$projectId/session/$key', params }),
  }),
] as const
const movedTalks = createRoute({
  getParentRoute: () => shell,
  path: '/talks',
  beforeLoad: () => leadOn({ to: '/sessions' }),
})

const leadOn: typeof redirect = (where) => {
  throw redirect({ ...where, replace: true })
}

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([
    now,
    projects,
    project.addChildren([
      projectOverview,
      projectTasks,
      projectWorkSessions,
      workSession,
      projectApprovals,
      projectApproaches,
      projectChat,
      agentChat,
      talk,
      projectConsole,
      userSession,
      review,
      projectSettings,
      ...moved,
    ]),
    conversations.addChildren([noConversation, notes, conversation]),
    talks,
    movedTalks,
    columns,
    agents,
    agent,
    people,
    system,
    channels,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // The page waits in its own way (parts/waiting.tsx).
  defaultPendingMs: 300,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
