/** The places of the page and their addresses. Each place is loaded when it is first visited. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { Stumbled } from './shell/stumbled.tsx'

/** What can be created from anywhere: the dialog lies over the page and has an address of its own. */
export const creations = ['project', 'agent', 'person', 'token'] as const
export type Creation = (typeof creations)[number]

interface AnySearch {
  new?: Creation
}

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: Stumbled,
  validateSearch: (search): AnySearch => {
    const found = creations.find((each) => each === search['new'])
    return found ? { new: found } : {}
  },
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { to?: string } => (isOurPath(search['to']) ? { to: search['to'] } : {}),
  component: lazyRouteComponent(() => import('./sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

const now = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./now/now-page.tsx'), 'NowPage'),
})
const project = createRoute({
  getParentRoute: () => shell,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('./project/project-page.tsx'), 'ProjectPage'),
})
const projectOverview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('./project/project-overview.tsx'), 'ProjectOverview'),
})
const projectSettings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyRouteComponent(() => import('./project/project-settings.tsx'), 'ProjectSettings'),
})
const agents = createRoute({
  getParentRoute: () => shell,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents/agents-page.tsx'), 'AgentsPage'),
})
const agent = createRoute({
  getParentRoute: () => shell,
  path: '/agents/$agentId',
  component: lazyRouteComponent(() => import('./agents/agent-page.tsx'), 'AgentPage'),
})
const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
})
const system = createRoute({
  getParentRoute: () => shell,
  path: '/system',
  component: lazyRouteComponent(() => import('./system/system-page.tsx'), 'SystemPage'),
})

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([now, project.addChildren([projectOverview, projectSettings]), agents, agent, people, system]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // The page waits in its own way (parts/waiting.tsx).
  defaultPendingMs: 300,
})

/** An address inside the page, never somebody else's. */
export const isOurPath = (path: unknown): path is string =>
  typeof path === 'string' && path.startsWith('/') && !path.startsWith('//') && !path.startsWith('/\\')

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
