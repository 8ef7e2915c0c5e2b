/**
 * Adds, changes, renews and removes people, and creates and revokes tokens of scripts, coordinators
 * and doors.
 */
import type * as z from 'zod'
import { endOfMaker, ownerId, type Who } from '../../domain/access/caller.ts'
import {
  doorScopes,
  exceeding,
  type PersonScope,
  personScopes,
  type Role,
  type Scope,
  scopesOf,
} from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type {
  PersonDraft,
  PersonWithNewRole,
  PersonWithToken,
  TokenDraft,
  TokenWithSecret,
} from '../../protocol/access/people.ts'
import {
  type CredentialRow,
  isToken,
  type PersonRow,
  personOf,
  scopesHeldBy,
  selectCredentialsOfPerson,
  selectMadeWith,
  selectTokenCalled,
  tokenOf,
} from '../../store/access/credentials.ts'
import { revokeOfGiver } from '../../store/approvals/allowances.ts'
import type { NewRow } from '../../store/rows.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { invalidField, scopeExceeded } from '../refusals.ts'

/**
 * Adds a person with a role and returns their token, which is shown once. Nobody can give more than
 * they have (SE3).
 */
export const addPerson = defineUseCase('add-person', {
  scope: 'manage',
  on: 'nobody',
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    input: z.output<typeof PersonDraft> & { by: string },
    { now, random },
  ): Promise<PersonWithToken> => {
    const [tooMuch] = exceeding(scopesOf(input.role), await scopesHeldBy(tx, input.by))
    if (tooMuch) throw scopeExceeded(tooMuch)
    const row = { id: random.uuid(), name: input.name, role: input.role, created_at: now }
    const token = random.secret('person')
    await tx.insert('people', row)
    await tx.insert(
      'credentials',
      personCredential(row, { id: random.uuid(), hash: hashSecret(token), by: input.by, now }),
    )
    const person = personOf(row)
    tx.append(home, { type: 'person-added', data: { person, by: input.by } })
    return { ...person, token }
  },
})

interface Change {
  readonly personId: string
  readonly role: Role
  readonly by: string
}

/**
 * Changes a person's role, up to one's own. Tokens and allowances that exceed the new role are
 * revoked (SE3).
 */
export const changePersonRole = defineUseCase('change-person-role', {
  scope: 'manage',
  on: 'person',
  streams: () => [home],
  run: async (tx, { personId, role, by }: Change, { now }): Promise<PersonWithNewRole> => {
    const before = await findChangeable(tx, personId)
    const [tooMuch] = exceeding(scopesOf(role), await scopesHeldBy(tx, by))
    if (tooMuch) throw scopeExceeded(tooMuch)
    const person = personOf({ ...before, role })
    if (before.role === role) return { ...person, revokedTokens: [] }
    await tx.update('people', { id: personId, role })
    tx.append(home, { type: 'person-changed', data: { person, by } })
    const tokens = (await tx.all(selectCredentialsOfPerson, { personId })).filter(isToken)
    const revoked = tokens.filter((token) => allowsMore(token, role))
    for (const { id: tokenId } of revoked) {
      await tx.delete('credentials', { id: tokenId })
      tx.append(home, { type: 'token-revoked', data: { tokenId, by } })
    }
    const givers = scopesOf(role).includes('approve') ? revoked : [{ id: personId }, ...tokens]
    for (const { id: giver } of givers) await tx.write(revokeOfGiver, { giver, now, by })
    return { ...person, revokedTokens: revoked.map(({ name }) => name) }
  },
})

/** Coordinator tokens need `manage`. */
function allowsMore({ kind, scopes }: Pick<CredentialRow, 'kind' | 'scopes'>, role: Role): boolean {
  const held = scopesOf(role)
  return kind === 'coordinator'
    ? !held.includes('manage')
    : exceeding(JSON.parse(scopes) as PersonScope[], held).length > 0
}

/**
 * Replaces a person's token. The old one, its browsers and sign-in links stop working at once;
 * tokens they made stay. A caller cannot do this for somebody with more rights (SE3).
 */
