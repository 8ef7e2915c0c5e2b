/** One role of a console: its agent, its turns, its queue and the composer. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { conversation } from '../conversations/conversation-queries.ts'
import { invalidate, useMay } from '../live/queries.ts'
import { turnFiles } from '../live/turns.ts'
import { SubmitButton } from '../parts/button.tsx'
import { NearRow } from '../parts/near.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { attachedTo } from '../turns/attachments.tsx'
import { Composer, type ComposerHandle } from '../turns/composer.tsx'
import { LimitCard } from '../turns/limit-card.tsx'
import { type PaneActions, PaneActionsContext } from '../turns/pane-actions.ts'
import { UnsentPrompt, WaitingPrompts } from '../turns/prompt-queue.tsx'
import { promptLine } from '../turns/prompt-text.tsx'
import { RewoundNote } from '../turns/rewind.tsx'
import { StatusLine } from '../turns/status-line.tsx'
import { drawnAtFirst, guessedHeight, Transcript } from '../turns/transcript.tsx'
import { TurnView } from '../turns/turn-view.tsx'
import { useEscape } from '../turns/use-escape.ts'
import { useRequest } from '../turns/use-request.ts'
import { Workplace } from '../turns/workplace.ts'
import { type AgentEvent, type Pane, runningTurn } from './console-state.ts'
import { FailedAgent, GoneAgent } from './ended-agent.tsx'
import { type ConsoleData, type LiveConsole, useRelayState } from './live-console.ts'
import { PaneHead, stateOf, stateWord } from './pane-head.tsx'

/** The server's limit (src/protocol/turns/prompt.ts). */
const maxPrompt = 900_000

interface PaneViewProps {
  readonly pane: Pane
  readonly known: ConsoleData
  readonly live: LiveConsole
  readonly userSessionId: string
  /** Whether this pane is the chosen one, where only one fits. */
  readonly chosen: boolean
}

type About = Pick<PaneActions, 'agentId' | 'projectId' | 'conversationKey' | 'mayWrite'>

function useRoleActions(
  live: LiveConsole,
  role: string,
  { agentId, projectId, conversationKey, mayWrite }: About,
): PaneActions {
  return useMemo(
    () => ({
      agentId,
      projectId,
      conversationKey,
      mayWrite,
      answer: (approvalId, { optionId }, always) =>
        live.request({
          type: 'permission:answer',
          approvalId,
          optionId,
          ...(always && { always }),
        }),
      withdraw: (messageId) => live.request({ type: 'agent:withdraw', role, messageId }),
      configure: (change) => live.request({ type: 'agent:configure', role, change }),
      decline: (approvalId) =>
        live.request({ type: 'permission:answer', approvalId, outcome: 'denied' }),
      retry: ({ content }) => live.request({ type: 'agent:message', role, content: [...content] }),
      goOn: (goOn) => live.request({ type: 'agent:go-on', role, goOn }),
      stop: () => live.request({ type: 'agent:cancel', role }),
    }),
    [live, role, agentId, projectId, conversationKey, mayWrite],
  )
}

