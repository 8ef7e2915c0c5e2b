/**
 * Names of external channels, and the keys of their conversations: `telegram:<chat id>` (CN1), of a
 * thread in a chat `slack:<channel>:<thread>`. Pure.
 */

export const channelNames = ['telegram', 'slack', 'discord'] as const
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

/** The chat id of a thread where the platform has none of its own: `C0123:1700000000.000100`. */
export const threadId = (parentId: string, thread: string): string => `${parentId}:${thread}`

/** The two parts of such an id; the second is undefined for a chat that is no thread. */
export function splitThreadId(chatId: string): readonly [parentId: string, thread?: string] {
  const at = chatId.indexOf(':')
  return at === -1 ? [chatId] : [chatId.slice(0, at), chatId.slice(at + 1)]
}

/** Ids of a platform grow: whether one is newer than another. */
export const isNewerId = (id: string, than: string | null): boolean =>
  than === null || id.length > than.length || (id.length === than.length && id > than)

/**
 * The characters that begin a command; the first is the one that is shown. Slack's clients keep `/`
 * for themselves.
 */
const commandMarks: Record<ChannelName, string> = { telegram: '/', slack: '!', discord: '!/' }

export const commandMark = (channel: ChannelName): string => commandMarks[channel].charAt(0)

/** Chat commands that Holdfast handles itself; other commands go to the agent. Pure. */
export const chatCommands = ['start', 'help', 'new', 'status', 'stop', 'continue'] as const
export type ChatCommand = (typeof chatCommands)[number]

export interface GivenCommand {
  readonly command: ChatCommand
  /** The text after the command. */
  readonly rest: string
}

/** Parses `/new`, `/new@our_bot`, `/start CODE`. Commands for other bots of a group are ignored. */
export function parseCommand(
  text: string,
  channel: ChannelName,
  ourName: string,
): GivenCommand | undefined {
  const trimmed = text.trim()
  if (!commandMarks[channel].includes(trimmed.charAt(0))) return undefined
  const [, word = '', to, rest = ''] =
    /^.([a-z]+)(?:@(\w+))?(?:\s+([\s\S]*))?$/i.exec(trimmed) ?? []
  const command = chatCommands.find((each) => each === word.toLowerCase())
  if (!command || (to !== undefined && to.toLowerCase() !== ourName.toLowerCase())) return undefined
  return { command, rest: rest.trim() }
}
