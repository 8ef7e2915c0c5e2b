/**
 * Conversation keys, `<channel>:<chat id>` (CV6), without characters that a file system may reject:
 * they become names. Keys are made here, and read nowhere else: what a conversation is stands in
 * its row. Pure.
 */

import { type ChatAddress, parseChannelKey, splitThreadId } from '../channels/key.ts'
import type { NoticeText } from '../notices.ts'
import { refusalText } from '../refusal-texts.ts'

const maxBytes = 200

export interface KeyRefusal {
  readonly code: 'invalid_key'
  readonly detail: NoticeText
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/
/** Windows treats these as devices, in any case, also with an extension or spaces before it. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i

/** What is wrong with a key; undefined for a valid one. */
export function refusalOfKey(key: string): KeyRefusal | undefined {
  const at = key.indexOf(':')
  const detail = problemWith(key, at === -1 ? [key] : [key.slice(0, at), key.slice(at + 1)])
  return detail && { code: 'invalid_key', detail }
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

/**
 * DC9: begun sessions, consoles, work, forks, scheduled runs, imports and races have one chapter,
 * which ends with them.
 */
const withoutDays = ['session', 'console', 'work', 'fork', 'schedule', 'import', 'race'] as const

export const conversationKinds = [
  'web',
  'agent',
  'channel',
  'channel-thread',
  ...withoutDays,
  'other',
] as const

/**
 * `channel`: a chat on another platform. `channel-thread`: a thread in one, which is one job.
 * `other`: no rule reads its key; another program's.
 */
export type ConversationKind = (typeof conversationKinds)[number]

/** What a conversation is, kept in the columns of its row from its beginning. */
export interface ConversationIdentity {
  readonly kind: ConversationKind
  /** The project of a chat with an agent. */
  readonly projectId: string | null
  /** Between two agents: the first by id. */
  readonly agentId: string | null
  /** Between two agents: the second by id. */
  readonly otherAgentId: string | null
  /** Set for an agent in a role. */
  readonly userSessionId: string | null
  readonly role: string | null
  /** The first of the lineage that the agent works in. */
  readonly workSessionId: string | null
}

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  names.some((each) => each === name)

/** Whether a conversation of this kind is cut over at the end of a day. */
export const hasDays = (kind: ConversationKind): boolean =>
  kind !== 'channel-thread' && !isOneOf(withoutDays, kind)

/** Whether only the server begins conversations of this kind. */
export const isServersOwn = (kind: ConversationKind): boolean =>
  kind === 'agent' || isOneOf(withoutDays, kind)

export const isChannelChat = (kind: ConversationKind): boolean =>
  kind === 'channel' || kind === 'channel-thread'

/** Whether the conversation is one agent's work rather than a chat. It has one chapter. */
export const isWork = (kind: ConversationKind): boolean => kind === 'console' || kind === 'work'

/** The part of a key before its first colon. */
export const channelOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf(':')))

/** CV11: keys that only the server assigns. */
export function isReserved(key: string): boolean {
  const channel = channelOf(key).toLowerCase()
  return channel === 'agent' || isOneOf(withoutDays, channel)
}

/** A person's chat with an agent of a project. */
export const webKey = (projectId: string, agentId: string): string => `web:${projectId}.${agentId}`

/** A session that was begun, whatever door it came by. Nobody reads anything out of its id. */
export const threadKey = (id: string): string => `session:${id}`

/** The conversation that people have with an agent in a project, or in a thread of it. */
export const chatKey = (post: {
  readonly projectId: string
  readonly agentId: string
  readonly lane: string
}): string => post.lane || webKey(post.projectId, post.agentId)

/** The letters and digits of a thread's id. */
export const threadIdLength = 12

/** Whether people talk with an agent of a project there, on our own pages. */
export const isChat = (kind: ConversationKind): boolean =>
  kind === 'web' || kind === 'session' || kind === 'fork'

