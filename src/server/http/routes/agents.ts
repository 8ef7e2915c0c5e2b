/** Agents and their passkeys. */
import type { agentRoutes } from '../../../protocol/routes/agents.ts'
import { changeAgent } from '../../../services/change-agent.ts'
import { createAgent } from '../../../services/create-agent.ts'
import { deleteAgent } from '../../../services/delete-agent.ts'
import { findOccupiedProjects } from '../../../services/find-occupied-projects.ts'
import { getAgent } from '../../../services/get-agent.ts'
import { listAgents } from '../../../services/list-agents.ts'
import { replacePasskey } from '../../../services/replace-passkey.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const agentHandlers: HandlersOf<typeof agentRoutes> = {
  listAgents: query(listAgents, (call) => call.query),
  createAgent: run(createAgent, ({ body, who }) => ({ ...body, by: who.id })),
  getAgent: query(getAgent, ({ params }) => params),
  changeAgent: run(changeAgent, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  deleteAgent: async ({ params, who, doors: { store }, receipt }) => {
    const projectIds = await store.query(findOccupiedProjects, params)
    await store.run(deleteAgent, { ...params, projectIds, by: who.id }, receipt)
  },
  replacePasskey: async ({ params, who, doors: { store }, receipt }) => {
    const projectIds = await store.query(findOccupiedProjects, params)
    return store.run(replacePasskey, { ...params, projectIds, by: who.id }, receipt)
  },
  listDetectedAgents: async ({ doors }) => ({ items: [...(await doors.detectAgents())] }),
}
