/** The chat with one agent of a project: where it is, what was said, where one writes. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { LimitCard } from '../consoles/limit-card.tsx'
import { type Chat, withMessages } from '../live/chat.ts'
import { useConnection } from '../live/connection.ts'
import { reconnectNow } from '../live/live.ts'
import { flushOutbox, send, useOutbox } from '../live/outbox.ts'
import { agentSessionsOf, coordinators, processesOf } from '../live/processes.ts'
import { client, useMay, useMe } from '../live/queries.ts'
import { newKey } from '../live/sending.ts'
import { changeChat, useChat, usePartialAnswer, webChatKey } from '../live/work.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { type AgentPresence, type ChatCall, presenceOf } from './agent-presence.ts'
import { AgentProblem } from './agent-problem.tsx'
import { ChatLog } from './chat-log.tsx'
import { Composer } from './composer.tsx'
import { PendingApprovals, usePendingApprovals } from './pending-approvals.tsx'
import { Presence } from './presence.tsx'
import { useChatPanel } from './use-chat-panel.ts'
import { WorkplaceLine } from './workplace.tsx'

const goOnPath = '/api/projects/{projectId}/agents/{agentId}/chat/go-on'
/** The interval for sending failed messages again while the server is connected. */
const againMs = 3000

export function ChatPanel({ projectId, agent }: { projectId: string; agent: Agent }) {
  const words = useWords()
  const me = useMe()
  const mayWrite = useMay('write')
  const conversationKey = webChatKey(projectId, agent.id)
  const chat = useChat(conversationKey)
  const saying = usePartialAnswer(conversationKey)
  const panel = useChatPanel(projectId, agent.id, mayWrite)
  const asked = usePendingApprovals(projectId, agent.id)
  const presence = usePresence(projectId, agent, { chat, called: panel.called, asking: asked.length > 0 })
  const place = { projectId, agentId: agent.id }
  const mine = (each: { by: string; projectId: string; agentId: string }) =>
    each.by === me?.id && each.projectId === projectId && each.agentId === agent.id
  const unsent = useOutbox().filter(mine)
  const onSent = useCallback(
    (message: Message) => changeChat(conversationKey, (now) => withMessages(now, [message])),
    [conversationKey],
  )
  useSendingAgain(place, onSent)

  const onSend = (content: string, priority: Message['priority']): boolean =>
    me !== undefined && send({ ...place, clientId: newKey(), by: me.id, content, priority, at: new Date().toISOString() }, onSent)

  return (
    <section data-chat aria-label={words.chat.with(agent.name)} className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-10 flex-wrap items-center gap-x-3 border-b border-line py-1.5">
        <Presence presence={presence} />
        <WorkplaceLine
          place={place}
          mayWrite={mayWrite}
          ring={`${panel.called?.calls} ${presence.is} ${chat?.messages.length}`}
        />
      </div>
      <ProblemNote error={panel.error} onRetry={panel.callAgain} />
      <AgentProblem presence={presence} place={place} agentName={agent.name} mayWrite={mayWrite} onRetry={panel.callAgain} />
      {chat ? (
        <ChatLog
          place={place}
          conversationKey={conversationKey}
          chat={chat}
          saying={presence.is === 'thinking' || presence.is === 'asking' ? saying : null}
          unsent={unsent}
          agentName={agent.name}
          onSent={onSent}
        />
      ) : (
        <div className="flex-1">
          <Waiting what={words.things.messages} onRetry={reconnectNow} />
        </div>
      )}
      {presence.is === 'asking' && <PendingApprovals asked={asked} />}
      {chat?.limit && presence.is !== 'thinking' && (
        <div className="shrink-0 pb-3">
          <LimitCard
            limit={chat.limit}
            inChat
            mayWrite={mayWrite}
            onChoose={(goOn) => client.post(goOnPath, { params: place, body: { goOn } })}
          />
        </div>
      )}
      {mayWrite ? (
        <Composer draftKey={`chat.${conversationKey}`} agentName={agent.name} onSend={onSend} />
      ) : (
        <p className="border-t border-line py-3 text-quiet">{words.project.mayNot}</p>
      )}
    </section>
  )
}

interface Seen {
  readonly chat: Chat | undefined
  readonly called: ChatCall | undefined
  readonly asking: boolean
}

function usePresence(projectId: string, agent: Agent, { chat, called, asking }: Seen): AgentPresence {
  const connection = useConnection()
  const agentSessions = useQuery(agentSessionsOf(projectId, agent.id)).data
  const processes = useQuery(processesOf(projectId, agent.id)).data
  const machines = useQuery(coordinators).data
  const askedAt = chat?.messages.findLast((message) => message.role === 'user')?.createdAt
  const thinking = (chat?.handedOver.length ?? 0) > 0
  return presenceOf({ agent, agentSessions, processes, coordinators: machines, thinking, asking, called, askedAt }, connection)
}

/** Sends waiting messages when the server is back, or after a reload (CH10). */
function useSendingAgain({ projectId, agentId }: { projectId: string; agentId: string }, onSent: (message: Message) => void) {
  const live = useConnection().state === 'live'
  useEffect(() => {
    if (!live) return
    const go = () => void flushOutbox({ projectId, agentId }, onSent)
    go()
    const timer = setInterval(go, againMs)
    return () => clearInterval(timer)
  }, [projectId, agentId, live, onSent])
}
