/**
 * Names of external channels, and the keys of their conversations: `telegram:<chat id>` (CN1).
 * Pure.
 */

export const channelNames = ['telegram'] as const
export type ChannelName = (typeof channelNames)[number]

export interface ChatAddress {
  readonly channel: ChannelName
  readonly chatId: string
}

export const channelKey = ({ channel, chatId }: ChatAddress): string => `${channel}:${chatId}`

/** The chat of a key; undefined for other kinds of conversations. */
export function parseChannelKey(key: string): ChatAddress | undefined {
  const at = key.indexOf(':')
  const channel = channelNames.find((each) => each === key.slice(0, at))
  const chatId = key.slice(at + 1)
  return channel && chatId ? { channel, chatId } : undefined
}

/** Chat commands that Holdfast handles itself; other slash commands go to the agent. Pure. */
export const chatCommands = ['start', 'help', 'new', 'status', 'stop', 'continue'] as const
export type ChatCommand = (typeof chatCommands)[number]

export interface GivenCommand {
  readonly command: ChatCommand
  /** The text after the command. */
  readonly rest: string
}

/** Parses `/new`, `/new@our_bot`, `/start CODE`. Commands for other bots of a group are ignored. */
export function parseCommand(text: string, ourName: string): GivenCommand | undefined {
  const [, word = '', to, rest = ''] =
    /^\/([a-z]+)(?:@(\w+))?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? []
  const command = chatCommands.find((each) => each === word.toLowerCase())
  if (!command || (to !== undefined && to.toLowerCase() !== ourName.toLowerCase())) return undefined
  return { command, rest: rest.trim() }
}
