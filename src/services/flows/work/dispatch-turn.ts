/**
 * Drives ACP agents through the same next-action loop that pulling agents run themselves (CH12,
 * NA1): signs a process in, starts the next chat turn or task, and stops the process when its
 * agent session is over. A context is opened and primed before its turn where needed. Running this
 * too early, or on two nodes at once, has no effect.
 */

import { isDeepStrictEqual } from 'node:util'
import type { AgentSession } from '../../../domain/agent-sessions/lifecycle.ts'
import { decisionsPrompt } from '../../../domain/approvals/decision-for-agent.ts'
import { chatKey, workKey } from '../../../domain/conversations/key.ts'
import type { Instant } from '../../../domain/instant.ts'
import type { Detail } from '../../../domain/notices.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import {
  conversationStream,
  coordinatorStream,
  home,
  projectStream,
  type StreamName,
} from '../../../domain/stream-name.ts'
import { promptOfSummary, promptOfTask, resumePrompt } from '../../../domain/turns/prompts.ts'
import { newestOfLaunch, postOf } from '../../../store/agent-sessions/agent-sessions.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import type { ReadyLaunch } from '../../../store/processes/ready-launches.ts'
import {
  type Context,
  defineQuery,
  defineUseCase,
  type Reader,
  type Tx,
} from '../../../store/store.ts'
import { newTurnRow, selectRunningOfLaunch, type TurnRow } from '../../../store/turns/turns.ts'
import { selectWaitingTask } from '../../../store/turns/turns-in-folders.ts'
import { mustWaitForFolder } from '../../conversations/conversation-workplace.ts'
import { workKeyOf } from '../../conversations/own-conversation.ts'
import { stopLaunch } from '../../processes/launch-record.ts'
import { settingsOf } from '../../projects/project-record.ts'
import { addTurn } from '../../turns/move-turn.ts'
import { takeLease } from '../agent-sessions/authenticate-agent.ts'
import { endAgentSession } from '../agent-sessions/end-agent-session.ts'
import { beginNextTurn, findNextTurn } from '../turns/begin-turn.ts'
import { endTurn } from '../turns/end-turn.ts'
import { startInContext } from '../turns/start-in-context.ts'
import { nextStep } from './next-step.ts'
import { takeNextAction } from './take-next-action.ts'
import { storePrompt } from './work-conversation.ts'

type Step =
  | { readonly step: 'sign-in' }
  /** The agent session was asked to end and runs no turn. */
  | { readonly step: 'close'; readonly own: AgentSession }
  /** A turn that waits in a chat or a role. */
  | { readonly step: 'turn' }
  /** The result of `get_next_action`: a summary, a task, or exit. */
  | { readonly step: 'next'; readonly own: AgentSession }
  /**
   * A task that waited for the folder: start it, or cancel it because it is no longer the current
   * task.
   */
  | { readonly step: 'begin' | 'drop'; readonly turn: TurnRow }
  | { readonly step: 'over' }

/** Decides whether a process has a next step. Runs cheaply on every doorbell. */
export const findDispatch = defineQuery('find-dispatch', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, launch: ReadyLaunch, { now }): Promise<ReadyLaunch | undefined> =>
    (await findStep(reader, launch, now)) && launch,
})

export const dispatchTurn = defineUseCase('dispatch-turn', {
  scope: 'server',
  on: 'nobody',
  streams: (launch: ReadyLaunch): StreamName[] => [
    home,
    projectStream(launch.projectId),
    coordinatorStream(launch.coordinatorId),
    conversationStream(chatKey(launch)),
  ],
  // A process goes on with the conversations that it holds.
  lockCacheKey: ({ launchId }) => launchId,
  run: async (tx, input, context): Promise<{ dispatched: boolean }> => {
    const launch = await findLaunch(tx, input.launchId)
    const isHere =
      launch?.state === 'running' &&
      launch.stopReason === null &&
      launch.coordinatorId === input.coordinatorId
    if (!isHere) return { dispatched: false }
    for (let step = await findStep(tx, input, context.now); step; ) {
      const done = await performStep(tx, step, launch, context)
      if (done !== 'again') return { dispatched: done === 'started' }
      step = await findStep(tx, input, context.now)
    }
    return { dispatched: false }
  },
})

async function findStep(
  reader: Reader,
  launch: ReadyLaunch,
  now: Instant,
): Promise<Step | undefined> {
  const { launchId, agentId, projectId, roleAgentId } = launch
  const process = { ...postOf(launch), id: launchId, roleAgentId }
  if (roleAgentId !== null)
    return (await findNextTurn(reader, process)) ? { step: 'turn' } : undefined
  const running = await reader.all(selectRunningOfLaunch, { launchId })
  const own = await newestOfLaunch(reader, launchId)
  if (!own) return { step: 'sign-in' }
  const isFree = running.length === 0
  if (own.state === 'ended') return isFree ? { step: 'over' } : undefined
  if (own.state === 'terminating') return isFree ? { step: 'close', own } : undefined
  if (own.purpose === 'chat' && (await findNextTurn(reader, process))) return { step: 'turn' }
  if (!isFree) return undefined
  const { next, task } = await nextStep(reader, { agentId, projectId, agentSessionId: own.id }, now)
  if (
    next.action === 'wait_for_messages' ||
    next.action === 'wait_for_approval' ||
    next.action === 'get_pending_messages'
  )
    return undefined
  const waiting = await reader.first(selectWaitingTask, {
    agentId,
    projectId,
    agentSessionId: own.id,
  })
  if (waiting && task?.id !== waiting.task_id) return { step: 'drop', turn: waiting }
  if (waiting)
    return (await mustWaitForFolder(reader, waiting)) ? undefined : { step: 'begin', turn: waiting }
  return { step: 'next', own }
}

