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

export const providerOf = (agentId: string): string =>
  legalScheme.test(agentId) && !taken.test(agentId)
    ? agentId
    : encoded + Buffer.from(agentId).toString('hex')

const threadKey = /^session:([0-9a-z]+)$/
const otherKey = '~'

/** Keys of other kinds may hold anything. */
const pathOf = (key: string): string =>
  threadKey.exec(key)?.[1] ?? otherKey + Buffer.from(key).toString('base64url')

export const threadUri = (agentId: string, key: string): string =>
  `${providerOf(agentId)}:/${pathOf(key)}`
