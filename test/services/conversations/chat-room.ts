/**
 * A project with agents, people who write to them, and agent sessions that read and answer: all
 * through the real use cases.
 */

import type { Purpose } from '../../../src/domain/agent-sessions/lifecycle.ts'
import { webKey } from '../../../src/domain/conversations/key.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { listMessages } from '../../../src/services/conversations/queries.ts'
import { answerChat } from '../../../src/services/flows/messages/answer-chat.ts'
import { handOverMessages } from '../../../src/services/flows/messages/hand-over-messages.ts'
import {
  type PostedMessage,
  postMessage,
} from '../../../src/services/flows/messages/post-message.ts'
import { assignAgent, createProject } from '../../../src/services/projects/change-project.ts'
import type { AgentCaller } from '../../../src/store/conversations/unread.ts'
import type { Store } from '../../../src/store/store.ts'
import { openTestStore } from '../../support/store.ts'
import { endAgentSessionRow, placeAgentSession } from '../agent-sessions/agent-session-rows.ts'
import { by } from '../projects/installation.ts'

const writerUrl = new URL('./chat-writer.ts', import.meta.url)

export const openChatStore = () => openTestStore({ writerUrl })

export const codeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'accepted',
    (error) => error.code,
  )

export type Posted = Partial<Omit<PostedMessage, 'projectId' | 'agentIds'>>

/**
 * A project whose agents are called as given; the first is the one written to when none is named.
 */
export async function openRoom(store: Store, agentIds: readonly string[] = ['ann']) {
  const { id: projectId } = await store.run(createProject, { name: 'p', by })
  const known = new Set<string>()
  for (const agentId of agentIds) {
    await store
      .run(createAgent, { id: agentId, name: agentId, protocol: 'mcp', by })
      .catch(() => known.add(agentId))
    await store.run(assignAgent, { projectId, agentId, by })
  }
  const [first = 'ann'] = agentIds

  const say = (content: string, more: Posted = {}): Promise<Message> => {
    const toAgentId = more.toAgentId === undefined ? first : more.toAgentId
    return store.run(postMessage, { by, ...more, projectId, toAgentId, content })
  }

  return {
    store,
    projectId,
    key: webKey(projectId, first),
    say,
    begin: (agentId = first, purpose: Purpose = 'chat') =>
      store.run(placeAgentSession, { agentId, projectId, purpose }),
    end: ({ agentSessionId }: AgentCaller) =>
      store.run(endAgentSessionRow, { agentSessionId, projectId, reason: 'process_exited' }),
    /** `get_pending_messages`, as the endpoint does it. */
    handOver: (caller: AgentCaller) => store.run(handOverMessages, caller),
    /** `respond_chat`, as the endpoint does it. */
    answer: (caller: AgentCaller, content: string, clientId?: string) =>
      store.run(answerChat, { ...caller, content, clientId }),
    list: async (hidden = false, agentId = first) =>
      (await store.query(listMessages, { projectId, agentId, hidden, limit: 200 })).items,
  }
}

export type Room = Awaited<ReturnType<typeof openRoom>>

export const texts = (messages: readonly { content: string }[]): string[] =>
  messages.map(({ content }) => content)