type StepResult = 'started' | 'nothing' | 'again'

async function performStep(
  tx: Tx,
  step: Step,
  launch: Launch,
  context: Context,
): Promise<StepResult> {
  const { projectId, id: launchId } = launch
  const post = postOf(launch)
  switch (step.step) {
    case 'sign-in': {
      const settings = await settingsOf(tx, projectId)
      const signedIn = await takeLease(tx, { ...post, launchId }, settings, context)
      return signedIn.status === 'ok' ? 'again' : stopProcess(tx, launch, context)
    }
    case 'close': {
      await endAgentSession(tx, step.own, 'closed', context)
      // A person came back or wrote: the same process continues with its contexts under a new agent
      // session.
      const settings = await settingsOf(tx, projectId)
      const renewed = await takeLease(tx, { ...post, launchId, purpose: 'chat' }, settings, context)
      return renewed.status === 'ok' ? 'again' : stopProcess(tx, launch, context)
    }
    case 'over':
      return stopProcess(tx, launch, context)
    case 'turn':
      return (await beginNextTurn(tx, launch, context)) ? 'started' : 'nothing'
    case 'drop':
      await endTurn(tx, step.turn, { type: 'withdraw' }, {}, context)
      return 'again'
    case 'begin':
      await startInContext(tx, step.turn, launch, {}, context)
      return 'started'
    case 'next':
      return startNextAction(tx, step.own, launch, context)
  }
}

async function stopProcess(
  tx: Tx,
  launch: Launch,
  context: Context,
  detail?: Detail,
): Promise<StepResult> {
  await stopLaunch(
    tx,
    launch,
    { reason: 'finished', ...(detail !== undefined && { detail }) },
    context,
  )
  return 'nothing'
}

async function startNextAction(
  tx: Tx,
  own: AgentSession,
  launch: Launch,
  context: Context,
): Promise<StepResult> {
  const { agentId, projectId } = launch
  const caller = { agentId, projectId, agentSessionId: own.id }
  const ask = () => takeNextAction.run(tx, caller, context)
  const first = await ask()
  // RS2: the resume context and the current task are sent together.
  const { next, task, decisions } = first.next.action === 'resume_work' ? await ask() : first
  const { random, now } = context
  const about = {
    id: random.uuid(),
    agent_id: agentId,
    project_id: projectId,
    lane: launch.lane,
    asked_by: agentId,
    created_at: now,
  }
  const runner = { launch_id: launch.id, agent_session_id: own.id }
  if (next.action === 'exit') return stopProcess(tx, launch, context)
  if (next.action === 'summarize_conversation') {
    const key = next.conversationKey
    const text = promptOfSummary((await tx.row('conversations', { key }))?.summary || null)
    const content = JSON.stringify([{ type: 'text', text }])
    const turn = newTurnRow({
      ...about,
      ...runner,
      about: 'summary',
      conversation_key: key,
      through_seq: next.throughSeq,
      content,
    })
    await addTurn(tx, turn)
    await startInContext(tx, turn, launch, {}, context)
    return 'started'
  }
  if (next.action !== 'work_on_task' || !task) return 'nothing'
  const workSessionId = (await newestOfLaunch(tx, launch.id))?.workSessionId ?? null
  const key = (await workKeyOf(tx, workSessionId, agentId)) ?? workKey(task.id, agentId)
  // CX20: what the resume context says of a decision is not said again.
  const resumed = first.resumeContext?.decisions ?? []
  const others = decisions.filter(
    (each) => !resumed.some((other) => isDeepStrictEqual(other, each)),
  )
  const before = [first.resumeContext && resumePrompt(first.resumeContext), decisionsPrompt(others)]
  const text = promptOfTask(task, before.filter(Boolean).join('\n\n') || null)
  const content = JSON.stringify([{ type: 'text', text }])
  const row = {
    ...about,
    ...runner,
    about: 'task' as const,
    task_id: task.id,
    work_session_id: workSessionId,
  }
  const turn = newTurnRow({ ...row, conversation_key: key, content })
  await addTurn(tx, turn)
  await storePrompt(tx, turn, context)
  // CX9: the task is shown as waiting and starts when the folder is free.
  if (await mustWaitForFolder(tx, turn)) return 'nothing'
  await startInContext(tx, turn, launch, {}, context)
  return 'started'
}
