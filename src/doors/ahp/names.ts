/**
 * How agents, sessions and their chats are called in the Agent Host Protocol. A client's own URI of
 * a session is kept as another name for it (services/conversations/thread-names.ts). Pure.
 */

export const rootChannel = 'ahp-root://'

/** A provider is the scheme of its sessions' URIs. */
const legalScheme = /^[a-z][a-z0-9+.-]*$/
/** Schemes that mean something to clients. */
const taken = /^(?:ahp|file|https?|wss?|ftp|mailto|data|blob|vscode|untitled|git|x-holdfast)(?:-|$)/
const encoded = 'x-holdfast-'

export const agentOf = (provider: string): string =>
  provider.startsWith(encoded)
    ? Buffer.from(provider.slice(encoded.length), 'hex').toString()
    : provider

export const providerOf = (agentId: string): string =>
  legalScheme.test(agentId) && !taken.test(agentId)
    ? agentId
    : encoded + Buffer.from(agentId).toString('hex')

const threadKey = /^session:([0-9a-z]+)$/
const otherKey = '~'

/** Keys of other kinds may hold anything. */
const pathOf = (key: string): string =>
  threadKey.exec(key)?.[1] ?? otherKey + Buffer.from(key).toString('base64url')

function keyOf(path: string): string | undefined {
  if (path.startsWith(otherKey)) {
    const key = Buffer.from(path.slice(1), 'base64url').toString()
    return pathOf(key) === path ? key : undefined
  }
  const key = `session:${path}`
  return threadKey.test(key) ? key : undefined
}

export const threadUri = (agentId: string, key: string): string =>
  `${providerOf(agentId)}:/${pathOf(key)}`

/** The key in a URI of ours. Which agent it names does not matter: it may have changed. */
export const keyOfThread = (uri: string): string | undefined => {
  const [, path] = /^[a-z][a-z0-9+.-]*:\/([^/]+)$/.exec(uri) ?? []
  return path === undefined ? undefined : keyOf(path)
}

const chatScheme = 'ahp-chat:/'

/** Every session has one chat of its own. */
export const chatUri = (key: string): string => chatScheme + pathOf(key)

export const isChatUri = (uri: string): boolean => uri.startsWith('ahp-chat:')

export const keyOfChat = (uri: string): string | undefined =>
  uri.startsWith(chatScheme) ? keyOf(uri.slice(chatScheme.length)) : undefined

const changesetPath = /^(.+)\/changeset\/(?:(session|uncommitted)|turn\/([^/]+))$/

export interface ChangesetName {
  /** The session, as its client calls it. */
  readonly thread: string
  readonly of: 'session' | 'uncommitted' | 'turn'
  /** As the client calls it; undefined: of no turn alone. */
  readonly turnId: string | undefined
}

/** What a session changed is a channel under its name. */
export function changesetIn(uri: string): ChangesetName | undefined {
  const [, thread, of, turn] = changesetPath.exec(uri) ?? []
  if (thread === undefined) return undefined
  if (turn === undefined) return { thread, of: of as 'session', turnId: undefined }
  return { thread, of: 'turn', turnId: unescaped(turn) }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A file in one version, with its name to be shown. */
export const versionUri = ({ key, blob, name }: FileVersion & { name: string }): string =>
  `holdfast-file:/${pathOf(key)}/${blob}/${name.split('/').map(encodeURIComponent).join('/')}`

interface FileVersion {
  readonly key: string
  readonly blob: string
}

export function versionIn(uri: string): FileVersion | undefined {
  const [, path, blob] = /^holdfast-file:\/([^/]+)\/([0-9a-f]{40,64})(?:\/|$)/.exec(uri) ?? []
  const key = path === undefined ? undefined : keyOf(path)
  return key === undefined || blob === undefined ? undefined : { key, blob }
}

const changedMark = '~changed.'

/** The id of a waiting message in other words than those that it was given an id with. */
export const idOfChanged = (id: string, version: string): string => id + changedMark + version

/** The id that a client gave a message that it may have changed since. */
export const firstIdOf = (id: string): string => id.split(changedMark, 1)[0] ?? id

/** A chat that a client begins in a session: under a name of its own, with the session's. */
export function threadOfChat(uri: string): string | undefined {
  const [, encodedThread] = /^ahp-chat:\/\/[\w.-]{1,200}\/([\w-]{1,4000})=*$/.exec(uri) ?? []
  return encodedThread && Buffer.from(encodedThread, 'base64url').toString()
}