export const renewPerson = defineUseCase('renew-person', {
  scope: 'manage',
  on: 'person',
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    { personId, by }: { personId: string; by: string },
    { now, random },
  ): Promise<PersonWithToken> => {
    const row = await findChangeable(tx, personId)
    const [tooMuch] = exceeding(scopesOf(row.role), await scopesHeldBy(tx, by))
    if (tooMuch) throw scopeExceeded(tooMuch)
    await endSignIns(tx, personId)
    const token = random.secret('person')
    await tx.insert(
      'credentials',
      personCredential(row, { id: random.uuid(), hash: hashSecret(token), by, now }),
    )
    tx.append(home, { type: 'person-renewed', data: { personId, by } })
    return { ...personOf(row), token }
  },
})

/** Deletes a person's token, browsers and passes. Tokens they made stay. */
export async function endSignIns(tx: Tx, personId: string): Promise<void> {
  await tx.delete('passes', { holder_id: personId })
  for (const credential of await tx.all(selectCredentialsOfPerson, { personId }))
    if (!isToken(credential)) await tx.delete('credentials', { id: credential.id })
}

/**
 * Removes a person. Their token, browsers, sign-in codes and the tokens they made stop working at
 * once (SE3).
 */
export const removePerson = defineUseCase('remove-person', {
  scope: 'manage',
  on: 'person',
  streams: () => [home],
  run: async (tx, { personId, by }: { personId: string; by: string }, { now }): Promise<void> => {
    await findChangeable(tx, personId)
    const credentials = await tx.all(selectCredentialsOfPerson, { personId })
    await tx.delete('passes', { holder_id: personId })
    await tx.delete('credentials', { person_id: personId })
    await tx.delete('channel_people', { person_id: personId })
    await tx.delete('people', { id: personId })
    await tx.delete('seen_conversations', { person_id: personId })
    await tx.delete('session_names', { person_id: personId })
    await tx.delete('host_tokens', { person_id: personId })
    await tx.delete('viewed_files', { person_id: personId })
    await tx.delete('reviewed_trees', { person_id: personId })
    for (const giver of [personId, ...credentials.map(({ id }) => id)])
      await tx.write(revokeOfGiver, { giver, now, by })
    tx.append(home, { type: 'person-removed', data: { personId, by } })
    for (const { id: tokenId } of credentials.filter(isToken))
      tx.append(home, { type: 'token-revoked', data: { tokenId, by } })
  },
})

/** Finds a person who can be changed or removed. The installation's owner cannot. */
async function findChangeable(reader: Reader, personId: string): Promise<PersonRow> {
  if (personId === ownerId) throw new Refusal('last_owner')
  const person = await reader.row('people', { id: personId })
  if (!person) throw new Refusal('not_found', refusalText('noPerson'), { personId })
  return person
}

interface CredentialInput {
  readonly id: string
  readonly hash: string
  readonly by: string
  readonly now: Instant
}

const personCredential = (
  person: PersonRow,
  { id, hash, by, now }: CredentialInput,
): NewRow<'credentials'> => ({
  id,
  kind: 'person',
  person_id: person.id,
  name: person.name,
  hash,
  // A person's scopes come from their role at each request.
  scopes: '[]',
  created_by: by,
  created_at: now,
  expires_at: null,
})

type Draft = z.output<typeof TokenDraft>

interface TokenOptions {
  readonly by: Who
  /**
   * For a token that the server makes for itself, whose name may repeat: the id of the revoked one
   * to reuse, or null if there was none. A valid token keeps its id.
   */
  readonly insteadOf?: string | null
}

/**
 * Creates a token for a script, coordinator or door, shown once. Its scopes never exceed its
 * maker's (SE3).
 */
export const createToken = defineUseCase('create-token', {
  scope: 'manage',
  on: 'nobody',
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    { by, insteadOf, ...draft }: Draft & TokenOptions,
    { now, random },
  ): Promise<TokenWithSecret> => {
    if (draft.expiresAt && draft.expiresAt <= now)
      throw invalidField('expiresAt', refusalText('pastTime'))
    const until = endOfMaker(by)
    if (until && draft.expiresAt && draft.expiresAt > until)
      throw new Refusal(
        'invalid_request',
        inField('expiresAt', refusalText('makerEnds', { until })),
        {
          field: 'expiresAt',
          until,
        },
      )
    const scopes = scopesOfDraft(draft, by)
    const taken =
      insteadOf === undefined && (await tx.first(selectTokenCalled, { name: draft.name, now }))
    if (taken)
      throw new Refusal('already_exists', refusalText('tokenNameTaken', { name: draft.name }), {
        tokenId: taken.id,
      })
    const token = random.secret(draft.kind)
    const isFree = insteadOf != null && !(await tx.row('credentials', { id: insteadOf }))
    const row = {
      id: isFree ? insteadOf : random.uuid(),
      kind: draft.kind,
      person_id: await responsiblePerson(tx, by),
      name: draft.name,
      hash: hashSecret(token),
      scopes: JSON.stringify(scopes),
      created_by: by.id,
      created_at: now,
      expires_at: draft.expiresAt ?? until,
      used_at: null,
      address: null,
    }
    await tx.insert('credentials', row)
    tx.append(home, { type: 'token-created', data: { tokenId: row.id, by: by.id } })
    return { ...tokenOf(row, { createdByName: by.name, made: [] }), token }
  },
})

