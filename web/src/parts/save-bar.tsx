/**
 * The end of a settings form: its error, and the buttons to save or discard once something was
 * changed.
 */
import { useWords } from '../translations/messages.tsx'
import { Button, SubmitButton } from './button.tsx'
import { ProblemNote } from './problem-note.tsx'
import { SlowAnswer } from './waiting.tsx'

interface SaveBarProps {
  /** The number of unsaved changes. */
  readonly changes: number
  readonly waiting: boolean
  readonly error: unknown
  readonly onStop: () => void
  readonly onDiscard: () => void
}

export function SaveBar({ changes, waiting, error, onStop, onDiscard }: SaveBarProps) {
  const words = useWords()
  return (
    <>
      <ProblemNote error={error} typed />
      <SlowAnswer waiting={waiting} onStop={onStop} />
      {changes > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <SubmitButton waiting={waiting}>{words.act.save}</SubmitButton>
          <Button look="quiet" onClick={onDiscard}>
            {words.act.discard}
          </Button>
          <span className="text-sm text-faint">{words.form.unsaved(changes)}</span>
        </div>
      )}
    </>
  )
}
