/** Creates a token for a script or coordinator, shown once. A script's scopes never exceed its maker's (SE3). */

import type * as z from 'zod'
import { endOfMaker, type Who } from '../../domain/access/caller.ts'
import { exceeding, type PersonScope, personScopes } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { TokenDraft, TokenWithSecret } from '../../protocol/access/people.ts'
import { type CredentialRow, selectTokenCalled, tokenOf } from '../../store/access/credentials.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { scopeExceeded } from '../refusals.ts'

type Draft = z.output<typeof TokenDraft>

interface TokenOptions {
  readonly by: Who
  /**
   * For a token that the server makes for itself, whose name may repeat: the id of the revoked one to reuse, or null if there
   * was none. A valid token keeps its id.
   */
  readonly insteadOf?: string | null
}

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
