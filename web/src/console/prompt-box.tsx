/** Where one writes to an agent: Enter sends, Ctrl+Enter or Shift+Enter makes a new line, Escape cancels the turn that runs. */
import { type KeyboardEvent, useRef } from 'react'
import { useDraft } from '../live/draft.ts'
import { useWords } from '../messages/messages.tsx'
import { Button, SubmitButton } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { AttachButton, AttachedList, type Attachment, useAttachments } from './attachments.tsx'

/** What the server accepts (src/protocol/prompt.ts). */
const longestPrompt = 900_000

interface PromptBoxProps {
  readonly draftKey: string
  readonly role: string
  /** Whether its agent takes them. */
  readonly pictures: boolean
  readonly onSend: (text: string, attached: readonly Attachment[]) => void
  /** Undefined when nothing runs. */
  readonly onCancel: (() => void) | undefined
  readonly cancelling: boolean
}

export function PromptBox({ draftKey, role, pictures, onSend, onCancel, cancelling }: PromptBoxProps) {
  const { console: words } = useWords()
  const [text, setText, clearText] = useDraft(draftKey, '')
  const area = useRef<HTMLTextAreaElement>(null)
  const attachments = useAttachments(pictures)

  function send() {
    if (text.trim() === '' && attachments.attached.length === 0) return
    onSend(text, attachments.attached)
    clearText()
    attachments.clear()
    area.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    // While an input method composes, Enter chooses a word; some browsers tell it only by this number.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.keyCode === 229 || event.shiftKey) return
    event.preventDefault()
    if (!event.ctrlKey && !event.metaKey) return send()
    const { selectionStart, selectionEnd } = event.currentTarget
    event.currentTarget.setRangeText('\n', selectionStart, selectionEnd, 'end')
    setText(event.currentTarget.value)
  }

  return (
    <form
      className="flex flex-col gap-2 border-t border-line py-3"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={area}
        aria-label={words.write(role)}
        placeholder={words.write(role)}
        value={text}
        maxLength={longestPrompt}
        enterKeyHint="send"
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return
          event.preventDefault()
          void attachments.add([...event.clipboardData.files])
        }}
        onChange={(event) => setText(event.target.value)}
        className={`${inputClass} field-sizing-content max-h-[30dvh] min-h-10 resize-none`}
      />
      <AttachedList {...attachments} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <AttachButton onFiles={(files) => void attachments.add(files)} />
        <span className="min-w-0 flex-1 text-xs text-faint max-md:hidden">{onCancel ? words.keysWorking : words.keys}</span>
        {onCancel && (
          <SubmitButton type="button" look="plain" waiting={cancelling} onClick={onCancel} className="max-md:ml-auto">
            {words.cancel}
          </SubmitButton>
        )}
        <Button look="primary" type="submit" className="max-md:ml-auto">
          {onCancel ? words.queueIt : words.send}
        </Button>
      </div>
    </form>
  )
}
