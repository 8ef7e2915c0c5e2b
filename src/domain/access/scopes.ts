/**
 * Who may do what (SE3). Scopes are given by the server: a person's come from the role, a script's were chosen when its
 * token was made and never exceed those of the person who made it. Pure.
 */

/** read: see everything · write: projects' contents, chats, tasks · approve: decide approvals · manage: agents, people, tokens, settings */
export const personScopes = ['read', 'write', 'approve', 'manage'] as const
export type PersonScope = (typeof personScopes)[number]

/** What programs that are not people hold; no person and no script token ever has these. */
export type Scope = PersonScope | 'agent' | 'coordinator'

export const roles = ['owner', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]

const scopesOfRole = {
  owner: personScopes,
  member: ['read', 'write', 'approve'],
  viewer: ['read'],
} as const satisfies Record<Role, readonly PersonScope[]>

export const scopesOf = (role: Role): readonly PersonScope[] => scopesOfRole[role]

/** The wanted scopes that the giver does not have: a token never allows more than its maker. */
export const exceeding = (wanted: readonly PersonScope[], giver: readonly Scope[]): PersonScope[] =>
  wanted.filter((scope) => !giver.includes(scope))

/** Whoever may manage may also say what a coordinator says: by hand, where none is at work or one was lost. */
export const allows = (held: readonly Scope[], needed: Scope): boolean =>
  held.includes(needed) || (needed === 'coordinator' && held.includes('manage'))
