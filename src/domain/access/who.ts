/** Who is asking: what a credential stands for. Made by the server from what was presented, never from what a caller claims. */
import type { Instant } from '../instant.ts'
import { personScopes, type Role, type Scope } from './scopes.ts'

export interface Who {
  /** The credential presented; revoking it ends what it opened. */
  readonly credentialId: string
  readonly kind: 'person' | 'script' | 'agent' | 'coordinator'
  /** The person, token or agent it stands for; the owner's is `owner`. */
  readonly id: string
  readonly name: string
  /** null for what is not a person. */
  readonly role: Role | null
  readonly scopes: readonly Scope[]
  readonly expiresAt: Instant | null
  /** CO4: of an agent that presented the token of its launch; it is good for this launch and project alone. */
  readonly launch?: { readonly id: string; readonly projectId: string }
}

/** SE3: what a token makes is gone when it is; a browser's end is not its person's. */
export const endOfMaker = ({ kind, expiresAt }: Who): Instant | null => (kind === 'script' ? expiresAt : null)

export const ownerId = 'owner'
export const ownerName = 'Owner'
/** Whoever holds the owner's token, and the server itself where it acts for them. */
export const owner: Who = {
  credentialId: ownerId,
  kind: 'person',
  id: ownerId,
  name: ownerName,
  role: 'owner',
  scopes: personScopes,
  expiresAt: null,
}
/** Who sends what the server itself has to say. */
export const systemId = 'system'
/** Who a program that embeds conversations is, unless it says so. */
export const libraryId = 'library'
