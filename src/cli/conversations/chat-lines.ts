/** Formats a message for a terminal: sender, time and text, without control characters. */
import { textOfMessage } from '../../domain/conversations/senders.ts'
import { epochMs } from '../../domain/instant.ts'
import { visible } from '../../platform/log/visible.ts'
import {
  type ConversationWorkspace,
  NamedWorkspace,
} from '../../protocol/conversations/conversation-workspace.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { usage } from '../failure.ts'
import type { Paint } from '../terminal.ts'

export function chatLine(message: Message, paint: Paint): string {
  const { senderId, senderName, createdAt, role } = message
  const at = new Date(epochMs(createdAt))
  const time = [at.getHours(), at.getMinutes()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  const [first = '', ...others] = textOfMessage(message).split('\n').map(visible)
  const who = paint(role === 'assistant' ? 'cyan' : 'green', visible(senderName ?? senderId))
  return [`${paint('dim', time)} ${who}  ${first}`, ...others.map((line) => `      ${line}`)].join(
    '\n',
  )
}

const kinds: Record<ConversationWorkspace['kind'], string> = {
  worktree: 'a worktree of its own',
  checkout: 'the project’s folder',
  plain: 'a folder without git',
  folder: 'a folder that was given',
}

export function workplaceWords({ kind, folder, branch }: ConversationWorkspace): string {
  const where = folder === null ? '' : `, ${visible(folder)}`
  return `${kinds[kind]}${where}${branch === null ? '' : ` on ${visible(branch)}`}`
}

export const waitsWords = (key: string): string =>
  `until another conversation’s work in this folder ends; at once: holdfast conversations begin ${visible(key)}`

const pausedBecause = { stopped: 'it was stopped', failed: 'its last turn has failed' } as const

export const pausedWords = (paused: keyof typeof pausedBecause, key: string): string => {
  const command = `holdfast conversations go-on ${visible(key)}`
  return `because ${pausedBecause[paused]}; to go on, write, or: ${command}`
}

export function workplaceTyped(typed: string | undefined): NamedWorkspace | undefined {
  if (typed === undefined) return undefined
  const choice = NamedWorkspace.safeParse(typed)
  if (choice.success) return choice.data
  throw usage(
    `${visible(typed)} is no workplace.`,
    `Choose one of ${NamedWorkspace.options.join(', ')}.`,
  )
}
