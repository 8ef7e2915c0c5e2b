/**
 * Drives ACP agents through the same next-action loop that pulling agents run themselves (CH12, NA1): signs a process in,
 * starts the next chat turn or task, and stops the process when its agent session is over. A context is opened and primed
 * before its turn where needed. Running this too early, or on two nodes at once, has no effect.
 */

import { isDeepStrictEqual } from 'node:util'
import type { AgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { decisionsPrompt } from '../../domain/approvals/decision-for-agent.ts'
import { chatKey, workKey } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Detail } from '../../domain/notices.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import {
  conversationStream,
  coordinatorStream,
  home,
  projectStream,
  type StreamName,
} from '../../domain/stream-name.ts'
import { chooseDispatch, type ProcessFacts } from '../../domain/turns/lifecycle.ts'
import {
  isSlashCommand,
  promptOfMessages,
  promptOfSummary,
  promptOfTask,
  resumePrompt,
} from '../../domain/turns/prompts.ts'
import { attachmentsIn, type PromptPart } from '../../protocol/turns/prompt.ts'
import { newestOfLaunch, postOf } from '../../store/agent-sessions/agent-sessions.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import { messagesOfTurn, splitUnread } from '../../store/conversations/unread.ts'
import { contextLimit, findLaunch, type ReadyLaunch } from '../../store/processes/launches.ts'
import {
  type Context,
  defineQuery,
  defineUseCase,
  type Reader,
  type Tx,
} from '../../store/store.ts'
import { type ContextRow, selectContextsOfLaunch } from '../../store/turns/contexts.ts'
import {
  isPushed,
  newTurnRow,
  type QueuedChat,
  selectRunningOfLaunch,
  type TurnRow,
} from '../../store/turns/turns.ts'
import { selectWaitingTask } from '../../store/turns/turns-in-folders.ts'
import { currentConversation } from '../conversations/conversation-record.ts'
import {
  mustWaitForFolder,
  startableChats,
  workspaceFor,
} from '../conversations/conversation-workplace.ts'
import { senderOf, sendersOf } from '../conversations/message-senders.ts'
import { workKeyOf } from '../conversations/own-conversation.ts'
import { stopLaunch } from '../processes/launch-record.ts'
import { reasonToGo } from '../processes/reason-to-go.ts'
import { settingsOf } from '../projects/project-record.ts'
import { choicesIn } from '../turns/chat-options.ts'
import {
  acpSessionToOpen,
  buildPrimer,
  contextFacts,
  getOrCreateContext,
  severalPeople,
  unprimed,
} from '../turns/context-record.ts'
import { beginOpening, changeContext, contextOpened } from '../turns/move-context.ts'
import { addTurn, moveTurn } from '../turns/move-turn.ts'
import { transcriptOwner } from '../turns/transcript-owner.ts'
import { startTurn } from '../turns/turn-record.ts'
import { takeLease } from './authenticate-agent.ts'
import { tellReopened } from './context-health.ts'
import { endAgentSession } from './end-agent-session.ts'
import { nextStep } from './next-step.ts'
import { otherAgent } from './post-message.ts'
import { takeNextAction } from './take-next-action.ts'
import { storePrompt } from './work-conversation.ts'

type Step =
  | { readonly step: 'sign-in' }
  /** The agent session was asked to end and runs no turn. */
  | { readonly step: 'close'; readonly own: AgentSession }
  | { readonly step: 'run'; readonly own: AgentSession; readonly turn: QueuedChat }
  /** The process ends, and another one takes the conversations that wait. */
  | { readonly step: 'make-room'; readonly own: AgentSession; readonly why: Detail }
  /** The result of `get_next_action`: a summary, a task, or exit. */
  | { readonly step: 'next'; readonly own: AgentSession }
  /** A task that waited for the folder: start it, or cancel it because it is no longer the current task. */
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
  const { launchId, agentId, projectId } = launch
  const running = await reader.all(selectRunningOfLaunch, { launchId })
  const own = await newestOfLaunch(reader, launchId)
  if (!own) return { step: 'sign-in' }
  const isFree = running.length === 0
  if (own.state === 'ended') return isFree ? { step: 'over' } : undefined
  if (own.state === 'terminating') return isFree ? { step: 'close', own } : undefined
  if (own.purpose === 'chat') {
    // CX4: turns that run are finished where they began.
    const why = await reasonToGo(reader, launch)
    if (why) return isFree ? { step: 'make-room', own, why } : undefined
    const waiting = await startableChats(reader, launch)
    const chosen =
      waiting.length === 0
        ? undefined
        : chooseDispatch(waiting, await processFacts(reader, launchId, running))
    if (chosen && typeof chosen.dispatch === 'object')
      return { step: 'run', own, turn: chosen.dispatch }
    if (chosen?.dispatch === 'make-room')
      return { step: 'make-room', own, why: statusNotice('otherConversation') }
  }
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

