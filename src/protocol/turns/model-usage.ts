/**
 * What requests to models have used, as the gateway counted them (GW5). Never added to what agents
 * report of themselves.
 */
import * as z from 'zod'
import { route } from '../route.ts'

/** `inputTokens` is the whole prompt, `cachedTokens` the part of it that was read from a cache. */
export const tokenCounts = {
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedTokens: z.int().min(0),
}

export const ModelUsage = z.object({
  model: z.string(),
  requests: z.int(),
  ...tokenCounts,
  atLeast: z
    .boolean()
    .describe(
      'A stream was cut or still runs, or its service told no numbers: at least so much was used',
    ),
})
export type ModelUsage = z.output<typeof ModelUsage>

const AgentModelUsage = ModelUsage.extend({ agentId: z.string() })
export type AgentModelUsage = z.output<typeof AgentModelUsage>

export const modelUsageRoutes = {
  listModelUsage: route({
    method: 'GET',
    path: '/api/projects/{projectId}/model-usage',
    summary: "What a project's agents have used of models through the gateway, by agent and model",
    answer: z.object({ items: z.array(AgentModelUsage) }),
  }),
}
