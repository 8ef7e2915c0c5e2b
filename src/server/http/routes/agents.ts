/** Agents and their passkeys. */
import type { agentRoutes } from '../../../protocol/routes/agents.ts'
import { changeAgent } from '../../../services/change-agent.ts'
import { createAgent } from '../../../services/create-agent.ts'
import { deleteAgent } from '../../../services/delete-agent.ts'
import { getAgent } from '../../../services/get-agent.ts'
import { listAgents } from '../../../services/list-agents.ts'
import { replacePasskey } from '../../../services/replace-passkey.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const agentHandlers: HandlersOf<typeof agentRoutes> = {
  listAgents: query(listAgents, (call) => call.query),
  createAgent: run(createAgent, ({ body, who }) => ({ ...body, by: who.id })),
  getAgent: query(getAgent, ({ params }) => params),
  changeAgent: run(changeAgent, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  deleteAgent: run(deleteAgent, ({ params, who }) => ({ ...params, by: who.id })),
  replacePasskey: run(replacePasskey, ({ params, who }) => ({ ...params, by: who.id })),
}