export function PaneView({ pane, known, live, userSessionId, chosen }: PaneViewProps) {
  const words = useWords()
  const mayWrite = useMay('write')
  const away = useRelayState().state !== 'live'
  const { role, agent } = pane
  const { projectId } = useParams({ from: '/shell/projects/$projectId' })
  const agentId = agent?.agentId ?? pane.lastAgentId
  const conversationKey = agent?.conversation || undefined
  const actions = useRoleActions(live, role, { agentId, projectId, conversationKey, mayWrite })
  const over = pane.entries.filter(
    (entry) => entry.kind === 'turn' && entry.state !== 'running',
  ).length
  const files = useQuery(turnFiles(conversationKey ?? '', conversationKey ? over : 0)).data
  const entries = pane.entries.filter(
    (entry) => entry.kind !== 'turn' || !files?.get(entry.id)?.rewound,
  )
  const newestTurn = entries.findLastIndex(({ kind }) => kind === 'turn')
  const begun = conversationKey !== undefined && over > 0
  const about = useQuery({
    ...conversation(conversationKey ?? ''),
    enabled: begun,
    retry: false,
  }).data
  const active = known.consoleState.state === 'ACTIVE'
  const running = runningTurn(pane)
  const limit = active && !running ? agent?.limit : undefined
  const stopping = useRequest()
  const composer = useRef<ComposerHandle>(null)
  const ring = `${conversationKey} ${over} ${running?.id}`
  // What is said next ends the time in which a rewind can be undone.
  useEffect(() => {
    if (ring) void invalidate(['conversation', conversationKey])
  }, [ring, conversationKey])
  const state = stateOf(pane)

  const onKeyDown = useEscape(
    running && mayWrite ? () => void stopping.send(actions.stop) : undefined,
  )

  return (
    <PaneActionsContext value={actions}>
      <section
        aria-label={words.console.paneOf(role)}
        data-role={role}
        onKeyDown={onKeyDown}
        className={`flex min-h-0 min-w-0 flex-1 flex-col md:min-w-80 ${chosen ? '' : 'max-md:hidden'}`}
      >
        <PaneHead pane={pane} lines={about?.lines} live={live} mayWrite={mayWrite && active} />
        <Transcript label={words.console.transcriptOf(role)} count={entries.length}>
          {known.consoleState.cut && <Older live={live} />}
          {entries.length === 0 && agent && !about?.rewound && (
            <p className="pt-4 text-faint">{words.console.nothingYet}</p>
          )}
          <Workplace value={agent?.workspace}>
            <ol>
              {entries.map((entry, index) =>
                entry.kind === 'turn' ? (
                  <NearRow
                    key={entry.id}
                    first={index >= entries.length - drawnAtFirst}
                    always={entry.state === 'running'}
                    guess={guessedHeight}
                  >
                    <TurnView
                      turn={entry}
                      isNewest={index === newestTurn}
                      files={files?.get(entry.id)}
                      carded={limit?.messageId === entry.id}
                    />
                  </NearRow>
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever appended to
                  <HappeningRow key={`${entry.at}.${index}`} happening={entry} />
                ),
              )}
            </ol>
          </Workplace>
          {about && <RewoundNote conversation={about} mayWrite={mayWrite && active} />}
          {limit && <LimitCard limit={limit} mayWrite={mayWrite} onChoose={actions.goOn} />}
          {agent?.state === 'FAILED' && active && (
            <FailedAgent pane={pane} agent={agent} live={live} mayWrite={mayWrite} />
          )}
          {!agent && active && <GoneAgent pane={pane} live={live} mayWrite={mayWrite} />}
          {known.prompts
            .filter((prompt) => prompt.role === role)
            .map((prompt) => (
              <UnsentPrompt
                key={prompt.requestId}
                text={promptLine([{ type: 'text', text: prompt.text }, ...(prompt.attached ?? [])])}
                error={prompt.error}
                away={away}
                onAgain={() => live.sendAgain(prompt)}
                onDiscard={() => live.discard(prompt)}
              />
            ))}
          <ProblemNote error={stopping.error} />
        </Transcript>
        <div className="mx-auto flex w-full max-w-196 shrink-0 flex-col px-2 pb-2">
          {active && (
            <StatusLine
              state={state ?? 'ended'}
              since={running && Date.parse(running.at)}
              mayStop={mayWrite && running !== undefined}
            >
              <span role="status" data-state={state ?? 'gone'}>
                {stateWord(pane, words)}
              </span>
            </StatusLine>
          )}
          <WaitingPrompts
            queue={(agent?.queue ?? []).map(({ messageId, content }) => ({
              messageId,
              text: promptLine(content.filter(({ type }) => type === 'text')),
              attached: attachedTo(content),
            }))}
            mayWrite={mayWrite && active}
            onBack={({ text, attached = [] }, focus) =>
              composer.current?.putBack(text, attached, { focus })
            }
          />
          {mayWrite && active && agent?.state === 'ACTIVE' && (
            <Composer
              draftKey={`console.${userSessionId}.${role}`}
              name={role}
              longest={maxPrompt}
              offers={agent}
              conversationKey={agent.conversation || undefined}
              mayAttach
              isBusy={running !== undefined}
              handle={composer}
              onSend={(text, attached) => {
                live.send(role, text, attached)
                return true
              }}
            />
          )}
        </div>
      </section>
    </PaneActionsContext>
  )
}

function Older({ live }: { live: LiveConsole }) {
  const { chat: words } = useWords()
  const { send, waiting, error } = useRequest()
  return (
    <div className="flex flex-col items-center gap-2 pt-4">
      <ProblemNote error={error} />
      <SubmitButton
        look="quiet"
        type="button"
        waiting={waiting}
        onClick={() => void send(() => live.readOlder())}
      >
        {words.older}
      </SubmitButton>
    </div>
  )
}

function HappeningRow({ happening }: { happening: AgentEvent }) {
  const { console: words } = useWords()
  const writing = useWriting()
  const translate = useSaid()
  const { kind, at, text, notice } = happening
  // Why one failed is told below, for as long as it stands there failed.
  const what =
    kind === 'ended'
      ? words.ended(translate(text ?? '', notice))
      : kind === 'started'
        ? words.started(text)
        : words[kind]
  return (
    <li className="flex flex-wrap justify-center gap-x-2 pt-4 text-center text-xs text-faint">
      <span>{what}</span>
      <time dateTime={at} title={writing.exact(at)} className="tabular-nums">
        {writing.clock(Date.parse(at))}
      </time>
    </li>
  )
}
