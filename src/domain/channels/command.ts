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
  const [, word = '', to, rest = ''] = /^\/([a-z]+)(?:@(\w+))?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? []
  const command = chatCommands.find((each) => each === word.toLowerCase())
  if (!command || (to !== undefined && to.toLowerCase() !== ourName.toLowerCase())) return undefined
  return { command, rest: rest.trim() }
}
