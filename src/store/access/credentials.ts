/** Queries about people, credentials and sign-in codes. */

import {
  isTokenKind,
  ownerId,
  ownerName,
  type TokenKind,
  tokenKinds,
  type Who,
} from '../../domain/access/caller.ts'
import { type PersonScope, personScopes, type Scope, scopesOf } from '../../domain/access/scopes.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Device, Person, Token } from '../../protocol/access/people.ts'
import { fields } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

/**
 * People added by an owner. The owner of the installation has no row, so nothing here can remove or
 * demote them.
 */
export type PersonRow = Tables['people']

const selectPeoplePage = statement<PageParams>()((db, p) =>
  pageOf(db.selectFrom('people').selectAll(), p, 'created_at', 'id'),
)

export const personOf = (row: PersonRow): Person => fields(row, 'id', 'name', 'role', 'created_at')

export async function peoplePage(reader: Reader, params: PageParams): Promise<Person[]> {
  return (await reader.all(selectPeoplePage, params)).map(personOf)
}

/**
 * Credentials: tokens of people, scripts and coordinators, and cookies of browsers. Only hashes are
 * stored (AS7). `person_id` is the responsible person; without that person the credential is
 * invalid.
 */
export type CredentialRow = Tables['credentials']

export type PassRow = Tables['passes']
export type PassKind = PassRow['kind']

export const selectCredentialsOfPerson = statement<{ personId: string }>()((db, p) =>
  db
    .selectFrom('credentials')
    .select(['id', 'kind', 'name', 'scopes'])
    .where('person_id', '=', p.personId)
    .orderBy('created_at')
    .orderBy('id'),
)

/** Whether it is a token that was made; the others are a person's own and browsers. */
export const isToken = <Row extends Pick<CredentialRow, 'kind'>>(
  row: Row,
): row is Row & { readonly kind: TokenKind } => isTokenKind(row.kind)

/**
 * Selects what was created with a token, including people, whose browsers are removed with them.
 */
export const selectMadeWith = statement<{ id: string }>()((db, p) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('created_by', '=', p.id)
    .where('kind', 'in', [...tokenKinds, 'person'])
    .orderBy('created_at')
    .orderBy('id'),
)

/** Selects a valid credential: not expired, and its person still exists. */
const selectValidCredential = statement<{ hash: string; now: Instant }>()((db, p) =>
  db
    .selectFrom('credentials')
    .leftJoin('people', 'people.id', 'credentials.person_id')
    .selectAll('credentials')
    .select(['people.name as person_name', 'people.role as person_role'])
    .where('credentials.hash', '=', p.hash)
    .where((eb) =>
      eb.or([eb('credentials.expires_at', 'is', null), eb('credentials.expires_at', '>', p.now)]),
    )
    .where((eb) =>
      eb.or([eb('people.id', 'is not', null), eb('credentials.person_id', '=', ownerId)]),
    ),
)

/**
 * Selects the tokens of a name. Earlier builds allowed duplicates, which cannot be revoked by name.
 */
export const selectTokenCalled = statement<{ name: string; now: Instant }>()((db, p) =>
  db
    .selectFrom('credentials')
    .select('id')
    .where('name', '=', p.name)
    .where('kind', 'in', tokenKinds)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.now)])),
)

const selectDevicesPage = statement<PageParams & { personId: string; now: Instant }>()((db, p) =>
  pageOf(
    db
      .selectFrom('credentials')
      .selectAll()
      .where('kind', '=', 'browser')
      .where('person_id', '=', p.personId)
      .where('expires_at', '>', p.now),
    p,
    'created_at',
    'id',
  ),
)

/** The browsers that a person is signed in with. `current`: the credential that asks. */
export async function devicesPage(
  reader: Reader,
  params: PageParams & { personId: string; now: Instant },
  current: string,
): Promise<Device[]> {
  return (await reader.all(selectDevicesPage, params)).map((row) => ({
    ...fields(row, 'id', 'name', 'created_at', 'address'),
    kind: 'browser',
    usedAt: row.used_at ?? row.created_at,
    expiresAt: row.expires_at ?? row.created_at,
    isCurrent: row.id === current,
  }))
}

export const selectBrowsers = statement<Record<never, never>>()((db) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('kind', '=', 'browser')
    .orderBy('created_at')
    .orderBy('id'),
)

const selectTokensPage = statement<PageParams & { now: Instant }>()((db, p) =>
  pageOf(
    db
      .selectFrom('credentials')
      .selectAll()
      .where('kind', 'in', tokenKinds)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.now)])),
    p,
    'created_at',
    'id',
  ),
)

export async function findValidCredential(
  reader: Reader,
  hash: string,
  now: Instant,
): Promise<Who | undefined> {
  const row = await reader.first(selectValidCredential, { hash, now })
  if (!row) return undefined
  const { id: credentialId, expires_at: expiresAt } = row
  if (row.kind === 'script' || row.kind === 'coordinator') {
    return {
      credentialId,
      kind: row.kind,
      id: row.id,
      name: row.name,
      role: null,
      scopes: JSON.parse(row.scopes),
      expiresAt,
    }
  }
  const role = row.person_role ?? 'owner'
  const person = { credentialId, id: row.person_id, name: row.person_name ?? ownerName, expiresAt }
  if (row.kind === 'door')
    return { ...person, kind: 'door', role: null, scopes: JSON.parse(row.scopes) }
  return { ...person, kind: 'person', role, scopes: scopesOf(role) }
}

/** The current scopes of the person or token with this id; none when it does not exist. */
export async function scopesHeldBy(reader: Reader, id: string): Promise<readonly Scope[]> {
  if (id === ownerId) return personScopes
  const person = await reader.row('people', { id })
  if (person) return scopesOf(person.role)
  const credential = await reader.row('credentials', { id })
  return credential ? (JSON.parse(credential.scopes) as PersonScope[]) : []
}

/** Few tokens, read by managers only, so one query for each is acceptable. */
export async function tokensPage(
  reader: Reader,
  params: PageParams,
  now: Instant,
): Promise<Token[]> {
  const tokens: Token[] = []
  for (const row of await reader.all(selectTokensPage, { ...params, now })) {
    const made = (await reader.all(selectMadeWith, { id: row.id })).map(madeOf)
    tokens.push(tokenOf(row, { createdByName: await nameOf(reader, row.created_by), made }))
  }
  return tokens
}

const madeOf = ({ id, kind, person_id, name }: CredentialRow): Token['made'][number] =>
  isTokenKind(kind) ? { id, kind, name } : { id: person_id, kind: 'person', name }

async function nameOf(reader: Reader, id: string): Promise<string | null> {
  if (id === ownerId) return ownerName
  const [person, token] = [
    await reader.row('people', { id }),
    await reader.row('credentials', { id }),
  ]
  return person?.name ?? token?.name ?? null
}

export const tokenOf = (
  row: CredentialRow,
  { createdByName, made }: Pick<Token, 'createdByName' | 'made'>,
): Token => ({
  ...fields(row, 'id', 'name', 'created_by', 'created_at', 'expires_at'),
  kind: isTokenKind(row.kind) ? row.kind : 'script',
  scopes: JSON.parse(row.scopes),
  createdByName,
  made,
})
