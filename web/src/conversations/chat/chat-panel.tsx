/**
 * A session with one agent of a project (its chat, a fork of it, its work on tasks): what was said
 * and done, and where one writes.
 */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { ProblemError } from '../../../../src/client/client.ts'
import type { Agent } from '../../../../src/protocol/agents/agent.ts'
import type { Message } from '../../../../src/protocol/conversations/message.ts'
import type { Project } from '../../../../src/protocol/projects/project.ts'
import { withMessages } from '../../../../src/protocol/threads/fold-conversation.ts'
import type { ThreadState } from '../../../../src/protocol/threads/thread-state.ts'
import { asksSomething, hasFailed } from '../../../../src/protocol/threads/thread-turn.ts'
import { loadOnce } from '../../lazy-route.tsx'
import { useConnection } from '../../live/connection.ts'
import { reconnectNow } from '../../live/live.ts'
import { discard, flushOutbox, isFor, send, sendAgain, useOutbox } from '../../live/outbox.ts'
import { agentSessionsOf, coordinators, processesOf } from '../../live/processes.ts'
import { invalidate, useMay, useMe } from '../../live/queries.ts'
import { useSeen } from '../../live/recent.ts'
import { newKey } from '../../live/sending.ts'
import { changeThread } from '../../live/threads.ts'
import { useOffers, useTurns } from '../../live/turns.ts'
import { useChat, webChatKey } from '../../live/work.ts'
import { Button, buttonClass } from '../../parts/button.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useWords } from '../../translations/messages.tsx'
import { type Attachment, attachedTo } from '../../turns/attachments.tsx'
import { Composer, type ComposerHandle } from '../../turns/composer.tsx'
import { LimitCard } from '../../turns/limit-card.tsx'
import { PaneActionsContext } from '../../turns/pane-actions.ts'
import { Primer } from '../../turns/primer.tsx'
import { UnsentPrompt, WaitingPrompts } from '../../turns/prompt-queue.tsx'
import { RewoundNote } from '../../turns/rewind.tsx'
import { StatusLine } from '../../turns/status-line.tsx'
import { TitleForm } from '../../turns/title-form.tsx'
import { Transcript } from '../../turns/transcript.tsx'
import { useEscape } from '../../turns/use-escape.ts'
import { useRequest } from '../../turns/use-request.ts'
import { ViewHead } from '../../turns/view-head.tsx'
import { Workplace } from '../../turns/workplace.ts'
import { conversation } from '../conversation-queries.ts'
import { type AgentPresence, type ChatCall, presenceOf } from '../presence/agent-presence.ts'
import { AgentProblem } from '../presence/agent-problem.tsx'
import { markOf, Presence } from '../presence/presence.tsx'
import { useWarm } from '../presence/use-warm.ts'
import { ForkedFrom } from '../thread/forked-from.tsx'
import { OpenBeside } from '../thread/open-beside.tsx'
import { ReviewLink } from '../thread/review-link.tsx'
import { WorkplaceLine } from '../thread/workplace.tsx'
import { useNameOf } from '../titles.ts'
import { entriesOf, queuedOf } from './chat-entries.ts'
import { ChatRows, OlderMessages } from './chat-rows.tsx'
import { useLastVisit } from './last-visit.ts'
import { PendingApprovals, usePendingApprovals, withQuestions } from './pending-approvals.tsx'
import { usePriority } from './priority.tsx'
import { QueueNotes } from './queue-notes.tsx'
import { useChatActions } from './use-chat-actions.ts'
import { useChatPanel } from './use-chat-panel.ts'

const ContinueDialog = lazy(
  loadOnce(async () => ({
    default: (await import('../thread/continue-dialog.tsx')).ContinueDialog,
  })),
)

/** The server's limit. */
const maxMessage = 500_000
/** The interval for sending failed messages again while the server is connected. */
const againMs = 3000

interface ChatPanelProps {
  readonly project: Project
  readonly agent: Agent
  /** The agent's chat in the project when left out. */
  readonly conversationKey?: string
  /** Closes the panel, where it is one of several. */
  readonly onClose?: (() => void) | undefined
  /** Shown beside a list that leads to it: nobody is called. */
  readonly isBeside?: boolean
}

