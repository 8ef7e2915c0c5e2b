/** The input for messages to an agent. Typed text is kept until it is sent. */
import { useRef, useState } from 'react'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { useDraft } from '../live/draft.ts'
import { Button } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { WritingArea } from '../parts/writing-area.tsx'
import { useChoice } from '../preferences/choice.ts'
import { enterChoice } from '../preferences/enter.ts'
import { useWords } from '../translations/messages.tsx'

const priorities = ['low', 'normal', 'high', 'urgent'] as const satisfies readonly Message['priority'][]
/** The server's limit. */
const maxMessage = 500_000

interface ComposerProps {
  readonly draftKey: string
  readonly agentName: string
  /** False when it could not be taken. */
  readonly onSend: (content: string, priority: Message['priority']) => boolean
}

export function Composer({ draftKey, agentName, onSend }: ComposerProps) {
  const { chat } = useWords()
  const enter = useChoice(enterChoice)
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
      <WritingArea area={area} label={chat.write(agentName)} value={text} longest={maxMessage} onValue={setText} onSend={send} />
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
        <span className="ml-auto text-xs text-faint max-md:hidden">{chat.keys[enter]}</span>
        <Button look="primary" type="submit" className="max-md:ml-auto">
          {chat.send}
        </Button>
      </div>
    </form>
  )
}
