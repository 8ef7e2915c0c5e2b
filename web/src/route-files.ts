/** The files of the routes, loaded when they are needed or when the page is idle. */

import { loadOnce } from './lazy-route.tsx'
import { loadMarkdown } from './markdown/agent-text.tsx'

export const load = {
  now: loadOnce(() => import('./now/now-page.tsx')),
  project: loadOnce(() => import('./projects/project-page.tsx')),
  projectOverview: loadOnce(() => import('./projects/project-overview.tsx')),
  tasks: loadOnce(() => import('./work/tasks-page.tsx')),
}

/**
 * Deeper ones, and those that bring much along: fetched when somebody goes there, or is about to.
 * The first visit has its bound (UI5).
 */
export const loadWhenVisited = {
  chat: loadOnce(() => import('./conversations/chat/chat-page.tsx')),
  talk: loadOnce(() => import('./conversations/thread/talk-page.tsx')),
  system: loadOnce(() => import('./system/system-page.tsx')),
  approvals: loadOnce(() => import('./approvals/approvals-page.tsx')),
  agents: loadOnce(() => import('./agents/agents-page.tsx')),
  people: loadOnce(() => import('./access/people-page.tsx')),
  workSessions: loadOnce(() => import('./work/work-sessions-page.tsx')),
  agent: loadOnce(() => import('./agents/agent-page.tsx')),
  channels: loadOnce(() => import('./channels/channels-page.tsx')),
  workSession: loadOnce(() => import('./work/work-session-page.tsx')),
  approaches: loadOnce(() => import('./work/approaches-page.tsx')),
  projectSettings: loadOnce(() => import('./projects/project-settings.tsx')),
  projects: loadOnce(() => import('./projects/projects-page.tsx')),
  talks: loadOnce(() => import('./shell/talks-page.tsx')),
  conversations: loadOnce(() => import('./conversations/list/conversations-page.tsx')),
  notes: loadOnce(() => import('./conversations/notes/notes-page.tsx')),
  // A list that is read from its middle must know how high its rows are.
  conversation: loadOnce(async () => {
    await loadMarkdown()
    return import('./conversations/messages/conversation-page.tsx')
  }),
  review: loadOnce(() => import('./worktrees/review-page.tsx')),
  console: loadOnce(() => import('./consoles/console-page.tsx')),
  userSession: loadOnce(() => import('./consoles/user-session-page.tsx')),
}

/**
 * Fetches all other places while nothing else is to do: the next click is instant, and works while
 * the server is away.
 */
export const loadEverything = (): Promise<unknown> =>
  Promise.allSettled(Object.values(load).map((each) => each()))
