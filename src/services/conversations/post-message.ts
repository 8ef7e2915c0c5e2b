/**
 * Posts a person's message to one agent of a project or to all (CH3). A message to all is added to each agent's conversation;
 * the returned one is the first by key. A repeated client id returns the same message at any time.
 */

import type * as z from 'zod'
import { refusalText } from '../../domain/because.ts'
import { webKey } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { ChatMessageDraft, Message } from '../../protocol/conversations/message.ts'
import { messageOf, selectByClientId } from '../../store/conversations/messages.ts'
import { selectAssignment, selectProject } from '../../store/projects/projects.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { clientIdReused, noSuchAgent, noSuchProject } from '../refusals.ts'
import { appendMessage, openConversation } from './conversation-record.ts'
import { chooseWorkplace } from './conversation-workplace.ts'

/** Agents that one message can go to. */
const maxReceivers = 100

export type PostedMessage = z.output<typeof ChatMessageDraft> & {
  /** The receivers, looked up by the endpoint: the named agent, or all assigned ones. */
  readonly agentIds: readonly string[]
  readonly by: string
}

export const postMessage = defineUseCase({
  name: 'post-message',
  streams: ({ projectId, agentIds }: PostedMessage) => agentIds.map((id) => conversationStream(webKey(projectId, id))),
  run: async (tx, input, context): Promise<Message> => {
    const earlier = await earlierMessage(tx, input)
    if (earlier) return earlier
    const messages: Message[] = []
    for (const agentId of await receiversOf(tx, input)) {
      const { row: opened } = await openConversation(tx, webKey(input.projectId, agentId), context.now)
      const row = await chooseWorkplace(tx, opened, { ...input, now: context.now })
      messages.push(await appendMessage(tx, row, messageFrom(input), context, { readers: [agentId] }))
    }
    const [first] = messages
    if (!first)
      throw new Refusal('agent_not_found', refusalText('noneAssigned', { project: input.projectId }), {
        projectId: input.projectId,
      })
    return first
  },
})

const messageFrom = ({ by, toAgentId, workplace: _, ...input }: PostedMessage) => ({
  ...input,
  senderId: by,
  receiverId: toAgentId,
  role: 'user' as const,
})

/** Sorted by key, so that a repeated request returns the same message. */
async function receiversOf(reader: Reader, { projectId, toAgentId, agentIds }: PostedMessage): Promise<string[]> {
  if (agentIds.length > maxReceivers) throw new Refusal('invalid_request', refusalText('receiversFull', { count: maxReceivers }))
  const assigned: string[] = []
  for (const agentId of agentIds.toSorted()) {
    if (await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })) assigned.push(agentId)
  }
  // An assignment implies that the project exists.
  if (assigned.length === 0 && !(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
  if (toAgentId !== null && assigned.length === 0) throw noSuchAgent(toAgentId)
  return assigned
}

async function earlierMessage(reader: Reader, input: PostedMessage): Promise<Message | undefined> {
  if (input.clientId === undefined) return undefined
  const row = await reader.first(selectByClientId, { senderId: input.by, clientId: input.clientId })
  if (!row) return undefined
  const same =
    row.project_id === input.projectId &&
    row.receiver_id === input.toAgentId &&
    row.content === input.content &&
    row.priority === (input.priority ?? 'normal') &&
    row.related_task_id === (input.relatedTaskId ?? null) &&
    row.related_handoff_id === (input.relatedHandoffId ?? null)
  if (!same) throw clientIdReused(input.clientId)
  return messageOf(row)
}
