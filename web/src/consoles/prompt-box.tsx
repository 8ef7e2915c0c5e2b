/** The input for prompts to an agent in a role; Escape cancels the running turn. */
import { useRef } from 'react'
import { useDraft } from '../live/draft.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { WritingArea } from '../parts/writing-area.tsx'
import { useChoice } from '../preferences/choice.ts'
import { enterChoice } from '../preferences/enter.ts'
import { useWords } from '../translations/messages.tsx'
import { AttachButton, AttachedList, type Attachment, useAttachments } from './attachments.tsx'

/** The server's limit (src/protocol/turns/prompt.ts). */
const maxPrompt = 900_000

interface PromptBoxProps {
  readonly draftKey: string
  readonly role: string
  /** Whether the agent accepts images. */
  readonly pictures: boolean
  readonly onSend: (text: string, attached: readonly Attachment[]) => void
  /** Cancels the running turn; undefined when none runs. */
  readonly onCancel: (() => void) | undefined
  readonly cancelling: boolean
}

export function PromptBox({ draftKey, role, pictures, onSend, onCancel, cancelling }: PromptBoxProps) {
  const { chat, console: words } = useWords()
  const enter = useChoice(enterChoice)
  const [text, setText, clearText] = useDraft(draftKey, '')
  const area = useRef<HTMLTextAreaElement>(null)
  const attachments = useAttachments(draftKey, pictures)

  function send() {
    // Attachments that are still being read belong to this message.
    if (attachments.reading) return
    if (text.trim() === '' && attachments.attached.length === 0) return
    onSend(text, attachments.attached)
    clearText()
    attachments.clear()
    area.current?.focus()
  }

  return (
    <form
      className="@container flex flex-col gap-2 border-t border-line py-3"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <WritingArea
        area={area}
        label={words.write(role)}
        value={text}
        longest={maxPrompt}
        onValue={setText}
        onSend={send}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return
          event.preventDefault()
          void attachments.add([...event.clipboardData.files])
        }}
      />
      <AttachedList {...attachments} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <AttachButton onFiles={(files) => void attachments.add(files)} />
        {/* Beside each other panes are as narrow as a phone: then the room belongs to what was said. */}
        <span className={`min-w-0 flex-1 text-xs text-faint max-md:hidden ${onCancel ? '@max-lg:hidden' : '@max-3xs:hidden'}`}>
          {onCancel ? words.keysWorking : chat.keys[enter]}
        </span>
        <div className="ml-auto flex flex-wrap justify-end gap-2">
          {onCancel && (
            <SubmitButton type="button" look="plain" waiting={cancelling} onClick={onCancel}>
              {words.cancel}
            </SubmitButton>
          )}
          <Button look="primary" type="submit">
            {onCancel ? words.queueIt : words.send}
          </Button>
        </div>
      </div>
    </form>
  )
}
