/** Lists agent sessions, newest first, page by page: what lives now, and why the rest ended. */
import type { AgentSession } from '../protocol/agent-session.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { type AgentSessionsFilter, agentSessionsPage } from '../store/queries/agent-sessions-page.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery } from '../store/store.ts'

export const listAgentSessions = defineQuery({
  name: 'list-agent-sessions',
  run: async (reader, { limit, cursor, ...filter }: PageQuery & AgentSessionsFilter): Promise<Page<AgentSession>> =>
    cutPage(await agentSessionsPage(reader, filter, pageParams({ limit, cursor })), limit),
})
