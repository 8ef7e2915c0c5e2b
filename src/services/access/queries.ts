/** Read queries for people, tokens and credentials. */
import { ownerId, ownerName, type Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Device, Person, Token } from '../../protocol/access/people.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import {
  devicesPage,
  findValidCredential,
  peoplePage,
  tokensPage,
} from '../../store/access/credentials.ts'
import { selectAgentByPasskey } from '../../store/agents/agents.ts'
import { selectMeta } from '../../store/meta.ts'
import { cutPage, newest, pageParams } from '../../store/page-cursor.ts'
import { selectLaunchByToken } from '../../store/processes/launches.ts'
import { defineQuery, type Reader } from '../../store/store.ts'

/**
 * Finds who a secret's hash belongs to. Undefined if it is unknown, expired or revoked. `likely`:
 * the kind to check first.
 */
export const findCredential = defineQuery('find-credential', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (
    reader,
    { hash, likely }: { hash: string; likely?: string | undefined },
    { now },
  ): Promise<Who | undefined> => {
    const places = [
      { kind: 'token', find: () => findValidCredential(reader, hash, now) },
      { kind: 'agent', find: () => agentWithPasskey(reader, hash) },
      { kind: 'launch', find: () => agentOfLaunch(reader, hash) },
    ]
    const first = places.find(({ kind }) => kind === likely)
    for (const { find } of first ? [first, ...places.filter((place) => place !== first)] : places) {
      const who = await find()
      if (who) return who
    }
    return undefined
  },
})

async function agentWithPasskey(reader: Reader, hash: string): Promise<Who | undefined> {
  const agent = await reader.first(selectAgentByPasskey, { hash })
  if (!agent) return undefined
  // A replaced passkey gets another credential id, so that uses of the old one can be told apart.
  const credentialId = `passkey_${hash.slice(0, 16)}`
  return {
    credentialId,
    kind: 'agent',
    id: agent.id,
    name: agent.name,
    role: null,
    scopes: ['agent'],
    expiresAt: null,
  }
}

/** CO4: valid while the launch lives. */
async function agentOfLaunch(reader: Reader, hash: string): Promise<Who | undefined> {
  const row = await reader.first(selectLaunchByToken, { hash })
  if (!row) return undefined
  const launch = { id: row.id, projectId: row.project_id }
  const credentialId = `launch_${row.id}`
  return {
    credentialId,
    kind: 'agent',
    id: row.agent_id,
    name: row.name,
    role: null,
    scopes: ['agent'],
    expiresAt: null,
    launch,
  }
}

/** Lists people: the installation's owner first, then the others, newest first (HT1). */
export const listPeople = defineQuery('list-people', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, input: PageQuery): Promise<Page<Person>> => {
    const people = await peoplePage(reader, pageParams(input))
    const found = input.cursor === undefined ? [await owner(reader), ...people] : people
    // The owner comes before everybody.
    return cutPage(found, input.limit, (person) => (person.id === ownerId ? newest : person))
  },
})

/** The owner has no row. */
async function owner(reader: Reader): Promise<Person> {
  const created = await reader.first(selectMeta, { key: 'created_at' })
  return { id: ownerId, name: ownerName, role: 'owner', createdAt: created?.value ?? instant(0) }
}

/** Lists valid script and coordinator tokens, newest first (HT1), without their secrets. */
export const listTokens = defineQuery('list-tokens', {
  scope: 'manage',
  on: 'nobody',
  run: async (reader, input: PageQuery, { now }): Promise<Page<Token>> =>
    cutPage(await tokensPage(reader, pageParams(input), now), input.limit),
})

/** Lists the browsers that a person is signed in with, newest first (HT1). */
export const listDevices = defineQuery('list-devices', {
  scope: 'anybody',
  on: 'caller',
  run: async (
    reader,
    { who, ...input }: PageQuery & { who: Who },
    { now },
  ): Promise<Page<Device>> => {
    if (who.kind !== 'person')
      throw new Refusal('missing_scope', refusalText('personNeeded'), { scope: 'person' })
    const devices = await devicesPage(
      reader,
      { ...pageParams(input), personId: who.id, now },
      who.credentialId,
    )
    return cutPage(devices, input.limit)
  },
})
