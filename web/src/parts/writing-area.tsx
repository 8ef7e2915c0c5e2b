/** A text area for messages: Enter sends and Ctrl+Enter makes a new line, or the reverse by preference. Shift+Enter always makes a new line. */
import type { ClipboardEvent, KeyboardEvent, RefObject } from 'react'
import { useChoice } from '../preferences/choice.ts'
import { enterChoice } from '../preferences/enter.ts'
import { isComposing } from './composing.ts'
import { inputClass } from './field.tsx'

interface WritingAreaProps {
  readonly area: RefObject<HTMLTextAreaElement | null>
  readonly label: string
  readonly value: string
  readonly longest: number
  readonly onValue: (value: string) => void
  readonly onSend: () => void
  readonly onPaste?: (event: ClipboardEvent<HTMLTextAreaElement>) => void
}

export function WritingArea({ area, label, value, longest, onValue, onSend, onPaste }: WritingAreaProps) {
  const enterSends = useChoice(enterChoice) === 'sends'

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key !== 'Enter' || isComposing(event) || event.shiftKey) return
    const isOther = event.ctrlKey || event.metaKey
    if (!isOther && !enterSends) return
    event.preventDefault()
    if (isOther !== enterSends) return onSend()
    const { selectionStart, selectionEnd } = event.currentTarget
    event.currentTarget.setRangeText('\n', selectionStart, selectionEnd, 'end')
    onValue(event.currentTarget.value)
  }

  return (
    <textarea
      ref={area}
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={longest}
      enterKeyHint={enterSends ? 'send' : 'enter'}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      onChange={(event) => onValue(event.target.value)}
      className={`${inputClass} field-sizing-content max-h-[30dvh] min-h-10 resize-none`}
    />
  )
}
