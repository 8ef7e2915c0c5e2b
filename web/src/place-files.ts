/** The files of the places, fetched when they are needed or when there is time. */
import { loadMarkdown } from './markdown/said.tsx'
import { reachable } from './place.tsx'

export const load = {
  now: reachable(() => import('./now/now-page.tsx')),
  project: reachable(() => import('./project/project-page.tsx')),
  projectOverview: reachable(() => import('./project/project-overview.tsx')),
  chat: reachable(() => import('./chat/chat-page.tsx')),
  tasks: reachable(() => import('./tasks/tasks-page.tsx')),
}

/** Deeper ones, and those that bring much along: fetched when somebody goes there, or is about to. The first visit has its bound (UI5). */
export const loadWhenVisited = {
  system: reachable(() => import('./system/system-page.tsx')),
  approvals: reachable(() => import('./approvals/approvals-page.tsx')),
  agents: reachable(() => import('./agents/agents-page.tsx')),
  people: reachable(() => import('./people/people-page.tsx')),
  workSessions: reachable(() => import('./work-sessions/work-sessions-page.tsx')),
  agent: reachable(() => import('./agents/agent-page.tsx')),
  channels: reachable(() => import('./channels/channels-page.tsx')),
  workSession: reachable(() => import('./work-sessions/work-session-page.tsx')),
  approaches: reachable(() => import('./approaches/approaches-page.tsx')),
  projectSettings: reachable(() => import('./project/project-settings.tsx')),
  conversations: reachable(() => import('./conversations/conversations-page.tsx')),
  notes: reachable(() => import('./conversations/notes-page.tsx')),
  // A list that is read from its middle must know how high its rows are.
  conversation: reachable(async () => {
    await loadMarkdown()
    return import('./conversations/conversation-page.tsx')
  }),
  console: reachable(() => import('./console/console-page.tsx')),
  userSession: reachable(() => import('./console/user-session-page.tsx')),
}

/** Fetches all other places while nothing else is to do: the next click is instant, and works while the server is away. */
export const loadEverything = (): Promise<unknown> => Promise.allSettled(Object.values(load).map((each) => each()))
