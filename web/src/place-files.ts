/** The files of the places, fetched when they are needed or when there is time. */

export const load = {
  now: () => import('./now/now-page.tsx'),
  project: () => import('./project/project-page.tsx'),
  projectOverview: () => import('./project/project-overview.tsx'),
  chat: () => import('./chat/chat-page.tsx'),
  tasks: () => import('./tasks/tasks-page.tsx'),
  system: () => import('./system/system-page.tsx'),
}

/** Deeper ones, and those that bring much along: fetched when somebody goes there, or is about to. The first visit has its bound (UI5). */
export const loadWhenVisited = {
  approvals: () => import('./approvals/approvals-page.tsx'),
  agents: () => import('./agents/agents-page.tsx'),
  people: () => import('./people/people-page.tsx'),
  workSessions: () => import('./work-sessions/work-sessions-page.tsx'),
  agent: () => import('./agents/agent-page.tsx'),
  channels: () => import('./channels/channels-page.tsx'),
  workSession: () => import('./work-sessions/work-session-page.tsx'),
  approaches: () => import('./approaches/approaches-page.tsx'),
  projectSettings: () => import('./project/project-settings.tsx'),
  conversations: () => import('./conversations/conversations-page.tsx'),
  notes: () => import('./conversations/notes-page.tsx'),
  conversation: () => import('./conversations/conversation-page.tsx'),
  console: () => import('./console/console-page.tsx'),
  userSession: () => import('./console/user-session-page.tsx'),
}

/** Fetches all other places while nothing else is to do: the next click is instant, and works while the server is away. */
export const loadEverything = (): Promise<unknown> => Promise.allSettled(Object.values(load).map((each) => each()))
