/**
 * Sends a prompt to an agent in a role (RL6). It starts at once, or when earlier prompts are
 * answered.
 */

import { consoleKey } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { conversationStream, projectStream, userSessionStream } from '../../domain/stream-name.ts'
import { enqueue, nextQueued } from '../../domain/turns/lifecycle.ts'
import { resumePrompt } from '../../domain/turns/prompts.ts'
import { maxQueuedPrompts } from '../../protocol/consoles/user-session.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { Offers, RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import { contextLimit, findLaunch } from '../../store/processes/launches.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectContextOf } from '../../store/turns/contexts.ts'
import { selectOpenTurns, type TurnRow } from '../../store/turns/turns.ts'
import { type AskedUserSession, activeProcess } from '../consoles/role-agent-record.ts'
import { mustWaitForFolder } from '../conversations/conversation-workplace.ts'
import {
  acpSessionToOpen,
  contextFacts,
  getOrCreateContext,
  primerForTurn,
  roleContextKey,
} from '../turns/context-record.ts'
import { currentLimit, liftLimit } from '../turns/limit-record.ts'
import { beginOpening, changeContext } from '../turns/move-context.ts'
import { addTurn } from '../turns/move-turn.ts'
import { newTurn, startTurn } from '../turns/turn-record.ts'
import { resumeContextOf } from '../work/resume-context.ts'
import { replaceProcess, tellReopened } from './context-health.ts'
import { storePrompt } from './work-conversation.ts'

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
    lockFolders(tx, agent)
    if (
      content.some(({ type }) => type === 'image') &&
      !(JSON.parse(agent.offers) as Offers).images
    )
      throw new Refusal('wrong_state', refusalText('takesNoPictures', { agent: agent.agent_id }), {
        role,
      })
    const open = await tx.all(selectOpenTurns, { roleAgentId: agent.id })
    const limit = await currentLimit(tx, roleContextKey(agent))
    const triesAnyway = limit?.goes_on_left === 0
    const prompt = newTurn(agent, {
      id: context.random.uuid(),
      launchId: launch.id,
      content,
      by,
      now,
    })
    const isOutlived = await holdsWhatIsOver(tx, agent)
    const isHeld =
      isOutlived ||
      (limit !== undefined && !triesAnyway) ||
      agent.asleep_at !== null ||
      (await mustWaitForFolder(tx, prompt))
    const place = enqueue(open, maxQueuedPrompts, isHeld)
    if (place === 'full')
      throw new Refusal('wrong_state', refusalText('promptsFull', { count: maxQueuedPrompts }))
    const row = { ...prompt, through_seq: await storePrompt(tx, prompt, context) }
    if (triesAnyway) await liftLimit(tx, limit, context)
    await tx.update('role_agents', { ...agent, last_active_at: now })
    await tx.update('user_sessions', { id: userSessionId, last_active_at: now })
    if (place === 'run') {
      await addTurn(tx, row)
      return { seq: await startInRole(tx, row, agent, { requestId }, context), messageId: row.id }
    }
    const data = { role, messageId: row.id, position: place.position, content, by, requestId }
    const seq = tx.append(userSessionStream(userSessionId), { type: 'agent:queued', data })
    await addTurn(tx, { ...row, asked_seq: seq })
    if (triesAnyway || isOutlived) await startNext(tx, agent, context)
    return { seq, messageId: row.id }
  },
})

// Starts turns of agents in roles, in the context of their conversation. A closed context is
// reopened and a new one primed first. Prompts for a sleeping agent stay queued until it is ready
// (AG7).

/** Whether another turn runs in the same folder is decided under the lock of the project. */
const lockFolders = (tx: Tx, { project_id }: Pick<RoleAgentRow, 'project_id'>): void =>
  tx.lock(projectStream(project_id))

