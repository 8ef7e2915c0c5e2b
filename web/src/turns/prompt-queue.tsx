/**
 * Prompts without a turn: those queued for the agent, in their order, and those the server has not
 * accepted yet.
 */
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import { Button, SubmitButton } from '../parts/button.tsx'
import { GripIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import type { Attachment } from './attachments.tsx'
import { usePaneActions } from './pane-actions.ts'
import { boxClass } from './prompt-text.tsx'
import { useRequest } from './use-request.ts'

export interface WaitingPrompt {
  readonly messageId: string
  readonly text: string
  readonly attached?: readonly Attachment[]
}

interface WaitingPromptsProps {
  readonly queue: readonly WaitingPrompt[]
  readonly mayWrite: boolean
  /** Takes back what was written: nothing is lost by withdrawing. */
  readonly onBack: (prompt: WaitingPrompt, isEdited: boolean) => void
}

const rowClass = 'flex min-h-8 items-center gap-x-2 text-sm'
const textClass = 'min-w-0 flex-1 truncate'
/** On a phone what can be done with it stands below. */
const ownLine = 'max-md:basis-[calc(100%-3rem)]'
const listClass =
  'mx-3 max-h-32 shrink-0 overflow-y-auto rounded-t-lg border border-b-0 border-line ' +
  'bg-sunken px-2 py-0.5'

/** The next ones, above the composer. */
export function WaitingPrompts({ queue, mayWrite, onBack }: WaitingPromptsProps) {
  const { console: words } = useWords()
  const { move } = usePaneActions()
  const moving = useRequest()
  const [dragged, setDragged] = useState<string>()
  if (queue.length === 0) return null
  const moveTo = (messageId: string, to: { before: string | null } | 'now') =>
    void (move && moving.send(() => move(messageId, to)))
  /** Up or down by one. */
  const step = (at: number, by: -1 | 1) => {
    const prompt = queue[at]
    if (!prompt || !queue[at + by]) return
    moveTo(prompt.messageId, { before: queue[by < 0 ? at - 1 : at + 2]?.messageId ?? null })
  }
  const drop = (event: DragEvent, before: string) => {
    event.preventDefault()
    if (dragged !== undefined && dragged !== before) moveTo(dragged, { before })
    setDragged(undefined)
  }
  return (
    <div className={listClass}>
      <ol aria-label={words.queue(queue.length)} className="divide-y divide-line">
        {queue.map((prompt, index) => (
          <li
            key={prompt.messageId}
            data-queued={index + 1}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => drop(event, prompt.messageId)}
          >
            <div className={index > 0 ? `${rowClass} max-md:flex-wrap` : rowClass}>
              {mayWrite && move && queue.length > 1 ? (
                <Grip
                  label={words.moveQueued(prompt.text)}
                  onStep={(by) => step(index, by)}
                  onDrag={(isDragged) => setDragged(isDragged ? prompt.messageId : undefined)}
                />
              ) : (
                <span className="shrink-0 pl-1 text-faint">{index === 0 && words.next}</span>
              )}
              <span
                dir="auto"
                className={index > 0 ? `${textClass} ${ownLine}` : textClass}
                title={prompt.text}
              >
                {prompt.text}
              </span>
              {mayWrite && (
                <Choices
                  prompt={prompt}
                  onNow={index > 0 && move ? () => moveTo(prompt.messageId, 'now') : undefined}
                  onBack={onBack}
                />
              )}
            </div>
          </li>
        ))}
      </ol>
      <ProblemNote error={moving.error} />
    </div>
  )
}

interface GripProps {
  readonly label: string
  readonly onStep: (by: -1 | 1) => void
  readonly onDrag: (isDragged: boolean) => void
}

const gripClass =
  'inline-flex size-6 shrink-0 cursor-grab items-center justify-center rounded text-faint ' +
  'hover:bg-hover max-md:size-9'

/** Moves by the arrow keys, or is dragged. */
function Grip({ label, onStep, onDrag }: GripProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    onStep(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <button
      type="button"
      draggable
      aria-label={label}
      title={label}
      aria-keyshortcuts="ArrowUp ArrowDown"
      onKeyDown={onKeyDown}
      onDragStart={() => onDrag(true)}
      onDragEnd={() => onDrag(false)}
      className={gripClass}
    >
      <GripIcon />
    </button>
  )
}

interface ChoicesProps {
  readonly prompt: WaitingPrompt
  /** undefined: it is the next one. */
  readonly onNow: (() => void) | undefined
  readonly onBack: WaitingPromptsProps['onBack']
}

function Choices({ prompt, onNow, onBack }: ChoicesProps) {
  const { console: words } = useWords()
  const { withdraw } = usePaneActions()
  const { send, waiting, error } = useRequest()
  if (!withdraw) return null
  const takeBack = async (isEdited: boolean) => {
    if (await send(() => withdraw(prompt.messageId))) onBack(prompt, isEdited)
  }
  const look = { type: 'button', look: 'quiet', className: 'min-h-7! px-2! text-sm' } as const
  return (
    <>
      {onNow && (
        <Button {...look} onClick={onNow}>
          {words.sendNext}
        </Button>
      )}
      <SubmitButton {...look} waiting={waiting} onClick={() => void takeBack(true)}>
        {words.edit}
      </SubmitButton>
      <SubmitButton {...look} waiting={waiting} onClick={() => void takeBack(false)}>
        {words.withdraw}
      </SubmitButton>
      <ProblemNote error={error} />
    </>
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
