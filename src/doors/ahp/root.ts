/** What is of all sessions: the agents, and the list. */
import type { Who } from '../../domain/access/caller.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { listAgents } from '../../services/agents/queries.ts'
import { getConversation, listConversations } from '../../services/conversations/queries.ts'
import { findThreadName } from '../../services/conversations/thread-names.ts'
import { providerOf, threadUri } from './names.ts'
import { firstAgentOf, summaryOf, type ThreadSummary } from './thread-summary.ts'

type Deps = Pick<ServerDependencies, 'app'>

/** More than anybody keeps in an editor; the newest are shown. */
const maxListed = 500
const maxAgents = 200
const pageSize = 100

/** Those that a person has with one agent; consoles and work are shown elsewhere. */
const listedKinds: ReadonlySet<Conversation['kind']> = new Set(['session', 'web', 'fork'])

export const isListed = ({ kind, agentId, projectId }: Conversation): boolean =>
  listedKinds.has(kind) && agentId !== null && projectId !== null

export async function rootState({ app }: Deps, who: Who) {
  const { items } = await app.read(listAgents, { limit: maxAgents }, who)
  return { agents: items.map(agentInfo), activeSessions: 0 }
}

/** VS Code offers no agent without a model; which one an agent uses is set with the agent. */
const agentInfo = ({ id, name }: Agent) => ({
  provider: providerOf(id),
  displayName: name,
  description: '',
  capabilities: { multipleChats: { fork: true } },
  models: [{ id: 'default', provider: providerOf(id), name: `${name}’s model` }],
})

interface Listed {
  readonly key: string
  readonly summary: ThreadSummary
}

export async function listSessions(deps: Deps, who: Who): Promise<Listed[]> {
  const found: Listed[] = []
  let cursor: string | undefined
  do {
    const page = await deps.app.read(
      listConversations,
      { personId: who.id, limit: pageSize, ...(cursor !== undefined && { cursor }) },
      who,
    )
    for (const each of page.items)
      if (isListed(each))
        found.push({ key: each.key, summary: summaryOf(each, await uriFor(deps, who, each)) })
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && found.length < maxListed)
  return found.slice(0, maxListed)
}

/** The name that this person's client gave it, else ours. */
async function uriFor({ app }: Deps, who: Who, conversation: Conversation): Promise<string> {
  const { key } = conversation
  const given = await app.read(findThreadName, { key, personId: who.id }, who)
  return given ?? threadUri(firstAgentOf(conversation), key)
}

/** Undefined for one that is not this caller's, or is not shown. */
export async function summaryFor(
  deps: Deps,
  who: Who,
  key: string,
): Promise<ThreadSummary | undefined> {
  const conversation = await deps.app.read(getConversation, { key, personId: who.id }, who)
  return isListed(conversation)
    ? summaryOf(conversation, await uriFor(deps, who, conversation))
    : undefined
}