/** CV10: a conversation of two agents; the same for both. */
export const agentKey = (one: string, other: string): string =>
  `agent:${[one, other].sort().join('~')}`

/** An agent in a role of a user session. Characters not allowed in a key are percent-encoded. */
export const consoleKey = (userSessionId: string, role: string): string =>
  `console:${userSessionId}.${encoded(role)}`

/**
 * An agent's work in a work session and its resumptions: `workSessionId` is the first of the
 * lineage.
 */
export const workKey = (workSessionId: string, agentId: string): string =>
  `work:${workSessionId}.${agentId}`

const encoded = (role: string): string =>
  role.replaceAll(/[%/\\.]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const decoded = (role: string): string =>
  role.replaceAll(/%(25|2F|5C|2E)/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

const nothingKnown: Omit<ConversationIdentity, 'kind'> = {
  projectId: null,
  agentId: null,
  otherAgentId: null,
  userSessionId: null,
  role: null,
  workSessionId: null,
}

/** What a conversation of this key is, for those who begin one. Afterwards its row says so. */
export function identityFromKey(key: string): ConversationIdentity {
  const channel = channelOf(key)
  if (channel === 'web' || channel === 'agent') return chatFromKey(key)
  if (channel === 'console') return { ...nothingKnown, kind: channel, ...roleFromKey(key) }
  if (channel === 'work') return { ...nothingKnown, kind: channel, ...workFromKey(key) }
  if (isOneOf(withoutDays, channel)) return { ...nothingKnown, kind: channel }
  return { ...nothingKnown, kind: kindOnChannel(parseChannelKey(key)) }
}

/** Where a thread has an id of its own, its conversation's row says that it is one. */
function kindOnChannel(chat: ChatAddress | undefined): ConversationKind {
  if (!chat) return 'other'
  return splitThreadId(chat.chatId)[1] === undefined ? 'channel' : 'channel-thread'
}

/** Ids with dots are not ours. What follows the agent names one of several chats with it. */
function chatFromKey(key: string): ConversationIdentity {
  const [, projectId, agentId] = /^web:([^.]+)\.([^.]+)(?:\..*)?$/s.exec(key) ?? []
  if (projectId && agentId) return { ...nothingKnown, kind: 'web', projectId, agentId }
  const [, one, other] = /^agent:([^~]+)~([^~]+)$/.exec(key) ?? []
  if (one && other && one <= other)
    return { ...nothingKnown, kind: 'agent', agentId: one, otherAgentId: other }
  return { ...nothingKnown, kind: 'other' }
}

function roleFromKey(key: string) {
  const [, userSessionId, role] = /^console:([^.]+)\.(.+)$/s.exec(key) ?? []
  return userSessionId && role ? { userSessionId, role: decoded(role) } : {}
}

function workFromKey(key: string) {
  const [, workSessionId, agentId] = /^work:([^.]+)\.(.+)$/s.exec(key) ?? []
  return workSessionId && agentId ? { workSessionId, agentId } : {}
}

// The file name of a conversation (CV6). The first conversation to ask for a plain name gets it.
// Others that would collide with it, also on case-insensitive file systems, get a digest of their
// key appended. The store records who has which plain name.

const maxStemBytes = 150
const digestDigits = 32
const keptApart = new RegExp(`~[0-9a-f]{${digestDigits}}$`)

/** Characters that Windows forbids, and a leading dot that would hide the file. */
export const plainName = (key: string): string =>
  key.replaceAll(/[:<>"|?*]/g, '_').replace(/^\./, '_')

/**
 * Normalizes what file systems may treat as equal: case, composed letters, zero-width marks.
 * Undefined where the plain name looks like one with a digest: such a key never gets it.
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
  let result = ''
  for (const character of name) {
    bytes += encoder.encode(character).length
    if (bytes > maxStemBytes) return result
    result += character
  }
  return result
}
