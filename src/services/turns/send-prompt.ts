/** Sends a prompt to an agent in a role (RL6). It starts at once, or when earlier prompts are answered. */

import { consoleKey } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream, projectStream, userSessionStream } from '../../domain/stream-name.ts'
import { enqueue } from '../../domain/turns/lifecycle.ts'
import { maxQueuedPrompts } from '../../protocol/consoles/user-session.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { Offers } from '../../store/consoles/user-sessions.ts'
import { defineUseCase } from '../../store/store.ts'
import { selectOpenTurns } from '../../store/turns/turns.ts'
import { activeProcess, promptStreams, type UserSessionLocks } from '../consoles/role-agent-record.ts'
import { mustWaitForFolder } from '../conversations/conversation-workplace.ts'
import { storePrompt } from '../conversations/work-conversation.ts'
import { roleContextKey } from './context-record.ts'
import { currentLimit, liftLimit } from './limit-record.ts'
import { startInRole, startNext } from './start-in-role.ts'
import { newTurn } from './turn-record.ts'

interface Input extends UserSessionLocks {
  readonly role: string
  readonly content: readonly PromptPart[]
  readonly by: string
  readonly requestId?: string | undefined
}

export const sendPrompt = defineUseCase('send-prompt', {
  // The project's lock decides whether another turn runs in the same folder.
  streams: (input: Input) => [
    ...promptStreams(input),
    projectStream(input.projectId),
    conversationStream(consoleKey(input.userSessionId, input.role)),
  ],
  run: async (tx, { role, content, by, requestId, ...which }, context): Promise<{ seq: number }> => {
    const { userSessionId } = which
    const { now } = context
    const { agent, launch } = await activeProcess(tx, which, role)
    if (content.some(({ type }) => type === 'image') && !(JSON.parse(agent.offers) as Offers).images)
      throw new Refusal('wrong_state', refusalText('takesNoPictures', { agent: agent.agent_id }), { role })
    const open = await tx.all(selectOpenTurns, { roleAgentId: agent.id })
    const limit = await currentLimit(tx, roleContextKey(agent))
    const triesAnyway = limit?.goes_on_left === 0
    const asked = newTurn(agent, { id: context.random.uuid(), launchId: launch.id, content, by, now })
    const isHeld = (limit !== undefined && !triesAnyway) || agent.asleep_at !== null || (await mustWaitForFolder(tx, asked))
    const place = enqueue(open, maxQueuedPrompts, isHeld)
    if (place === 'full') throw new Refusal('wrong_state', refusalText('promptsFull', { count: maxQueuedPrompts }))
    const row = { ...asked, through_seq: await storePrompt(tx, asked, context) }
    if (triesAnyway) await liftLimit(tx, limit, context)
    await tx.update('role_agents', { ...agent, last_active_at: now })
    await tx.change('user_sessions', { id: userSessionId, last_active_at: now })
    if (place === 'run') {
      await tx.insert('turns', row)
      return { seq: await startInRole(tx, row, agent, { requestId }, context) }
    }
    const data = { role, messageId: row.id, position: place.position, content, by, requestId }
    const seq = tx.append(userSessionStream(userSessionId), { type: 'agent:queued', data })
    await tx.insert('turns', { ...row, asked_seq: seq })
    if (triesAnyway) await startNext(tx, agent, context)
    return { seq }
  },
})