async function processFacts(
  reader: Reader,
  launchId: string,
  running: readonly TurnRow[],
): Promise<ProcessFacts> {
  const contexts = await reader.all(selectContextsOfLaunch, { launchId })
  const held = contexts.map(async (row) => ({
    ...(await contextFacts(reader, row)),
    hasRunningTurn: running.some(({ context_id }) => context_id === row.id),
  }))
  return {
    contexts: await Promise.all(held),
    contextLimit: await contextLimit(reader, launchId),
    runningTurns: running.length,
    isOpening: contexts.some(({ state }) => state === 'opening'),
  }
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
      // A person came back or wrote: the same process continues with its contexts under a new agent session.
      const settings = await settingsOf(tx, projectId)
      const renewed = await takeLease(tx, { ...post, launchId, purpose: 'chat' }, settings, context)
      return renewed.status === 'ok' ? 'again' : stopProcess(tx, launch, context)
    }
    case 'make-room':
      await endAgentSession(tx, step.own, 'other_conversation', context)
      return stopProcess(tx, launch, context, step.why)
    case 'over':
      return stopProcess(tx, launch, context)
    case 'run':
      return startChatTurn(tx, step, launch, context)
    case 'drop':
      await moveTurn(tx, step.turn, { type: 'withdraw' }, context.now)
      return 'again'
    case 'begin':
      await startInContext(tx, step.turn, launch, new Set(), context)
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

async function startChatTurn(
  tx: Tx,
  { own, turn: { id, conversationKey: key } }: Extract<Step, { step: 'run' }>,
  launch: Launch,
  context: Context,
): Promise<StepResult> {
  const { now, random } = context
  tx.lock(conversationStream(key))
  // DC2: a chapter that is due is closed first. That ends the contexts which belong to it.
  const before = await tx.row('conversations', { key })
  if (before && (await currentConversation(tx, key, now)).generation !== before.generation)
    return 'again'
  const turn = await tx.row('turns', { id })
  if (turn?.state !== 'queued') return 'nothing'
  await splitUnread(tx, id, async () => {
    const rest = newTurnRow({ ...turn, id: random.uuid(), created_at: now })
    await addTurn(tx, rest)
    return rest.id
  })
  const messages = await messagesOfTurn(tx, id)
  // All its messages were withdrawn meanwhile.
  if (messages.length === 0 && !isPushed(turn)) {
    await moveTurn(tx, turn, { type: 'withdraw' }, now)
    return 'again'
  }
  const byConversation = Map.groupBy(messages, ({ conversationKey }) => conversationKey)
  const fromAgent = new Map<string, string | undefined>()
  for (const [conversationKey, some] of byConversation) {
    const data = {
      agentId: launch.agentId,
      agentSessionId: own.id,
      seqs: some.map(({ seq }) => seq),
    }
    tx.append(conversationStream(conversationKey), { type: 'messages-delivered', data })
    const identity = await identityOf(tx, conversationKey)
    fromAgent.set(conversationKey, otherAgent(identity, launch.agentId))
  }
  const { nameOf } = await sendersOf(tx, messages.map(senderOf))
  const texts = messages.map((message) => ({
    content: message.content,
    sender: nameOf(senderOf(message)),
    fromAgent: fromAgent.get(message.conversationKey),
    isAnswer: message.conversationKey !== key,
    handoffId: message.relatedHandoffId,
  }))
  const content: readonly PromptPart[] =
    messages.length === 0
      ? JSON.parse(turn.content)
      : [
          { type: 'text', text: promptOfMessages(texts, await severalPeople(tx, key)) },
          ...messages.flatMap(({ media }) => attachmentsIn(media)),
        ]
  const promptSeqs = new Set(
    messages.filter((each) => each.conversationKey === key).map(({ seq }) => seq),
  )
  const row = {
    ...turn,
    content: JSON.stringify(content),
    agent_session_id: own.id,
    launch_id: launch.id,
  }
  await startInContext(tx, row, launch, promptSeqs, context)
  return 'started'
}

