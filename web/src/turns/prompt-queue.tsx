/**
 * Prompts without a turn: those queued for the agent, and those the server has not accepted yet.
 */
import { Button, SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { usePaneActions } from './pane-actions.ts'
import { boxClass } from './prompt-text.tsx'
import { useRequest } from './use-request.ts'

export interface WaitingPrompt {
  readonly messageId: string
  readonly text: string
}

/** The next ones, above the composer. */
export function WaitingPrompts({
  queue,
  mayWrite,
}: {
  queue: readonly WaitingPrompt[]
  mayWrite: boolean
}) {
  const { console: words } = useWords()
  if (queue.length === 0) return null
  return (
    <div className="mx-3 max-h-32 shrink-0 overflow-y-auto rounded-t-lg border border-b-0 border-line bg-sunken px-3 py-0.5">
      <ol aria-label={words.queue(queue.length)} className="divide-y divide-line">
        {queue.map((prompt, index) => (
          <Waits key={prompt.messageId} prompt={prompt} position={index + 1} mayWrite={mayWrite} />
        ))}
      </ol>
    </div>
  )
}

function Waits({
  prompt: { messageId, text },
  position,
  mayWrite,
}: {
  prompt: WaitingPrompt
  position: number
  mayWrite: boolean
}) {
  const { console: words } = useWords()
  const { withdraw } = usePaneActions()
  const { send, waiting, error } = useRequest()
  return (
    <li data-queued={position}>
      <div className="flex min-h-8 items-center gap-2 text-sm">
        <span className="shrink-0 text-faint">{position === 1 ? words.next : position}</span>
        <span className="min-w-0 flex-1 truncate text-quiet" title={text}>
          {text}
        </span>
        {mayWrite && withdraw && (
          <SubmitButton
            type="button"
            look="quiet"
            className="min-h-7! px-2! text-sm"
            waiting={waiting}
            onClick={() => void send(() => withdraw(messageId))}
          >
            {words.withdraw}
          </SubmitButton>
        )}
      </div>
      <ProblemNote error={error} />
    </li>
  )
}

interface UnsentPromptProps {
  readonly text: string
  readonly error: unknown
  /** The server cannot be reached. */
  readonly away: boolean
  readonly onAgain: () => void
  readonly onDiscard: () => void
}

/** Grey until the server has it. */
export function UnsentPrompt({ text, error, away, onAgain, onDiscard }: UnsentPromptProps) {
  const { console: words } = useWords()
  return (
    <div data-unsent className="flex flex-col gap-1 pt-4">
      <p className={`${boxClass} whitespace-pre-wrap text-faint [overflow-wrap:anywhere]`}>
        {text}
      </p>
      {error === undefined ? (
        <p role="status" className="text-xs text-faint">
          {away ? words.kept : words.sending}
        </p>
      ) : (
        <>
          <ProblemNote error={error} typed />
          <div className="flex gap-2">
            <Button onClick={onAgain}>{words.sendAgain}</Button>
            <Button look="quiet" onClick={onDiscard}>
              {words.discard}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}
