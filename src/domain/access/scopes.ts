/** Scopes (SE3): a person's come from the role, a script token's are chosen and never exceed its maker's. Pure. */

/** read: see everything · write: projects' contents, chats, tasks · approve: decide approvals · manage: agents, people, tokens, settings */
export const personScopes = ['read', 'write', 'approve', 'manage'] as const
export type PersonScope = (typeof personScopes)[number]

/** Scopes of programs; no person and no script token has these. */
export type Scope = PersonScope | 'agent' | 'coordinator'

export const roles = ['owner', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]

const scopesOfRole = {
  owner: personScopes,
  member: ['read', 'write', 'approve'],
  viewer: ['read'],
} as const satisfies Record<Role, readonly PersonScope[]>

export const scopesOf = (role: Role): readonly PersonScope[] => scopesOfRole[role]

/** The requested scopes that the giver lacks. A token never allows more than its maker. */
export const exceeding = (wanted: readonly PersonScope[], giver: readonly Scope[]): PersonScope[] =>
  wanted.filter((scope) => !giver.includes(scope))

/** `manage` includes what a coordinator may report, for use by hand where none runs or one was lost. */
export const allows = (held: readonly Scope[], needed: Scope): boolean =>
  held.includes(needed) || (needed === 'coordinator' && held.includes('manage'))
