/**
 * The server plays the loop for an agent that is spoken to (CH12, NA1): signs its process in, tells it what is unread or what its task
 * is, and sends it away when its session is over. One turn at a time; what it says comes as facts. Looked at too early, or by two nodes
 * at once, nothing is done twice.
 */
import type { Launch } from '../domain/agent-process/lifecycle.ts'
import { decisionsPrompt } from '../domain/approval/told-decision.ts'
import { webKey } from '../domain/conversation/key.ts'
import { conversationStream, coordinatorStream, home, projectStream, type StreamName } from '../domain/stream/name.ts'
import { promptOfMessages, promptOfSummary, promptOfTask } from '../domain/turn/words.ts'
import { resumePrompt } from '../domain/work-session/resume-prompt.ts'
import { newestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { insertChatTurn, type SpokenLaunch, selectAnyChatTurn, selectRunningChatTurn } from '../store/queries/chat-turns.ts'
import { selectConversation } from '../store/queries/conversations.ts'
import { findLaunch } from '../store/queries/launches.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../store/store.ts'
import { otherAgent } from './agent-conversation.ts'
import { takeLease } from './authenticate-agent.ts'
import { handOverMessages } from './hand-over-messages.ts'
import { stopLaunch } from './launch-record.ts'
import { settingsOf } from './project-settings.ts'
import { takeNextAction } from './take-next-action.ts'

export interface Spoken extends SpokenLaunch {
  /** From `find-spoken-step`: whose messages are next; those between agents that its end closes. */
  readonly conversationKey: string
  readonly openConversations: readonly string[]
}

export const speakToAgent = defineUseCase({
  name: 'speak-to-agent',
  streams: ({ agentId, projectId, coordinatorId, conversationKey, openConversations }: Spoken): StreamName[] => [
    home,
    projectStream(projectId),
    coordinatorStream(coordinatorId),
    conversationStream(webKey(projectId, agentId)),
    conversationStream(conversationKey),
    ...openConversations.map(conversationStream),
  ],
  run: async (tx, input, context): Promise<{ told: boolean }> => {
    const launch = await findLaunch(tx, input.launchId)
    const isHere = launch?.state === 'running' && launch.stopReason === null && launch.coordinatorId === input.coordinatorId
    if (!isHere || (await tx.first(selectRunningChatTurn, { launchId: launch.id }))) return { told: false }
    const caller = await signIn(tx, launch, context)
    const told = caller ? await tell(tx, caller, launch, input, context) : 'over'
    if (told === 'over') await stopLaunch(tx, launch, { reason: 'finished' }, context)
    return { told: told === 'told' }
  },
})

/** The session its launch holds; it takes one if there is work. undefined: there is none, or its last one is over. */
async function signIn(tx: Tx, launch: Launch, context: Context): Promise<Receiver | undefined> {
  const { agentId, projectId, id: launchId } = launch
  const own = await newestOfLaunch(tx, launchId)
  if (own) return own.state === 'ended' ? undefined : { agentId, projectId, agentSessionId: own.id }
  const signedIn = await takeLease(tx, { agentId, projectId, launchId }, await settingsOf(tx, projectId), context)
  return signedIn.status === 'ok' ? { agentId, projectId, agentSessionId: signedIn.agentSession.id } : undefined
}

type Told = 'told' | 'nothing' | 'over'

async function tell(tx: Tx, caller: Receiver, launch: Launch, input: Spoken, context: Context): Promise<Told> {
  const ask = () => takeNextAction.run(tx, { ...caller, openConversations: input.openConversations }, context)
  const first = await ask()
  // RS2: what is known about the work, and the task it is at, are told in one.
  const { next, task, decisions } = first.next.action === 'resume_work' ? await ask() : first
  switch (next.action) {
    case 'exit':
      return 'over'
    case 'get_pending_messages': {
      const { messages, summary } = await handOverMessages.run(tx, { ...caller, conversationKey: input.conversationKey }, context)
      // They are in another conversation than the one that was looked up: whoever looks again finds it.
      if (messages.length === 0) return 'nothing'
      const isFirst = !(await tx.first(selectAnyChatTurn, { agentSessionId: caller.agentSessionId }))
      const text = promptOfMessages(messages, isFirst ? summary : null, otherAgent(input.conversationKey, caller.agentId))
      return order(tx, caller, launch, { about: 'chat', conversationKey: input.conversationKey, text }, context)
    }
    case 'summarize_conversation': {
      const key = webKey(caller.projectId, caller.agentId)
      const text = promptOfSummary(await summaryOf(tx, key))
      return order(tx, caller, launch, { about: 'summary', conversationKey: key, throughSeq: next.throughSeq, text }, context)
    }
    case 'work_on_task': {
      if (!task) return 'nothing'
      const before = [first.resumeContext && resumePrompt(first.resumeContext), decisionsPrompt(decisions)]
      const text = promptOfTask(task, before.filter(Boolean).join('\n\n') || null)
      return order(tx, caller, launch, { about: 'task', taskId: task.id, text }, context)
    }
    case 'resume_work':
    case 'wait_for_messages':
    case 'wait_for_approval':
      return 'nothing'
  }
}

const summaryOf = async (reader: Reader, key: string): Promise<string | null> =>
  (await reader.first(selectConversation, { key }))?.summary || null

interface Words {
  readonly about: 'chat' | 'summary' | 'task'
  readonly text: string
  readonly conversationKey?: string
  readonly throughSeq?: number
  readonly taskId?: string
}

async function order(tx: Tx, caller: Receiver, launch: Launch, words: Words, { now, random }: Context): Promise<Told> {
  const turnId = random.uuid()
  const content = [{ type: 'text', text: words.text }] as const
  await tx.write(insertChatTurn, {
    id: turnId,
    launch_id: launch.id,
    agent_session_id: caller.agentSessionId,
    agent_id: caller.agentId,
    project_id: caller.projectId,
    about: words.about,
    conversation_key: words.conversationKey ?? null,
    through_seq: words.throughSeq ?? null,
    task_id: words.taskId ?? null,
    content: JSON.stringify(content),
    state: 'running',
    error: null,
    created_at: now,
    ended_at: null,
    cancel_ordered_at: null,
  })
  tx.append(coordinatorStream(launch.coordinatorId), { type: 'turn-ordered', data: { launchId: launch.id, turnId, content } })
  return 'told'
}
