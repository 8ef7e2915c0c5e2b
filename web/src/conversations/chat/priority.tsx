/** How urgent a message is (CH6); the next one is normal again. */
import { useState } from 'react'
import type { Message } from '../../../../src/protocol/conversations/message.ts'
import { useWords } from '../../translations/messages.tsx'
import type { ComposerSetting } from '../../turns/agent-settings.tsx'

const priorities = [
  'low',
  'normal',
  'high',
  'urgent',
] as const satisfies readonly Message['priority'][]

export function usePriority() {
  const { chat } = useWords()
  const [value, setValue] = useState<Message['priority']>('normal')
  const setting: ComposerSetting = {
    id: 'priority',
    label: chat.priority,
    value,
    values: priorities.map((id) => ({ id, name: chat.priorities[id] })),
    disabled: false,
    onValue: (chosen) => setValue(priorities.find((each) => each === chosen) ?? 'normal'),
  }
  return { value, setting, reset: () => setValue('normal') }
}
