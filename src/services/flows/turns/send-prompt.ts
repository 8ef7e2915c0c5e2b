/**
 * Sends a prompt to an agent in a role (RL6). It starts at once, or when earlier prompts are
 * answered. Prompts for a sleeping agent wait until it is ready (AG7).
 */

import { consoleKey } from '../../../domain/conversations/key.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import {
  conversationStream,
  projectStream,
  userSessionStream,
} from '../../../domain/stream-name.ts'
import { enqueue } from '../../../domain/turns/lifecycle.ts'
import { resumePrompt } from '../../../domain/turns/prompts.ts'
import { maxQueuedPrompts } from '../../../protocol/consoles/user-session.ts'
import type { PromptPart } from '../../../protocol/turns/prompt.ts'
import type { Offers, RoleAgentRow } from '../../../store/consoles/user-sessions.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { selectOpenTurns } from '../../../store/turns/turns.ts'
import { type AskedUserSession, activeProcess } from '../../consoles/role-agent-record.ts'
import { roleContextKey } from '../../turns/context-record.ts'
import { currentLimit, liftLimit } from '../../turns/limit-record.ts'
import { addTurn } from '../../turns/move-turn.ts'
import { newTurn } from '../../turns/turn-record.ts'
import { resumeContextOf } from '../../work/resume-context.ts'
import { storePrompt } from '../work/work-conversation.ts'
import { beginNextTurn, findNextTurn } from './begin-turn.ts'

interface Input extends AskedUserSession {
  readonly role: string
  readonly content: readonly PromptPart[]
  readonly by: string
  readonly requestId?: string | undefined
}

export interface SentPrompt {
  readonly seq: number
  readonly messageId: string
}

export const sendPrompt = defineUseCase('send-prompt', {
  scope: 'write',
  on: 'user-session',
  streams: ({ userSessionId, role }: Input) => [
    userSessionStream(userSessionId),
    conversationStream(consoleKey(userSessionId, role)),
  ],
  lockCacheKey: ({ userSessionId, role }) => `${userSessionId} ${role}`,
  run: async (tx, { role, content, by, requestId, ...asked }, context): Promise<SentPrompt> => {
    const { userSessionId } = asked
    const { now } = context
    const { agent, launch } = await activeProcess(tx, asked, role)
    // Whether another turn runs in the same folder is decided under the lock of the project.
    tx.lock(projectStream(launch.projectId))
    if (
      content.some(({ type }) => type === 'image') &&
      !(JSON.parse(agent.offers) as Offers).images
    )
      throw new Refusal('wrong_state', refusalText('takesNoPictures', { agent: agent.agent_id }), {
        role,
      })
    const open = await tx.all(selectOpenTurns, { roleAgentId: agent.id })
    const limit = await currentLimit(tx, roleContextKey(agent))
    const prompt = newTurn(agent, {
      id: context.random.uuid(),
      launchId: launch.id,
      content,
      by,
      now,
    })
    const row = { ...prompt, through_seq: await storePrompt(tx, prompt, context) }
    // With no choice to go on, a prompt tries whether the limit still holds.
    const triesAnyway = limit?.goes_on_left === 0
    if (triesAnyway) await liftLimit(tx, limit, context)
    await tx.update('role_agents', { id: agent.id, last_active_at: now })
    await tx.update('user_sessions', { id: userSessionId, last_active_at: now })
    if (open.length === 0) await addTurn(tx, row)
    const next = open.length === 0 ? await findNextTurn(tx, launch) : undefined
    const isNext = next !== undefined && 'turnId' in next
    const place = enqueue(open, maxQueuedPrompts, !isNext)
    if (place === 'full')
      throw new Refusal('wrong_state', refusalText('promptsFull', { count: maxQueuedPrompts }))
    if (place === 'run') {
      const begun = await beginNextTurn(tx, launch, context, { next, requestId })
      return { seq: begun ?? 0, messageId: row.id }
    }
    const data = { role, messageId: row.id, position: place.position, content, by, requestId }
    const seq = tx.append(userSessionStream(userSessionId), { type: 'agent:queued', data })
    // The first one keeps the number 0, and so its place before all that come.
    if (open.length > 0) await addTurn(tx, { ...row, asked_seq: seq })
    if (next || triesAnyway) await beginNextTurn(tx, launch, context, { next })
    return { seq, messageId: row.id }
  },
})

/** Sends resumed work's context to an agent in a role as its first prompt (RS2). */
export async function promptWithContext(
  tx: Tx,
  agent: RoleAgentRow,
  launch: Launch,
  context: Context,
): Promise<void> {
  const work = await tx.row('sessions', { id: agent.work_session_id ?? '' })
  if (!work?.parent_session_id || work.ended_at !== null) return
  const by =
    (await tx.row('user_sessions', { id: agent.user_session_id }))?.account_id ?? agent.agent_id
  const content = [
    { type: 'text' as const, text: resumePrompt(await resumeContextOf(tx, work, agent.agent_id)) },
  ]
  const { random, now } = context
  const prompt = { id: random.uuid(), launchId: launch.id, content, by, now }
  await addTurn(tx, newTurn(agent, prompt))
  await beginNextTurn(tx, launch, context)
}
