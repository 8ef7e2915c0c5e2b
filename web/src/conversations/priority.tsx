/** How urgent a message is (CH6); the next one is normal again. */
import { useState } from 'react'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { useWords } from '../translations/messages.tsx'

const priorities = ['low', 'normal', 'high', 'urgent'] as const satisfies readonly Message['priority'][]

export function usePriority() {
  const [value, setValue] = useState<Message['priority']>('normal')
  return { value, onValue: setValue, reset: () => setValue('normal') }
}

export function PriorityChoice({ value, onValue }: Pick<ReturnType<typeof usePriority>, 'value' | 'onValue'>) {
  const { chat } = useWords()
  return (
    <select
      aria-label={chat.priority}
      title={chat.priority}
      value={value}
      onChange={(event) => onValue(priorities.find((each) => each === event.target.value) ?? 'normal')}
      className="h-7 rounded-md bg-transparent px-1.5 text-sm text-quiet hover:bg-hover hover:text-ink max-md:h-9"
    >
      {priorities.map((each) => (
        <option key={each} value={each}>
          {chat.priorities[each]}
        </option>
      ))}
    </select>
  )
}
