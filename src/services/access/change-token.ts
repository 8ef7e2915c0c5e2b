/** Creates and revokes tokens of scripts and coordinators. */
import type * as z from 'zod'
import { endOfMaker, type Who } from '../../domain/access/caller.ts'
import { exceeding, type PersonScope, personScopes } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { TokenDraft, TokenWithSecret } from '../../protocol/access/people.ts'
import { type CredentialRow, selectMadeWith, selectTokenCalled, tokenOf } from '../../store/access/credentials.ts'
import { revokeOfGiver } from '../../store/approvals/allowances.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { scopeExceeded } from '../refusals.ts'
import { endSignIns, removePerson } from './change-person.ts'

type Draft = z.output<typeof TokenDraft>

interface TokenOptions {
  readonly by: Who
  /**
   * For a token that the server makes for itself, whose name may repeat: the id of the revoked one to reuse, or null if there
   * was none. A valid token keeps its id.
   */
  readonly insteadOf?: string | null
}

/** Creates a token for a script or coordinator, shown once. A script's scopes never exceed its maker's (SE3). */
export const createToken = defineUseCase('create-token', {
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { by, insteadOf, ...draft }: Draft & TokenOptions, { now, random }): Promise<TokenWithSecret> => {
    if (draft.expiresAt && draft.expiresAt <= now)
      throw new Refusal('invalid_request', inField('expiresAt', refusalText('pastTime')), { field: 'expiresAt' })
    const until = endOfMaker(by)
    if (until && draft.expiresAt && draft.expiresAt > until)
      throw new Refusal('invalid_request', inField('expiresAt', refusalText('makerEnds', { until })), {
        field: 'expiresAt',
        until,
      })
    const scopes = draft.kind === 'script' ? scriptScopes(draft, by) : coordinatorScopes(draft)
    const taken = insteadOf === undefined && (await tx.first(selectTokenCalled, { name: draft.name, now }))
    if (taken) throw new Refusal('already_exists', refusalText('tokenNameTaken', { name: draft.name }), { tokenId: taken.id })
    const token = random.secret(draft.kind)
    const isFree = insteadOf != null && !(await tx.row('credentials', { id: insteadOf }))
    const row: CredentialRow = {
      id: isFree ? insteadOf : random.uuid(),
      kind: draft.kind,
      person_id: await responsiblePerson(tx, by),
      name: draft.name,
      hash: hashSecret(token),
      scopes: JSON.stringify(scopes),
      created_by: by.id,
      created_at: now,
      expires_at: draft.expiresAt ?? until,
    }
    await tx.insert('credentials', row)
    tx.append(home, { type: 'token-created', data: { tokenId: row.id, by: by.id } })
    return { ...tokenOf(row, { createdByName: by.name, made: [] }), token }
  },
})

/** The requested scopes, or all of the maker's. */
function scriptScopes(draft: Draft, by: Who): PersonScope[] {
  const wanted = draft.scopes ?? personScopes.filter((scope) => by.scopes.includes(scope))
  const [tooMuch] = exceeding(wanted, by.scopes)
  if (tooMuch) throw scopeExceeded(tooMuch)
  return personScopes.filter((scope) => wanted.includes(scope))
}

function coordinatorScopes(draft: Draft): ['coordinator'] {
  if (draft.scopes) throw new Refusal('invalid_request', inField('scopes', refusalText('onlyScripts')), { field: 'scopes' })
  return ['coordinator']
}

/** The person responsible: a token made with a token belongs to the first one's person, so that removing them ends all. */
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

/** Revokes a script's or coordinator's token and, unless kept, what was made with it. People added with it are removed. */
export const revokeToken = defineUseCase('revoke-token', {
  streams: () => [home],
  run: async (tx, { tokenId, made = 'revoke', by }: RevokeInput, context): Promise<void> => {
    const credential = await tx.row('credentials', { id: tokenId })
    // People's tokens and browsers end with the person or a sign-out; here they are not found.
    const revocable = credential?.kind === 'script' || credential?.kind === 'coordinator'
    if (!revocable) throw new Refusal('not_found', refusalText('noToken'), { tokenId })
    await endCredential(tx, credential, by, context, made === 'revoke')
  },
})

/** Ends a credential first and then what was made with it, so that nothing new can be made meanwhile. */
async function endCredential(
  tx: Tx,
  { id, kind, person_id, created_at }: CredentialRow,
  by: string,
  context: Context,
  withMade: boolean,
): Promise<void> {
  if (kind === 'person') return endPerson(tx, { personId: person_id, madeAt: created_at, by }, context)
  await tx.delete('credentials', { id })
  await tx.write(revokeOfGiver, { giver: id, now: context.now, by })
  tx.append(home, { type: 'token-revoked', data: { tokenId: id, by } })
  if (!withMade) return
  // A token may have been removed with a person.
  for (const child of await tx.all(selectMadeWith, { id }))
    if (await tx.row('credentials', { id: child.id })) await endCredential(tx, child, by, context, true)
}

interface MadePerson {
  readonly personId: string
  readonly madeAt: Instant
  readonly by: string
}

/** Removes a person added with the token. One who existed before only loses the token made with it. */
async function endPerson(tx: Tx, { personId, madeAt, by }: MadePerson, context: Context): Promise<void> {
  const person = await tx.row('people', { id: personId })
  if (!person) return
  if (person.created_at === madeAt) return removePerson.run(tx, { personId, by }, context)
  await endSignIns(tx, personId)
  tx.append(home, { type: 'person-renewed', data: { personId, by } })
}
