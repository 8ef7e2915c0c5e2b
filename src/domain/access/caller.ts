/**
 * The caller: what a credential stands for. Made by the server from the credential, never from a
 * caller's claim.
 */
import type { Instant } from '../instant.ts'
import { personScopes, type Role, type Scope } from './scopes.ts'

/**
 * The kinds of tokens that are made and revoked. `door`: for a client that can send it only in its
 * address; it acts as the person it belongs to, within its scopes.
 */
export const tokenKinds = ['script', 'coordinator', 'door'] as const
export type TokenKind = (typeof tokenKinds)[number]

export const isTokenKind = (kind: string): kind is TokenKind =>
  tokenKinds.some((each) => each === kind)

export interface Who {
  /** The presented credential; revoking it ends what it opened. */
  readonly credentialId: string
  readonly kind: 'person' | TokenKind | 'agent'
  /** The person, token or agent it stands for; the owner's is `owner`. */
  readonly id: string
  readonly name: string
  /** null for callers that are not people. */
  readonly role: Role | null
  readonly scopes: readonly Scope[]
  readonly expiresAt: Instant | null
  /**
   * CO4: the launch of an agent that presented its launch token, valid for this launch and project
   * only.
   */
  readonly launch?: { readonly id: string; readonly projectId: string }
}

/** SE3: what a token made is gone with it; a browser sign-in's end does not end its person. */
export const endOfMaker = ({ kind, expiresAt }: Who): Instant | null =>
  kind === 'script' ? expiresAt : null

export const ownerId = 'owner'
export const ownerName = 'Owner'
/** The holder of the owner's token, and the server where it acts for them. */
export const owner: Who = {
  credentialId: ownerId,
  kind: 'person',
  id: ownerId,
  name: ownerName,
  role: 'owner',
  scopes: personScopes,
  expiresAt: null,
}
/** The sender of the server's own messages. */
export const systemId = 'system'
/** What of a caller decides about rights. */
export type Caller = Pick<Who, 'id' | 'scopes'>
/** The server, where it acts for nobody in particular. */
export const theServer: Caller = {
  id: systemId,
  scopes: [...personScopes, 'agent', 'coordinator', 'server'],
}
/** Who has shown no credential. */
export const nobody: Caller = { id: '', scopes: [] }
/** A program that embeds conversations and gives no other name. */
export const libraryId = 'library'
