/**
 * People, tokens and sign-in (SE1-SE3) on the wire. A secret appears only in the answer that
 * created it.
 */
import * as z from 'zod'
import { tokenKinds } from '../../domain/access/caller.ts'
import { personScopes, roles } from '../../domain/access/scopes.ts'
import { line, Time } from '../text.ts'

export const Me = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['person', 'agent', ...tokenKinds]),
  role: z.enum(roles).nullable(),
  scopes: z.array(z.string()),
})
export type Me = z.output<typeof Me>

export const Person = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  createdAt: Time,
})
export type Person = z.output<typeof Person>

export const PersonDraft = z.strictObject({ name: line(200), role: z.enum(roles) })

export const PersonChange = z.strictObject({ role: z.enum(roles) })

/** With the names of revoked tokens that allowed more than the new role. */
export const PersonWithNewRole = Person.extend({ revokedTokens: z.array(z.string()) })
export type PersonWithNewRole = z.output<typeof PersonWithNewRole>

export const PersonWithToken = Person.extend({ token: z.string() })
export type PersonWithToken = z.output<typeof PersonWithToken>

export const Token = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(tokenKinds),
  scopes: z.array(z.string()),
  createdBy: z.string(),
  /** null when its maker was removed. */
  createdByName: z.string().nullable(),
  createdAt: Time,
  expiresAt: Time.nullable(),
  made: z.array(
    z.object({
      id: z.string(),
      kind: z.enum([...tokenKinds, 'person']),
      name: z.string(),
    }),
  ),
})
export type Token = z.output<typeof Token>

export const TokenDraft = z.strictObject({
  name: line(200),
  kind: z.enum(tokenKinds),
  /**
   * For scripts and doors; defaults to all of the maker's. A door's are `read`, `write` and
   * `approve` at most.
   */
  scopes: z.array(z.enum(personScopes)).min(1).optional(),
  expiresAt: z.iso
    .datetime({ offset: true })
    .transform((at) => new Date(at).toISOString())
    .nullish(),
})

export const TokenWithSecret = Token.extend({ token: z.string() })
export type TokenWithSecret = z.output<typeof TokenWithSecret>

/** A browser that somebody is signed in with. */
export const Device = z.object({
  id: z.string(),
  kind: z.enum(['browser']),
  /** What it says of itself: `Firefox, Linux`. */
  name: z.string(),
  /** Where it signed in from; null when an earlier version has not kept it. */
  address: z.string().nullable(),
  createdAt: Time,
  /** To the hour. */
  usedAt: Time,
  expiresAt: Time,
  /** Whether it is what asks. */
  isCurrent: z.boolean(),
})
export type Device = z.output<typeof Device>

/** SE25: stands in the address of a WebSocket, once. */
export const Ticket = z.object({ ticket: z.string(), expiresAt: Time })
export type Ticket = z.output<typeof Ticket>

const Secret = z.string().min(1).max(512)
export const Login = z.union([z.strictObject({ code: Secret }), z.strictObject({ token: Secret })])

/** The code of a one-time link: in the fragment, which is never sent to a server. */
export const SignInCode = z.object({
  code: z.string(),
  expiresAt: Time,
  /** The whole link at `public_url`; null where that is not set. */
  link: z.url().nullable(),
})
export type SignInCode = z.output<typeof SignInCode>