export function ChatPanel({
  project,
  agent,
  conversationKey,
  onClose,
  isBeside = false,
}: ChatPanelProps) {
  const words = useWords()
  const me = useMe()
  const mayWrite = useMay('write')
  const projectId = project.id
  const chatKey = webChatKey(projectId, agent.id)
  const key = conversationKey ?? chatKey
  const isChat = key === chatKey
  const chat = useChat(key)
  const known = useTurns(key, chat?.messages[0]?.createdAt)
  const turns = known ?? []
  const panel = useChatPanel(projectId, agent.id, mayWrite && isChat && !isBeside)
  const running = turns.findLast(({ state }) => state === 'running')
  const { asked, questions } = usePendingApprovals(projectId, isChat ? agent.id : '', running?.id)
  const asking = asked.length + questions.length > 0 || asksSomething(running)
  // A chat begins when its agent is asked to be there, or with its first message.
  const hasBegun = !isChat || panel.called !== undefined || (chat?.messages.length ?? 0) > 0
  const about = useQuery({ ...conversation(key), enabled: hasBegun, retry: false }).data
  const isAsked = isChat || about?.activity === 'starting'
  const presence = usePresence(projectId, agent, {
    chat,
    called: panel.called,
    asking,
    thinking: running !== undefined,
    isAsked,
  })
  const [isChoosing, setChoosing] = useState(false)
  const canContinue = mayWrite && about !== undefined
  const actions = useChatActions(projectId, agent.id, {
    key,
    mayWrite,
    choose: canContinue ? setChoosing : undefined,
    agents: about?.agents,
  })
  const place = { projectId, agentId: agent.id, key: isChat ? undefined : key }
  const unsent = useOutbox().filter((each) => each.by === me?.id && isFor(each, place))
  const onSent = useCallback(
    (message: Message) => changeThread(key, (now) => withMessages(now, [message])),
    [key],
  )
  useSendingAgain(place, onSent)
  const priority = usePriority()
  const stopping = useRequest()
  const warm = useWarm(key)
  const composer = useRef<ComposerHandle>(null)
  const offers = useOffers(key, about !== undefined)
  const mayConfigure = useMay('approve')
  const ring = `${panel.called?.calls} ${presence.is} ${chat?.messages.length}`
  // The title, where it works and what it waits for change with what happens.
  useEffect(() => {
    if (ring) void invalidate(['conversation', key])
  }, [ring, key])
  const nameOf = useNameOf()
  const title = about?.title || about?.opening || !isChat ? nameOf(about ?? { key }) : agent.name
  const lastSeen = useLastVisit(about, chat)
  // Only when it is known how far they had read.
  useSeen(about ? [key] : [])

  const onSend = (text: string, attached: readonly Attachment[]): boolean => {
    // A message has words, also where the picture says all.
    const content = text.trim() === '' ? words.console.attached : text
    const media = attached.length > 0 ? { media: attached } : {}
    const unsent = {
      ...place,
      clientId: newKey(),
      by: me?.id ?? '',
      content,
      ...media,
      priority: priority.value,
    }
    const taken = me !== undefined && send({ ...unsent, at: new Date().toISOString() }, onSent)
    if (taken) priority.reset()
    return taken
  }
  const onKeyDown = useEscape(
    running && mayWrite ? () => void stopping.send(actions.stop) : undefined,
  )

  const isLimited =
    isChat && chat?.limit !== undefined && chat.limit !== null && presence.is === 'ready'
  const mark = isLimited
    ? 'limited'
    : presence.is === 'ready' && hasFailed(turns.at(-1))
      ? 'failed'
      : markOf(presence)
  const isPaused = Boolean(about?.paused) || turns.at(-1)?.state === 'cancelled'
  const queued = chat ? queuedOf({ ...chat, turns }, isPaused) : []
  const entries = entriesOf(
    chat?.messages.filter((message) => !queued.includes(message)) ?? [],
    withQuestions(turns, questions),
  )
  return (
    <PaneActionsContext value={actions}>
      <ViewHead
        state={mark}
        title={title}
        project={project}
        branch={about?.workplace?.branch}
        lines={about?.lines}
        onClose={onClose}
        actions={
          <>
            {about && (
              <ReviewLink
                conversationKey={key}
                className={buttonClass(onClose ? 'quiet' : 'plain', 'px-2! text-sm')}
              />
            )}
            {!onClose && <OpenBeside keys={[key]} />}
          </>
        }
      >
        {about && (
          <TitleForm key={about.title} conversationKey={key} title={about.title} shown={title} />
        )}
        {about?.forkedFrom && <ForkedFrom origin={about.forkedFrom} />}
        {canContinue && (
          <Button className="self-start" onClick={() => setChoosing(true)}>
            {words.console.continueWith}
          </Button>
        )}
        <WorkplaceLine about={about} place={place} mayWrite={mayWrite && isChat} />
        {about && <Primer conversationKey={key} />}
      </ViewHead>
      {agent.neverAsks && (
        <p className="border-b border-line px-4 py-1 text-sm text-quiet max-md:px-2">
          {words.console.neverAsks(agent.name)}
        </p>
      )}
      <section
        data-chat
        aria-label={words.chat.with(agent.name)}
        onKeyDown={onKeyDown}
        className="flex min-h-0 flex-1 flex-col"
      >
        {chat ? (
          <Transcript
            label={words.chat.messages}
            count={entries.length}
            alone={onClose === undefined}
          >
            <OlderMessages conversationKey={key} chat={chat} />
            {about?.forkedFrom && chat.older === false && <ForkedFrom origin={about.forkedFrom} />}
            {chat.messages.length === 0 && unsent.length === 0 && !about?.rewound && (
              <p className="pt-4 text-faint">{words.chat.first(agent.name)}</p>
            )}
            <Workplace value={about?.workplace?.folder ?? undefined}>
              <ChatRows entries={entries} lastSeen={lastSeen} />
            </Workplace>
            {about && <RewoundNote conversation={about} mayWrite={mayWrite} />}
            {unsent.map((each) => (
              <UnsentPrompt
                key={each.clientId}
                text={each.content}
                error={each.refused && new ProblemError(each.refused)}
                away={presence.is === 'offline'}
                onAgain={() => sendAgain(each, onSent)}
                onDiscard={() => discard(each.clientId)}
              />
            ))}
          </Transcript>
        ) : (
          <div className="flex-1 px-4">
            <Waiting what={words.things.messages} onRetry={reconnectNow} />
          </div>
        )}
        <div className="mx-auto flex max-h-2/3 w-full max-w-196 shrink-0 flex-col px-2 pb-2">
          <ProblemNote error={panel.error} onRetry={panel.callAgain} />
          <ProblemNote error={stopping.error} />
          <AgentProblem
            presence={presence}
            place={place}
            agentName={agent.name}
            mayWrite={mayWrite}
            onRetry={panel.callAgain}
          />
          {presence.is === 'asking' && <PendingApprovals asked={asked} />}
          {chat?.limit && isChat && presence.is !== 'thinking' && (
            <LimitCard limit={chat.limit} inChat mayWrite={mayWrite} onChoose={actions.goOn} />
          )}
          <QueueNotes about={about} count={queued.length} mayWrite={mayWrite} />
          <StatusLine
            state={mark}
            since={running && Date.parse(running.at)}
            mayStop={mayWrite && running !== undefined}
          >
            <Presence
              presence={presence}
              step={running?.items.at(-1)?.kind}
              limited={isLimited}
              failed={hasFailed(turns.at(-1))}
            />
          </StatusLine>
          <WaitingPrompts
            queue={queued.map(({ seq, content, media }) => ({
              messageId: String(seq),
              text: content,
              attached: attachedTo(media),
            }))}
            mayWrite={mayWrite}
            onBack={({ text, attached = [] }, focus) =>
              composer.current?.putBack(text, attached, { focus })
            }
          />
          {mayWrite ? (
            <Composer
              draftKey={`chat.${key}`}
              name={agent.name}
              longest={maxMessage}
              offers={offers}
              mayConfigure={mayConfigure}
              cost={about?.cost}
              conversationKey={about?.workplace?.folder ? key : undefined}
              mayAttach={agent.protocol !== 'mcp'}
              isBusy={running !== undefined}
              onSend={onSend}
              focusFirst={onClose === undefined}
              handle={composer}
              onFirstKey={isChat || running ? undefined : warm}
              settings={isChat ? [priority.setting] : []}
            />
          ) : (
            <p className="border-t border-line py-3 text-quiet">{words.project.mayNot}</p>
          )}
        </div>
      </section>
      {isChoosing && (
        <Suspense>
          <ContinueDialog
            conversationKey={key}
            projectId={projectId}
            agentId={agent.id}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
    </PaneActionsContext>
  )
}

interface Seen {
  readonly chat: ThreadState | undefined
  readonly called: ChatCall | undefined
  readonly asking: boolean
  readonly thinking: boolean
  /** Whether its messages are for the agent: those of a fork were copied. */
  readonly isAsked: boolean
}

function usePresence(
  projectId: string,
  agent: Agent,
  { chat, called, asking, thinking: runs, isAsked }: Seen,
): AgentPresence {
  const connection = useConnection()
  const agentSessions = useQuery(agentSessionsOf(projectId, agent.id)).data
  const processes = useQuery(processesOf(projectId, agent.id)).data
  const machines = useQuery(coordinators).data
  const askedAt = isAsked
    ? chat?.messages.findLast((message) => message.role === 'user')?.createdAt
    : undefined
  const thinking = runs || (chat?.handedOver.length ?? 0) > 0
  return presenceOf(
    { agent, agentSessions, processes, coordinators: machines, thinking, asking, called, askedAt },
    connection,
  )
}

/** Sends waiting messages when the server is back, or after a reload (CH10). */
function useSendingAgain(
  { projectId, agentId, key }: Parameters<typeof flushOutbox>[0],
  onSent: (message: Message) => void,
) {
  const live = useConnection().state === 'live'
  useEffect(() => {
    if (!live) return
    const go = () => void flushOutbox({ projectId, agentId, key }, onSent)
    go()
    const timer = setInterval(go, againMs)
    return () => clearInterval(timer)
  }, [projectId, agentId, key, live, onSent])
}
