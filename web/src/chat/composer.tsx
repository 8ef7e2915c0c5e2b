/** Where one writes: Enter sends, Ctrl+Enter or Shift+Enter makes a new line. What is typed stays until it is sent. */
import { type KeyboardEvent, useRef, useState } from 'react'
import type { Message } from '../../../src/protocol/message.ts'
import { useDraft } from '../live/draft.ts'
import { useWords } from '../messages/messages.tsx'
import { Button } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'

const priorities = ['low', 'normal', 'high', 'urgent'] as const satisfies readonly Message['priority'][]
/** What the server accepts. */
const longestMessage = 500_000

interface ComposerProps {
  readonly draftKey: string
  readonly agentName: string
  /** False when it could not be taken. */
  readonly onSend: (content: string, priority: Message['priority']) => boolean
}

export function Composer({ draftKey, agentName, onSend }: ComposerProps) {
  const { chat } = useWords()
  const [text, setText, clearText] = useDraft(draftKey, '')
  const [priority, setPriority] = useState<Message['priority']>('normal')
  const [full, setFull] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)

  function send() {
    if (text.trim() === '') return
    const taken = onSend(text, priority)
    setFull(!taken)
    if (!taken) return
    clearText()
    setPriority('normal')
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
      {full && (
        <p role="alert" className="text-sm text-warn">
          {chat.full}
        </p>
      )}
      <textarea
        ref={area}
        aria-label={chat.write(agentName)}
        placeholder={chat.write(agentName)}
        value={text}
        maxLength={longestMessage}
        enterKeyHint="send"
        onKeyDown={onKeyDown}
        onChange={(event) => setText(event.target.value)}
        className={`${inputClass} field-sizing-content max-h-[30dvh] min-h-10 resize-none`}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <label className="flex items-center gap-2 text-sm text-quiet">
          {chat.priority}
          <select
            value={priority}
            onChange={(event) => setPriority(priorities.find((each) => each === event.target.value) ?? 'normal')}
            className={`${inputClass} w-auto! py-1!`}
          >
            {priorities.map((each) => (
              <option key={each} value={each}>
                {chat.priorities[each]}
              </option>
            ))}
          </select>
        </label>
        <span className="ml-auto text-xs text-faint max-md:hidden">{chat.keys}</span>
        <Button look="primary" type="submit" className="max-md:ml-auto">
          {chat.send}
        </Button>
      </div>
    </form>
  )
}
