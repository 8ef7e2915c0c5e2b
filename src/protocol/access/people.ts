/** People, tokens and signing in (SE1-SE3) as they cross the wire. A secret appears only in the answer that made it. */
import * as z from 'zod'
import { personScopes, roles } from '../../domain/access/scopes.ts'
import { line, Time } from '../text.ts'

export const Me = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['person', 'script', 'agent', 'coordinator']),
  role: z.enum(roles).nullable(),
  scopes: z.array(z.string()),
})
export type Me = z.output<typeof Me>

export const Person = z.object({ id: z.string(), name: z.string(), role: z.enum(roles), createdAt: Time })
export type Person = z.output<typeof Person>

export const PersonDraft = z.strictObject({ name: line(200), role: z.enum(roles) })

export const PersonChange = z.strictObject({ role: z.enum(roles) })

/** With the names of their tokens that allowed more than the new role, which were revoked. */
export const PersonWithNewRole = Person.extend({ revokedTokens: z.array(z.string()) })
export type PersonWithNewRole = z.output<typeof PersonWithNewRole>

export const PersonWithToken = Person.extend({ token: z.string() })
export type PersonWithToken = z.output<typeof PersonWithToken>

export const Token = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['script', 'coordinator']),
  scopes: z.array(z.string()),
  createdBy: z.string(),
  /** null when who made it is gone. */
  createdByName: z.string().nullable(),
  createdAt: Time,
  expiresAt: Time.nullable(),
  /** What was made with it: tokens, and people who were added. */
  made: z.array(z.object({ id: z.string(), kind: z.enum(['script', 'coordinator', 'person']), name: z.string() })),
})
export type Token = z.output<typeof Token>

export const TokenDraft = z.strictObject({
  name: line(200),
  kind: z.enum(['script', 'coordinator']),
  /** For scripts; all the maker has when left out. */
  scopes: z.array(z.enum(personScopes)).min(1).optional(),
  expiresAt: z.iso
    .datetime({ offset: true })
    .transform((at) => new Date(at).toISOString())
    .nullish(),
})

export const TokenWithSecret = Token.extend({ token: z.string() })
export type TokenWithSecret = z.output<typeof TokenWithSecret>

const Secret = z.string().min(1).max(512)
export const Login = z.union([z.strictObject({ code: Secret }), z.strictObject({ token: Secret })])

/** A one-time link's code: it goes behind the `#`, so it is never sent to a server in a URL. */
export const SignInCode = z.object({
  code: z.string(),
  expiresAt: Time,
  /** The whole link at `public_url`, which other devices reach; null where that is not set. */
  link: z.url().nullable(),
})
export type SignInCode = z.output<typeof SignInCode>
