/**
 * Posts a person's message to one agent of a project or to all (CH3). A message to all is added to
 * each agent's conversation; the returned one is the first by key. A repeated client id returns the
 * same message at any time.
 */

import { createHash } from 'node:crypto'
import type * as z from 'zod'
import type { Scope } from '../../../domain/access/scopes.ts'
import { agentKey, isChat, webKey } from '../../../domain/conversations/key.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/instant.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import type { ChatMessageDraft, Message } from '../../../protocol/conversations/message.ts'
import { laneOf } from '../../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../../store/conversations/conversations.ts'
import { messageOf, selectByClientId } from '../../../store/conversations/messages.ts'
import { answerIn, isValid, keepReceipt, readReceipt } from '../../../store/log/receipts.ts'
import { agentIdsOf, selectAssignment } from '../../../store/projects/projects.ts'
import { defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { liveAgentSession } from '../../agent-sessions/agent-session-record.ts'
import {
  currentConversation,
  openConversation,
  streamOfKey,
} from '../../conversations/conversation-record.ts'
import { chooseWorkplace } from '../../conversations/conversation-workplace.ts'
import { type ContextCaller, ownConversation } from '../../conversations/own-conversation.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { clientIdReused, noSuchAgent, noSuchProject } from '../../refusals.ts'
import { takesNoPictures } from '../../turns/chat-options.ts'
import { placeWithPrompt } from '../imports/place-imported.ts'
import { beginWaiting } from '../turns/begin-turn.ts'
import { postForAgents } from './post-for-agents.ts'
import { postToAgent } from './post-to-agent.ts'

/** Agents that one message can go to. */
const maxReceivers = 100

type ChatDraft = z.output<typeof ChatMessageDraft>
type Draft = Omit<ChatDraft, 'conversationKey' | 'projectId' | 'toAgentId'> & {
  readonly by: string
  /** Left out: the server itself writes. */
  readonly scopes?: readonly Scope[] | undefined
}

export type PostedMessage = Draft & {
  readonly projectId: string
  readonly toAgentId: string | null
}

export const postMessage = defineUseCase('post-message', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId, toAgentId }: PostedMessage) =>
    toAgentId === null ? [] : [conversationStream(webKey(projectId, toAgentId))],
  // A turn begins with most messages, in the process that had the one before.
  lockCacheKey: ({ projectId, toAgentId }) => `${projectId} ${toAgentId}`,
  run: async (tx, input, context): Promise<Message> => {
    const earlier = await earlierMessage(tx, input)
    if (earlier) return earlier
    const messages: Message[] = []
    for (const agentId of await receiversOf(tx, input)) {
      const { row: opened } = await openConversation(
        tx,
        webKey(input.projectId, agentId),
        context.now,
      )
      const row = await chooseWorkplace(tx, opened, { ...input, now: context.now })
      await requireTakesPictures(tx, row, input.media)
      messages.push(
        await postForAgents(tx, row, messageFrom(input), context, { readers: [agentId] }),
      )
    }
    const [first] = messages
    if (!first)
      throw new Refusal(
        'agent_not_found',
        refusalText('noneAssigned', { project: input.projectId }),
        {
          projectId: input.projectId,
        },
      )
    return first
  },
})

export type SaidMessage = Draft & {
  /** The conversation. */
  readonly key: string
  /** Left out: the project of the conversation. */
  readonly projectId?: string | undefined
  /** Left out: the agent of the conversation. */
  readonly toAgentId?: string | null | undefined
}

/**
 * Posts a person's message in a conversation that has begun, to the agent that it is with. One that
 * was taken in, and has no project yet, gets the message's.
 */
export const sayInConversation = defineUseCase('say-in-conversation', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: SaidMessage) => [streamOfKey(key)],
  lockCacheKey: ({ key }) => key,
  run: async (tx, { key, ...input }, context): Promise<Message> => {
    const found = await currentConversation(tx, key, context.now)
    const begun = await placeWithPrompt(tx, found, input, context)
    const { agent_id: agentId, project_id: projectId } = begun
    const hasBoth = isChat(begun.kind) && agentId !== null && projectId !== null
    const isItsProject = (input.projectId ?? projectId) === projectId
    const isItsAgent = (input.toAgentId ?? agentId) === agentId
    if (!hasBoth || !isItsProject || !isItsAgent)
      throw new Refusal('wrong_state', refusalText('notOfThisPair', { key }), { key })
    const message = { ...input, projectId, toAgentId: agentId }
    const earlier = await earlierMessage(tx, message)
    if (earlier && earlier.conversationKey !== key) throw clientIdReused(input.clientId ?? '')
    if (earlier) return earlier
    await checkAssigned(tx, { projectId, agentId })
    const row = await chooseWorkplace(tx, begun, { ...input, now: context.now })
    await requireTakesPictures(tx, row, input.media)
    return postForAgents(tx, row, messageFrom(message), context, { readers: [agentId] })
  },
})

