/** Lists the agents, newest first, page by page (HT1). */
import type { Agent } from '../protocol/agent.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { agentsPage } from '../store/queries/agents.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery } from '../store/store.ts'

export const listAgents = defineQuery({
  name: 'list-agents',
  run: async (reader, input: PageQuery): Promise<Page<Agent>> =>
    cutPage(await agentsPage(reader, pageParams(input)), input.limit),
})