/** Starts a turn and returns its number in the user session's stream. */
export async function startInRole(
  tx: Tx,
  asked: TurnRow,
  { launch_id: launchId }: Pick<RoleAgentRow, 'launch_id'>,
  { requestId }: { requestId?: string | undefined },
  context: Context,
): Promise<number> {
  const { agent_id: agentId, project_id: projectId, conversation_key: key } = asked
  const launch = launchId === null ? undefined : await findLaunch(tx, launchId)
  const found = await tx.first(selectContextOf, { agentId, projectId, key, originKey: '' })
  const generation = (await tx.row('conversations', { key }))?.generation ?? 0
  // FS8: a rewind begins a new context.
  const isOver = found !== undefined && found.generation !== generation
  const row = isOver
    ? await getOrCreateContext(tx, { agentId, projectId, key, originKey: '' }, context)
    : found
  const turn = { ...asked, launch_id: launchId, context_id: row?.id ?? null }
  if (!row || !launch) return startTurn(tx, turn, launch, { requestId }, context)
  const isNamed = (await contextLimit(tx, launch.id)) === null
  const isOpen = row.state === 'open' && row.launch_id === launch.id
  const named = { contextId: row.id, open: null }
  const begins = { requestId, ...(isNamed && { context: named }) }
  if (!isNamed && !isOpen) return startTurn(tx, turn, launch, begins, context)
  if (isOpen && row.primed_at !== null) return startTurn(tx, turn, launch, begins, context)
  const { now } = context
  const { primer, news } = await primerForTurn(tx, row, turn, now)
  const primed = primer === null ? {} : { primed_at: now, decisions_told_at: now }
  if (isOpen) {
    await changeContext(tx, row, primed)
    const seq = await startTurn(
      tx,
      turn,
      launch,
      { ...begins, primer: row.how === 'new' ? primer : news },
      context,
    )
    await tellReopened(tx, turn, row)
    return seq
  }
  await beginOpening(tx, row, launch.id, primed)
  const open = { ...acpSessionToOpen(row), primer, news }
  return startTurn(tx, turn, launch, { requestId, context: { contextId: row.id, open } }, context)
}

/** Starts the prompt that waited longest, when the agent is free. */
export async function startNext(tx: Tx, agent: RoleAgentRow, context: Context): Promise<void> {
  lockFolders(tx, agent)
  const next = await nextInRole(tx, agent)
  if (!next) return
  const launch = agent.launch_id === null ? undefined : await findLaunch(tx, agent.launch_id)
  if (launch && (await holdsWhatIsOver(tx, agent)))
    return replaceProcess(tx, launch, context, statusNotice('otherConversation'))
  await startInRole(tx, next, agent, {}, context)
}

/** CX13: a process that holds one context alone, which is of an earlier generation (FS8). */
async function holdsWhatIsOver(reader: Reader, agent: RoleAgentRow): Promise<boolean> {
  const { launch_id: launchId, asleep_at } = agent
  if (launchId === null || asleep_at !== null) return false
  if ((await contextLimit(reader, launchId)) === null) return false
  const held = await reader.first(selectContextOf, roleContextKey(agent))
  return held?.launch_id === launchId && (await contextFacts(reader, held)).isOver
}

/** The next prompt that can start now. */
export async function nextInRole(
  reader: Reader,
  agent: RoleAgentRow,
): Promise<TurnRow | undefined> {
  // Other prompts would meet the limit too. `end-limit` sends the parked one first.
  if (agent.asleep_at !== null || (await currentLimit(reader, roleContextKey(agent))))
    return undefined
  const next = nextQueued(await reader.all(selectOpenTurns, { roleAgentId: agent.id }))
  return next && !(await mustWaitForFolder(reader, next)) ? next : undefined
}

/** Sends resumed work's context to an agent in a role as its first prompt (RS2). */
export async function promptWithContext(
  tx: Tx,
  agent: RoleAgentRow,
  context: Context,
): Promise<void> {
  const { work_session_id: id, launch_id: launchId } = agent
  const work = await tx.row('sessions', { id: id ?? '' })
  if (!work?.parent_session_id || work.ended_at !== null || launchId === null) return
  const by =
    (await tx.row('user_sessions', { id: agent.user_session_id }))?.account_id ?? agent.agent_id
  const content = [
    { type: 'text' as const, text: resumePrompt(await resumeContextOf(tx, work, agent.agent_id)) },
  ]
  const turn = newTurn(agent, {
    id: context.random.uuid(),
    launchId,
    content,
    by,
    now: context.now,
  })
  await addTurn(tx, turn)
  await startNext(tx, agent, context)
}
