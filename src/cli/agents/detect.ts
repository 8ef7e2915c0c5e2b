/**
 * `holdfast agents detect`: the agents installed on the server's machine (AG5), and one of them to
 * add.
 */
import type { Client } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { DetectedAgent } from '../../protocol/agents/detected-agent.ts'
import { isRecipeOf } from '../../protocol/agents/known-agent.ts'
import { command } from '../command.ts'
import { notFound } from '../failure.ts'

export const detect = command({
  summary: "Agents that are installed on the server's machine",
  examples: [
    ['agents detect', 'what is there, in which version, and whether it is added'],
    ['agents detect --json', 'with the recipe of each'],
  ],
  async run(context) {
    const answer = await context.client.get('/api/detected-agents')
    const agents: Agent[] = []
    for await (const agent of context.client.pages('/api/agents')) agents.push(agent)
    context.answer(answer, () =>
      context.table(answer.items, {
        empty: "No agent that Holdfast knows was found on the server's machine.",
        columns: [
          { title: 'AGENT', of: ({ id }) => id, style: 'bold' },
          { title: 'NAME', of: ({ name }) => name },
          { title: 'PROTOCOL', of: ({ draft }) => draft.protocol },
          { title: 'VERSION', of: ({ version }) => version ?? '–' },
          {
            title: 'SIGNED IN',
            of: ({ signedIn }) => (signedIn === null ? '?' : signedIn ? 'yes' : 'no'),
          },
          { title: 'ADDED AS', of: ({ draft }) => addedAs(draft, agents) },
          { title: 'PROGRAM', of: ({ file }) => visible(file), shrinks: true },
        ],
      }),
    )
    if (!context.json) {
      const seen = new Set<string>()
      for (const { agent, name, signedIn, signIn, keys } of answer.items) {
        if (signedIn || seen.has(agent)) continue
        seen.add(agent)
        const orKey = keys.length > 0 ? `, or add it with --env ${keys[0]}` : ''
        context.note(`${name}: sign in once on the server's machine with \`${signIn}\`${orKey}.`)
      }
      for (const { name, install } of answer.missing)
        context.note(`${name} was not found: ${install}`)
    }
    const [offered] = answer.items.filter(({ draft }) => addedAs(draft, agents) === '–')
    if (offered && !context.json)
      context.note(
        context.hint(`Add one with its recipe: holdfast agents add --detected ${offered.id}`),
      )
  },
})

const addedAs = (draft: DetectedAgent['draft'], agents: readonly Agent[]): string =>
  agents
    .filter((agent) => isRecipeOf(agent, draft))
    .map(({ id }) => id)
    .join(', ') || '–'

export async function findDetected(client: Client, typed: string): Promise<DetectedAgent> {
  const { items } = await client.get('/api/detected-agents')
  const found = items.find(({ id }) => id === typed)
  if (found) return found
  const names = items.map(({ id }) => id).join(', ')
  const next = names
    ? `Found were: ${names}.`
    : 'None was found; add one by hand: holdfast agents add ID -- COMMAND'
  throw notFound(`${typed} was not found on the server's machine.`, next)
}
