/**
 * A text area for messages: Enter sends and Ctrl+Enter makes a new line, or the reverse by
 * preference. Shift+Enter always makes a new line.
 */
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
  /** Handles a key before anything else does; true: it is dealt with. */
  readonly onKey?: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean
  readonly onSelect?: (area: HTMLTextAreaElement) => void
  /** The list that completes what is written, and its entry that is chosen. */
  readonly list?: { readonly id: string; readonly active: string | undefined } | undefined
  readonly className?: string
}

export function WritingArea({
  area,
  label,
  value,
  longest,
  onValue,
  onSend,
  onPaste,
  ...rest
}: WritingAreaProps) {
  const { onKey, onSelect, list, className = inputClass } = rest
  const enterSends = useChoice(enterChoice) === 'sends'

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (onKey?.(event)) return
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
      dir="auto"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={longest}
      enterKeyHint={enterSends ? 'send' : 'enter'}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      onChange={(event) => {
        onValue(event.target.value)
        onSelect?.(event.target)
      }}
      onSelect={(event) => onSelect?.(event.currentTarget)}
      {...(list && {
        role: 'combobox',
        'aria-expanded': true,
        'aria-controls': list.id,
        'aria-autocomplete': 'list' as const,
        'aria-activedescendant': list.active,
      })}
      className={`${className} field-sizing-content max-h-[30dvh] min-h-10 resize-none`}
    />
  )
}