export async function requireTakesPictures(
  reader: Reader,
  row: ConversationRow,
  media: Draft['media'],
): Promise<void> {
  if (media?.some(({ type }) => type === 'image') && (await takesNoPictures(reader, row)))
    throw new Refusal('wrong_state', refusalText('takesNoPictures', { agent: row.agent_id ?? '' }))
}

const messageFrom = ({ by, toAgentId, workplace: _, scopes: __, ...input }: PostedMessage) => ({
  ...input,
  senderId: by,
  receiverId: toAgentId,
  role: 'user' as const,
})

/**
 * The named agent, or all that are assigned; sorted by key, so that a repeated request returns the
 * same message.
 */
async function receiversOf(
  reader: Reader,
  { projectId, toAgentId }: PostedMessage,
): Promise<string[]> {
  const agentIds = toAgentId === null ? await agentIdsOf(reader, projectId) : [toAgentId]
  if (agentIds.length > maxReceivers)
    throw new Refusal('invalid_request', refusalText('receiversFull', { count: maxReceivers }))
  const assigned: string[] = []
  for (const agentId of agentIds.toSorted()) {
    if (await reader.first(selectAssignment, { project_id: projectId, agent_id: agentId }))
      assigned.push(agentId)
  }
  // An assignment implies that the project exists.
  if (assigned.length === 0 && !(await reader.row('projects', { id: projectId })))
    throw noSuchProject(projectId)
  if (toAgentId !== null && assigned.length === 0) throw noSuchAgent(toAgentId)
  return assigned
}

async function earlierMessage(tx: Tx, input: PostedMessage): Promise<Message | undefined> {
  if (input.clientId === undefined) return undefined
  const row = await tx.first(selectByClientId, { senderId: input.by, clientId: input.clientId })
  if (!row) return undefined
  tx.lock(conversationStream(row.conversation_key))
  const same =
    row.project_id === input.projectId &&
    row.receiver_id === input.toAgentId &&
    row.content === input.content &&
    row.priority === (input.priority ?? 'normal') &&
    row.media === (input.media ? JSON.stringify(input.media) : null) &&
    row.related_task_id === (input.relatedTaskId ?? null) &&
    row.related_handoff_id === (input.relatedHandoffId ?? null)
  if (!same) throw clientIdReused(input.clientId)
  return messageOf(row)
}

interface RepeatableCall {
  /** The agent session, or the person. */
  readonly callerId: string
  readonly operation: string
  readonly clientId?: string | undefined
  readonly content: string
}

/**
 * Runs a call once per client id (NA8). A repeat by the same agent session or person returns the
 * first answer; a repeat with other content is refused. Receipts are kept for 7 days.
 */
export async function runOnce<Answer>(
  tx: Tx,
  call: RepeatableCall,
  now: Instant,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (call.clientId === undefined) return work()
  const receipt = {
    credentialId: call.callerId,
    operation: call.operation,
    key: call.clientId,
    contentHash: createHash('sha256').update(call.content).digest('base64url'),
    sealedBy: '',
  }
  const stored = await readReceipt(tx, receipt)
  if (stored && isValid(stored, now)) return answerIn(stored, receipt) as Answer
  const answer = await work()
  await keepReceipt(tx, receipt, { answer, secret: false, now, outlived: stored !== undefined })
  return answer
}

interface SentMessage extends ContextCaller {
  readonly toAgentId: string
  readonly content: string
  readonly clientId?: string | undefined
}

/** Sends a message from one agent to another of its project (CV10, `send_message`). */
export const sendMessage = defineUseCase('send-message', {
  scope: 'agent',
  on: 'caller',
  streams: ({ agentId, toAgentId, projectId }: SentMessage) => [
    conversationStream(agentKey(agentId, toAgentId)),
    projectStream(projectId),
  ],
  run: (tx, input, context): Promise<{ messageId: string; seq: number }> => {
    const call = {
      ...input,
      callerId: input.agentSessionId,
      operation: 'send-message',
      content: JSON.stringify([input.toAgentId, input.content]),
    }
    return runOnce(tx, call, context.now, async () => {
      await liveAgentSession(tx, input)
      if (input.toAgentId === input.agentId) throw noSuchAgent(input.toAgentId)
      await checkAssigned(tx, { projectId: input.projectId, agentId: input.toAgentId })
      const { toAgentId, content } = input
      const { key: originKey } = await ownConversation(tx, input)
      const { id, seq } = await postToAgent(tx, input, { toAgentId, content, originKey }, context)
      const lane = await laneOf(tx, originKey, toAgentId)
      await beginWaiting(tx, { agentId: toAgentId, projectId: input.projectId, lane }, context)
      return { messageId: id, seq }
    })
  },
})
