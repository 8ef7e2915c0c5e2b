/** The commands that a chat understands itself; whatever else begins with a slash is for the agent. Pure. */
export const chatCommands = ['start', 'help', 'new', 'status', 'stop', 'continue'] as const
export type ChatCommand = (typeof chatCommands)[number]

export interface GivenCommand {
  readonly command: ChatCommand
  /** What stands behind it. */
  readonly rest: string
}

/** `/new`, `/new@our_bot`, `/start CODE`. One that is for another bot of the group is none of ours. */
export function parseCommand(text: string, ourName: string): GivenCommand | undefined {
  const [, word = '', to, rest = ''] = /^\/([a-z]+)(?:@(\w+))?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? []
  const command = chatCommands.find((each) => each === word.toLowerCase())
  if (!command || (to !== undefined && to.toLowerCase() !== ourName.toLowerCase())) return undefined
  return { command, rest: rest.trim() }
}
