/** Prompts without a turn: those queued for the agent, and those the server has not accepted yet. */

import { Button, SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import type { Pane } from './console-state.ts'
import { type LiveConsole, useRelayState } from './live-console.ts'
import { boxClass, promptLine } from './prompt-text.tsx'
import type { Prompt } from './stored-prompts.ts'
import { useRelayRequest } from './use-relay-request.ts'

interface WaitingPromptsProps {
  readonly pane: Pane
  readonly live: LiveConsole
  readonly mayWrite: boolean
}

export function WaitingPrompts({ pane, live, mayWrite }: WaitingPromptsProps) {
  const { console: words } = useWords()
  const queue = pane.agent?.queue ?? []
  if (queue.length === 0) return null
  return (
    <div className="pt-4">
      <h3 className="text-xs text-faint">{words.queue(queue.length)}</h3>
      <ol className="divide-y divide-line">
        {queue.map(({ messageId, position, content }) => (
          <Waits
            key={messageId}
            position={position}
            text={promptLine(content)}
            onWithdraw={mayWrite ? () => live.request({ type: 'agent:withdraw', role: pane.role, messageId }) : undefined}
          />
        ))}
      </ol>
    </div>
  )
}

interface WaitsProps {
  readonly position: number
  readonly text: string
  readonly onWithdraw: (() => Promise<unknown>) | undefined
}

function Waits({ position, text, onWithdraw }: WaitsProps) {
  const { console: words } = useWords()
  const { send, waiting, error } = useRelayRequest()
  return (
    <li data-queued={position} className="py-1">
      <div className="flex items-center gap-2">
        <span className="text-xs text-faint tabular-nums">{position}</span>
        <span className="min-w-0 flex-1 truncate text-quiet" title={text}>
          {text}
        </span>
        {onWithdraw && (
          <SubmitButton type="button" look="quiet" waiting={waiting} onClick={() => void send(onWithdraw)}>
            {words.withdraw}
          </SubmitButton>
        )}
      </div>
      <ProblemNote error={error} />
    </li>
  )
}

/** Grey until the server has it. */
export function UnsentPrompts({ role, prompts, live }: { role: string; prompts: readonly Prompt[]; live: LiveConsole }) {
  const { console: words } = useWords()
  const away = useRelayState().state !== 'live'
  return prompts
    .filter((prompt) => prompt.role === role)
    .map((prompt) => (
      <div key={prompt.requestId} data-unsent className="flex flex-col gap-1 pt-4">
        <p className={`${boxClass} whitespace-pre-wrap text-faint [overflow-wrap:anywhere]`}>
          {promptLine([{ type: 'text', text: prompt.text }, ...(prompt.attached ?? [])])}
        </p>
        {prompt.error === undefined ? (
          <p role="status" className="text-xs text-faint">
            {away ? words.kept : words.sending}
          </p>
        ) : (
          <>
            <ProblemNote error={prompt.error} typed />
            <div className="flex gap-2">
              <Button onClick={() => live.sendAgain(prompt)}>{words.sendAgain}</Button>
              <Button look="quiet" onClick={() => live.discard(prompt)}>
                {words.discard}
              </Button>
            </div>
          </>
        )}
      </div>
    ))
}