/** Starts a turn in the context of its conversation. Opens the context if this process has not, and primes it if it is new. */
async function startInContext(
  tx: Tx,
  turn: TurnRow,
  launch: Launch,
  promptSeqs: ReadonlySet<number>,
  context: Context,
) {
  const { now } = context
  const {
    agent_id: agentId,
    project_id: projectId,
    conversation_key: key,
    origin_key: originKey,
  } = turn
  const found = await getOrCreateContext(tx, { agentId, projectId, key, originKey }, context)
  const limit = await contextLimit(tx, launch.id)
  // A process limited to one conversation opened its ACP session at start.
  const bound = limit !== null && found.launch_id !== launch.id
  const begun = {
    launch_id: launch.id,
    how: 'new',
    opened_at: now,
    primed_at: null,
    acp_session_id: null,
  } as const
  const row: ContextRow = bound ? { ...found, ...begun, state: 'open' } : found
  const isCommand = isSlashCommand(JSON.parse(turn.content))
  const priming = isCommand ? unprimed(row) : await buildPrimer(tx, row, { turn, promptSeqs }, now)
  const isOpen = row.state === 'open' && row.launch_id === launch.id
  const primed = isCommand
    ? {}
    : { told_through: priming.givenThrough, primed_at: now, decisions_told_at: now }
  const begins = { ...turn, context_id: row.id }
  if (isOpen) {
    const knowsNothing = row.primed_at === null && row.how === 'new'
    if (bound) await contextOpened(tx, row, { ...begun, ...primed })
    else await changeContext(tx, row, primed)
    const inContext = limit === null ? { contextId: row.id, open: null } : undefined
    const news = row.primed_at === null ? priming.news : priming.decided
    const primer = knowsNothing ? priming.primer : news
    await startTurn(tx, begins, launch, { context: inContext, primer, ...choicesIn(row) }, context)
    if (row.primed_at === null) await tellReopened(tx, begins, row)
    return
  }
  await beginOpening(tx, row, launch.id, primed)
  const { primer, news } = priming
  const workspace = await workspaceFor(tx, { projectId, key, originKey })
  const owner = await transcriptOwner(tx, { projectId, key, originKey })
  const open = { ...acpSessionToOpen(row), primer, news, workspace, owner }
  await startTurn(
    tx,
    begins,
    launch,
    { context: { contextId: row.id, open }, ...choicesIn(row) },
    context,
  )
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
  const its = { launch_id: launch.id, agent_session_id: own.id }
  if (next.action === 'exit') return stopProcess(tx, launch, context)
  if (next.action === 'summarize_conversation') {
    const key = next.conversationKey
    const text = promptOfSummary((await tx.row('conversations', { key }))?.summary || null)
    const content = JSON.stringify([{ type: 'text', text }])
    const turn = newTurnRow({
      ...about,
      ...its,
      about: 'summary',
      conversation_key: key,
      through_seq: next.throughSeq,
      content,
    })
    await addTurn(tx, turn)
    await startInContext(tx, turn, launch, new Set(), context)
    return 'started'
  }
  if (next.action !== 'work_on_task' || !task) return 'nothing'
  const workSessionId = (await newestOfLaunch(tx, launch.id))?.workSessionId ?? null
  const key = (await workKeyOf(tx, workSessionId, agentId)) ?? workKey(task.id, agentId)
  // CX20: what the resume context says of a decision is not said again.
  const known = first.resumeContext?.decisions ?? []
  const others = decisions.filter((each) => !known.some((other) => isDeepStrictEqual(other, each)))
  const before = [first.resumeContext && resumePrompt(first.resumeContext), decisionsPrompt(others)]
  const text = promptOfTask(task, before.filter(Boolean).join('\n\n') || null)
  const content = JSON.stringify([{ type: 'text', text }])
  const row = {
    ...about,
    ...its,
    about: 'task' as const,
    task_id: task.id,
    work_session_id: workSessionId,
  }
  const turn = newTurnRow({ ...row, conversation_key: key, content })
  await addTurn(tx, turn)
  await storePrompt(tx, turn, context)
  // CX9: the task is shown as waiting and starts when the folder is free.
  if (await mustWaitForFolder(tx, turn)) return 'nothing'
  await startInContext(tx, turn, launch, new Set(), context)
  return 'started'
}
