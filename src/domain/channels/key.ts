/** Names of external channels, and the keys of their conversations: `telegram:<chat id>` (CN1). Pure. */
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
