/**
 * A person's message to an agent of a project, or to all of them (CH3). Each agent has a conversation of its own in a project,
 * so what is for all is added to each, and the answer is the one in the first of them by key. Answered when it is durable; the
 * same client id again gives the same message, however much later.
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

/** Agents that one message can be for. */
const maxReceivers = 100

export type PostedMessage = z.output<typeof ChatMessageDraft> & {
  /** The agents it is for, looked up by the door: the one named, or all that are assigned. */
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

/** By key, so that the first is the same one when the message is sent again. */
async function receiversOf(reader: Reader, { projectId, toAgentId, agentIds }: PostedMessage): Promise<string[]> {
  if (agentIds.length > maxReceivers) throw new Refusal('invalid_request', refusalText('receiversFull', { count: maxReceivers }))
  const assigned: string[] = []
  for (const agentId of agentIds.toSorted()) {
    if (await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId })) assigned.push(agentId)
  }
  // Where somebody is assigned, there is a project.
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