function scopesOfDraft(draft: Draft, by: Who): readonly Scope[] {
  if (draft.kind === 'coordinator') return coordinatorScopes(draft)
  return draft.kind === 'door'
    ? chosenScopes(draft, by, doorScopes)
    : chosenScopes(draft, by, personScopes)
}

/** The requested scopes, or all of the maker's. */
function chosenScopes(draft: Draft, by: Who, most: readonly PersonScope[]): PersonScope[] {
  const wanted = draft.scopes ?? most.filter((scope) => by.scopes.includes(scope))
  const [tooMuch] = exceeding(wanted, by.scopes)
  if (tooMuch) throw scopeExceeded(tooMuch)
  const [notHere] = exceeding(wanted, most)
  if (notHere) throw invalidField('scopes', refusalText('notForDoors', { scope: notHere }))
  return personScopes.filter((scope) => wanted.includes(scope))
}

function coordinatorScopes(draft: Draft): ['coordinator'] {
  if (draft.scopes) throw invalidField('scopes', refusalText('onlyScripts'))
  return ['coordinator']
}

/**
 * The person responsible: a token made with a token belongs to the first one's person, so that
 * removing them ends all.
 */
async function responsiblePerson(reader: Reader, by: Who): Promise<string> {
  if (by.kind === 'person') return by.id
  const credential = await reader.row('credentials', { id: by.credentialId })
  if (!credential) throw new Refusal('authentication_failed')
  return credential.person_id
}

interface RevokeInput {
  readonly tokenId: string
  /** What happens to credentials made with it. Revoked by default. */
  readonly made?: 'revoke' | 'keep'
  readonly by: string
}

/**
 * Revokes a script's, coordinator's or door's token and, unless kept, what was made with it. People
 * added with it are removed.
 */
export const revokeToken = defineUseCase('revoke-token', {
  scope: 'manage',
  on: 'nobody',
  streams: () => [home],
  run: async (tx, { tokenId, made = 'revoke', by }: RevokeInput, context): Promise<void> => {
    const credential = await tx.row('credentials', { id: tokenId })
    // People's tokens and browsers end with the person or a sign-out; here they are not found.
    if (!credential || !isToken(credential))
      throw new Refusal('not_found', refusalText('noToken'), { tokenId })
    await endCredential(tx, credential, by, context, made === 'revoke')
  },
})

/**
 * Ends a credential first and then what was made with it, so that nothing new can be made
 * meanwhile.
 */
async function endCredential(
  tx: Tx,
  { id, kind, person_id, created_at }: CredentialRow,
  by: string,
  context: Context,
  withMade: boolean,
): Promise<void> {
  if (kind === 'person')
    return endPerson(tx, { personId: person_id, madeAt: created_at, by }, context)
  await tx.delete('credentials', { id })
  await tx.write(revokeOfGiver, { giver: id, now: context.now, by })
  tx.append(home, { type: 'token-revoked', data: { tokenId: id, by } })
  if (!withMade) return
  // A token may have been removed with a person.
  for (const child of await tx.all(selectMadeWith, { id }))
    if (await tx.row('credentials', { id: child.id }))
      await endCredential(tx, child, by, context, true)
}

interface MadePerson {
  readonly personId: string
  readonly madeAt: Instant
  readonly by: string
}

/**
 * Removes a person added with the token. One who existed before only loses the token made with it.
 */
async function endPerson(
  tx: Tx,
  { personId, madeAt, by }: MadePerson,
  context: Context,
): Promise<void> {
  const person = await tx.row('people', { id: personId })
  if (!person) return
  if (person.created_at === madeAt) return removePerson.run(tx, { personId, by }, context)
  await endSignIns(tx, personId)
  tx.append(home, { type: 'person-renewed', data: { personId, by } })
}
