/**
 * Scopes (SE3): a person's come from the role, a script token's are chosen and never exceed its
 * maker's. Pure.
 */

/**
 * read: see everything · write: projects' contents, chats, tasks · approve: decide approvals ·
 * manage: agents, people, tokens, settings
 */
export const personScopes = ['read', 'write', 'approve', 'manage'] as const
export type PersonScope = (typeof personScopes)[number]

/** Those that a token of a door may have: it stands in addresses, so it manages nothing. */
export const doorScopes = ['read', 'write', 'approve'] as const satisfies readonly PersonScope[]

/**
 * Scopes of programs; no person and no script token has these. `server`: the server itself, without
 * a caller.
 */
export type Scope = PersonScope | 'agent' | 'coordinator' | 'server'

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

/**
 * What may be needed: a scope, or a coordinator's own connection, where none acts for it by hand.
 */
export type Needed = Scope | 'link'

/**
 * The scopes that suffice. `manage` includes what a coordinator may report, for use by hand where
 * none runs or one was lost; `write` what an agent does, with its secret: a credential that may
 * only look cannot act as an agent (SE3).
 */
const sufficient: Readonly<Record<Needed, readonly Scope[]>> = {
  read: ['read'],
  write: ['write'],
  approve: ['approve'],
  manage: ['manage'],
  agent: ['agent', 'write'],
  coordinator: ['coordinator', 'manage'],
  link: ['coordinator'],
  server: ['server'],
}

export const allows = (held: readonly Scope[], needed: Needed): boolean =>
  sufficient[needed].some((scope) => held.includes(scope))

/** The scope that somebody is told to ask for. */
export const askFor: Readonly<Partial<Record<Needed, Scope>>> = {
  agent: 'write',
  link: 'coordinator',
}
