/** The files of the places, fetched when they are needed or when there is time. */
import { loadMarkdown } from './markdown/said.tsx'
import { reachable } from './place.tsx'

export const load = {
  now: reachable(() => import('./now/now-page.tsx')),
  project: reachable(() => import('./projects/project-page.tsx')),
  projectOverview: reachable(() => import('./projects/project-overview.tsx')),
  chat: reachable(() => import('./conversations/chat-page.tsx')),
  tasks: reachable(() => import('./work/tasks-page.tsx')),
}

/** Deeper ones, and those that bring much along: fetched when somebody goes there, or is about to. The first visit has its bound (UI5). */
export const loadWhenVisited = {
  system: reachable(() => import('./system/system-page.tsx')),
  approvals: reachable(() => import('./approvals/approvals-page.tsx')),
  agents: reachable(() => import('./agents/agents-page.tsx')),
  people: reachable(() => import('./access/people-page.tsx')),
  workSessions: reachable(() => import('./work/work-sessions-page.tsx')),
  agent: reachable(() => import('./agents/agent-page.tsx')),
  channels: reachable(() => import('./channels/channels-page.tsx')),
  workSession: reachable(() => import('./work/work-session-page.tsx')),
  approaches: reachable(() => import('./work/approaches-page.tsx')),
  projectSettings: reachable(() => import('./projects/project-settings.tsx')),
  conversations: reachable(() => import('./conversations/conversations-page.tsx')),
  notes: reachable(() => import('./conversations/notes-page.tsx')),
  // A list that is read from its middle must know how high its rows are.
  conversation: reachable(async () => {
    await loadMarkdown()
    return import('./conversations/conversation-page.tsx')
  }),
  console: reachable(() => import('./consoles/console-page.tsx')),
  userSession: reachable(() => import('./consoles/user-session-page.tsx')),
}

/** Fetches all other places while nothing else is to do: the next click is instant, and works while the server is away. */
export const loadEverything = (): Promise<unknown> => Promise.allSettled(Object.values(load).map((each) => each()))
