/**
 * How a message is told: under whose name, in which words, and so that it cannot pass for another's
 * (CV14, CX17). Pure.
 */

/** The name of what somebody put in for another: the role, and the name it came with. */
export const putInName = (role: string, name?: unknown): string =>
  typeof name === 'string' && /^[^\p{C}\p{Z}]/u.test(name) && name.length <= maxNameChars
    ? `${role} ${inLine(name)}`
    : role

const maxNameChars = 100

const inLine = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').trim()

const roleWords = /^(?:user|assistant|system|tool)(?:\s|$)/i

/** Whether a name that somebody gave themselves reads like a role. */
export const looksLikeRole = (name: string): boolean => roleWords.test(name)

interface MessageText {
  readonly content: string
  readonly toolCalls: unknown
  readonly media: unknown
}

/** The text of a message; what it calls and brings when it has none. */
export function textOfMessage({ content, toolCalls, media }: MessageText): string {
  if (content.trim() !== '') return content
  const besides = besidesText({ toolCalls, media })
  return besides === '' ? content : `(${besides})`
}

/** Names the tools that a message calls, and counts its media. */
export const besidesText = ({ toolCalls, media }: Omit<MessageText, 'content'>): string =>
  [
    ...toolNames(toolCalls),
    ...(Array.isArray(media) && media.length > 0 ? [`${media.length} media`] : []),
  ].join(', ')

function toolNames(toolCalls: unknown): string[] {
  if (!Array.isArray(toolCalls)) return []
  return toolCalls.map((call) => {
    const name: unknown = call?.function?.name ?? call?.name
    return `calls ${typeof name === 'string' && /^[\w.-]{1,100}$/.test(name) ? name : 'a tool'}`
  })
}

/** Every character that some reader treats as a line end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are line ends
export const lineEnds = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/g

/** Indents every line but the first, so that none of them can begin as somebody else's does. */
export const indented = (text: string): string => text.replaceAll(lineEnds, '\n  ')
