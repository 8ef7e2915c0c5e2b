/** Conversation keys, `<channel>:<chat id>` (CV6), without characters that a file system may reject: they become names. Pure. */

import type { NoticeText } from '../notices.ts'
import { refusalText } from '../refusal-texts.ts'

const maxBytes = 200

export interface ConversationKey {
  readonly channel: string
  readonly chatId: string
}

export interface KeyRefusal {
  readonly code: 'invalid_key'
  readonly detail: NoticeText
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/
/** Windows treats these as devices, in any case, also with an extension or spaces before it. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i

/** Splits a key at its first colon, or says what is wrong with it. */
export function parseKey(key: string): { key: ConversationKey } | { refused: KeyRefusal } {
  const at = key.indexOf(':')
  const channel = key.slice(0, Math.max(at, 0))
  const chatId = key.slice(at + 1)
  const detail = problemWith(key, at === -1 ? [key] : [channel, chatId])
  return detail ? { refused: { code: 'invalid_key', detail } } : { key: { channel, chatId } }
}

function problemWith(key: string, parts: readonly string[]): NoticeText | undefined {
  if (!key.isWellFormed()) return refusalText('keyUnicode')
  if (new TextEncoder().encode(key).length > maxBytes)
    return refusalText('keyBytes', { most: maxBytes })
  if (controlCharacters.test(key)) return refusalText('keyControl')
  if (/[/\\]/.test(key)) return refusalText('keySlash')
  if (parts.some((part) => part === '.' || part === '..')) return refusalText('keyDots')
  if (parts.some((part) => device.test(part))) return refusalText('keyDevice')
  if (parts.length < 2 || parts.some((part) => part.trim() === '')) return refusalText('keyForm')
  if (/[. ]$/.test(key)) return refusalText('keyEnd')
  return undefined
}

/** DC9: consoles, work, forks, scheduled runs, imports and races have one chapter, which ends with them. */
const withoutDays: ReadonlySet<string> = new Set([
  'console',
  'work',
  'fork',
  'schedule',
  'import',
  'race',
])

const channelOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf(':'))).toLowerCase()

/** Whether the conversation is cut over at the end of a day. */
export const hasDays = (key: string): boolean => !withoutDays.has(channelOf(key))

/** CV11: keys that only the server assigns. */
export const isReserved = (key: string): boolean =>
  channelOf(key) === 'agent' || withoutDays.has(channelOf(key))

/** A person's chat with an agent of a project. */
export const webKey = (projectId: string, agentId: string): string => `web:${projectId}.${agentId}`

/** CV10: a conversation of two agents; the same for both. */
export const agentKey = (one: string, other: string): string =>
  `agent:${[one, other].sort().join('~')}`

/** An agent in a role of a user session. Characters not allowed in a key are percent-encoded. */
export const consoleKey = (userSessionId: string, role: string): string =>
  `console:${userSessionId}.${encoded(role)}`

/** An agent's work in a work session and its resumptions: `workSessionId` is the first of the lineage. */
export const workKey = (workSessionId: string, agentId: string): string =>
  `work:${workSessionId}.${agentId}`

const encoded = (role: string): string =>
  role.replaceAll(/[%/\\.]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

export function parseConsoleKey(key: string): { userSessionId: string; role: string } | undefined {
  const [, userSessionId, role] = /^console:([^.]+)\.(.+)$/.exec(key) ?? []
  if (!userSessionId || !role) return undefined
  return {
    userSessionId,
    role: role.replaceAll(/%(25|2F|5C|2E)/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
  }
}

export function parseWorkKey(key: string): { workSessionId: string; agentId: string } | undefined {
  const [, workSessionId, agentId] = /^work:([^.]+)\.(.+)$/.exec(key) ?? []
  return workSessionId && agentId ? { workSessionId, agentId } : undefined
}

/** Whether the conversation is one agent's work rather than a chat. It has one chapter. */
export const isWork = (key: string): boolean =>
  key.startsWith('console:') || key.startsWith('work:')

/** The project and agent of a web chat. Ids with dots are not ours. */
export function parseWebKey(key: string): { projectId: string; agentId: string } | undefined {
  const [, projectId, agentId] = /^web:([^.]+)\.([^.]+)$/.exec(key) ?? []
  return projectId && agentId ? { projectId, agentId } : undefined
}

export function parseAgentKey(key: string): { agentIds: readonly [string, string] } | undefined {
  const [, one, other] = /^agent:([^~]+)~([^~]+)$/.exec(key) ?? []
  return one && other && one <= other ? { agentIds: [one, other] } : undefined
}

// The file name of a conversation (CV6). The first conversation to ask for a plain name gets it. Others that would collide with it, also
// on case-insensitive file systems, get a digest of their key appended. The store records who has which plain name.

const maxStemBytes = 150
const digestDigits = 32
const keptApart = new RegExp(`~[0-9a-f]{${digestDigits}}$`)

/** Characters that Windows forbids, and a leading dot that would hide the file. */
export const plainName = (key: string): string =>
  key.replaceAll(/[:<>"|?*]/g, '_').replace(/^\./, '_')

/**
 * Normalizes what file systems may treat as equal: case, composed letters, zero-width marks. Undefined where the plain name looks
 * like one with a digest: such a key never gets it.
 */
export function claimOf(key: string): string | undefined {
  const name = plainName(key)
  return keptApart.test(name.toLowerCase()) ? undefined : folded(name)
}

/** `digest` is a SHA-256 of the key in hexadecimal digits. */
export const nameApart = (key: string, digest: string): string =>
  `${stem(plainName(key))}~${digest.slice(0, digestDigits)}`

const folded = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')

/** Leaves room for the digest, the ending and a temporary suffix within 255 bytes. */
function stem(name: string): string {
  const encoder = new TextEncoder()
  let bytes = 0
  let kept = ''
  for (const character of name) {
    bytes += encoder.encode(character).length
    if (bytes > maxStemBytes) return kept
    kept += character
  }
  return kept
}
