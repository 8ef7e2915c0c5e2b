/** One role: its agent, its turns, its queue and the input for prompts. */
import { type KeyboardEvent, useRef } from 'react'
import { useMay } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { isComposing } from '../parts/composing.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { type AgentEvent, type Pane, runningTurn } from './console-state.ts'
import { FailedAgent, GoneAgent } from './ended-agent.tsx'
import { LimitCard } from './limit-card.tsx'
import type { ConsoleData, LiveConsole } from './live-console.ts'
import { PaneHead } from './pane-head.tsx'
import { PromptBox } from './prompt-box.tsx'
import { UnsentPrompts, WaitingPrompts } from './prompt-queue.tsx'
import { TurnView } from './turn-view.tsx'
import { useRelayRequest } from './use-relay-request.ts'
import { Workplace } from './workplace.ts'

interface PaneViewProps {
  readonly pane: Pane
  readonly known: ConsoleData
  readonly live: LiveConsole
  readonly userSessionId: string
  /** Whether this pane is the chosen one, where only one fits. */
  readonly chosen: boolean
}

export function PaneView({ pane, known, live, userSessionId, chosen }: PaneViewProps) {
  const { console: words } = useWords()
  const mayWrite = useMay('write')
  const cancelling = useRelayRequest()
  const section = useRef<HTMLElement>(null)
  const { role, agent } = pane
  const active = known.consoleState.state === 'ACTIVE'
  const running = runningTurn(pane)
  const limit = active && !running ? agent?.limit : undefined
  const cancel = () => void cancelling.send(() => live.request({ type: 'agent:cancel', role }))

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || isComposing(event) || !running || !mayWrite) return
    event.preventDefault()
    cancel()
  }

  return (
    <section
      ref={section}
      aria-label={words.paneOf(role)}
      data-role={role}
      onKeyDown={onKeyDown}
      className={`flex min-h-0 min-w-0 flex-1 flex-col md:min-w-80 md:px-3 ${chosen ? '' : 'max-md:hidden'}`}
    >
      <PaneHead pane={pane} live={live} mayWrite={mayWrite && active} />
      <div
        role="log"
        aria-label={words.transcriptOf(role)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto overscroll-contain -outline-offset-2"
      >
        <div className="min-w-0 pb-4">
          {known.consoleState.cut && <Older live={live} />}
          {pane.entries.length === 0 && agent && <p className="pt-4 text-faint">{words.nothingYet}</p>}
          <Workplace value={agent?.workspace}>
            <ol>
              {pane.entries.map((entry, index) =>
                entry.kind === 'turn' ? (
                  <TurnView
                    key={entry.messageId}
                    turn={entry}
                    agentId={pane.lastAgentId}
                    live={live}
                    carded={limit?.messageId === entry.messageId}
                  />
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever appended to
                  <HappeningRow key={`${entry.at}.${index}`} happening={entry} />
                ),
              )}
            </ol>
          </Workplace>
          {limit && (
            <LimitCard limit={limit} mayWrite={mayWrite} onChoose={(goOn) => live.request({ type: 'agent:go-on', role, goOn })} />
          )}
          {agent?.state === 'FAILED' && active && <FailedAgent pane={pane} agent={agent} live={live} mayWrite={mayWrite} />}
          {!agent && active && <GoneAgent pane={pane} live={live} mayWrite={mayWrite} />}
          <WaitingPrompts pane={pane} live={live} mayWrite={mayWrite && active} />
          <UnsentPrompts role={role} prompts={known.prompts} live={live} />
          <ProblemNote error={cancelling.error} />
        </div>
      </div>
      {mayWrite && active && agent?.state === 'ACTIVE' && (
        <PromptBox
          draftKey={`console.${userSessionId}.${role}`}
          role={role}
          pictures={agent.images}
          onSend={(text, attached) => live.send(role, text, attached)}
          onCancel={running ? cancel : undefined}
          cancelling={cancelling.waiting}
        />
      )}
    </section>
  )
}

function Older({ live }: { live: LiveConsole }) {
  const { chat: words } = useWords()
  const { send, waiting, error } = useRelayRequest()
  return (
    <div className="flex flex-col items-center gap-2 pt-4">
      <ProblemNote error={error} />
      <SubmitButton look="quiet" type="button" waiting={waiting} onClick={() => void send(() => live.readOlder())}>
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
    kind === 'ended' ? words.ended(translate(text ?? '', notice)) : kind === 'started' ? words.started(text) : words[kind]
  return (
    <li className="flex flex-wrap justify-center gap-x-2 pt-4 text-center text-xs text-faint">
      <span>{what}</span>
      <time dateTime={at} title={writing.exact(at)} className="tabular-nums">
        {writing.clock(Date.parse(at))}
      </time>
    </li>
  )
}
