/** Formats a message for a terminal: sender, time and text, without control characters. */
import { epochMs } from '../../domain/instant.ts'
import { visible } from '../../platform/visible.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { Paint } from '../terminal.ts'

export function chatLine({ senderId, content, createdAt, role }: Message, paint: Paint): string {
  const at = new Date(epochMs(createdAt))
  const time = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  const [first = '', ...others] = content.split('\n').map(visible)
  const who = paint(role === 'assistant' ? 'cyan' : 'green', visible(senderId))
  return [`${paint('dim', time)} ${who}  ${first}`, ...others.map((line) => `      ${line}`)].join('\n')
}
