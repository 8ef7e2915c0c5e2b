/** Agents installed on the server's machine (AG5), and adding them here. */
import { queryOptions } from '@tanstack/react-query'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { DetectedAgent, DetectedAgents } from '../../../src/protocol/agents/detected-agent.ts'
import { isRecipeOf } from '../../../src/protocol/agents/known-agent.ts'
import { withAgent } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'

/** Read only for people who may add agents. */
export const knownAgents = queryOptions<DetectedAgents>({
  queryKey: ['detected-agents'],
  queryFn: ({ signal }) => client.get('/api/detected-agents', { signal }),
  // Somebody may install one and come back.
  staleTime: 60_000,
})

export const detectedAgents = {
  ...knownAgents,
  select: ({ items }: DetectedAgents): DetectedAgent[] => items,
}

/** Those that it was added as. */
export const addedAs = ({ draft }: DetectedAgent, agents: readonly Agent[]): string[] =>
  agents.filter((agent) => isRecipeOf(agent, draft)).map(({ id }) => id)

/** Somebody may have taken its id for something else: then one is made. */
export function draftOf({ draft: { id, ...rest } }: DetectedAgent, agents: readonly Agent[]) {
  return agents.some((agent) => agent.id === id) ? rest : { id, ...rest }
}

/** SB8: the sandbox in which the agent was tried; off where it did not run. */
export async function sandboxFor({
  command,
  args,
}: Pick<Agent, 'command' | 'args'>): Promise<Partial<Pick<Agent, 'sandbox'>>> {
  return command
    ? { sandbox: (await client.post('/api/sandbox-probe', { body: { command, args } })).choose }
    : {}
}

export async function addDetected(
  body: ReturnType<typeof draftOf>,
  options?: { readonly idempotencyKey: string; readonly signal: AbortSignal },
): Promise<Agent> {
  // Holdfast starts it, with a token of each launch: nobody needs its passkey.
  const tried = await sandboxFor(body)
  const { passkey: _, ...agent } = await client.post('/api/agents', {
    body: { ...body, ...tried },
    ...options,
  })
  changeHome((home) => withAgent(home, agent))
  return agent
}
