/**
 * What a push signs in with (LD8): a token for the host, one's own or the project's. Without one
 * the ssh of the machine, which signs in as the owner: for owners, and for others where the project
 * says so (`land.ssh`).
 */
import { ownerId } from '../../domain/access/caller.ts'
import type { LandingBlock } from '../../protocol/review/landing-requests.ts'
import type { Tables } from '../../store/schema/tables.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { settingsFrom } from '../projects/project-record.ts'

export interface WhichPush {
  readonly address: string
  readonly projectId: string
  readonly by: string
  /** A pull request is opened too, which takes the API of the host. */
  readonly opensPull: boolean
}

export interface SignIn {
  readonly host: string
  readonly token: Tables['host_tokens'] | undefined
  readonly block: Extract<LandingBlock, 'no_token'> | undefined
  /** What the plan says of it. */
  readonly note: string | undefined
}

/** `github.com`, `127.0.0.1:4000`; undefined for a path. */
export function hostIn(address: string): string | undefined {
  const [, host] = /^[\w.-]+@([\w.-]+):/.exec(address) ?? []
  const url = URL.parse(address)
  return host?.toLowerCase() ?? (url?.host ? url.host.toLowerCase() : undefined)
}

/** The token for a host: one's own, else the project's. */
async function tokenFor(reader: Reader, host: string, { projectId, by }: WhichPush) {
  return (
    (await reader.row('host_tokens', { host, person_id: by, project_id: '' })) ??
    (await reader.row('host_tokens', { host, person_id: '', project_id: projectId }))
  )
}

export async function signInOf(reader: Reader, push: WhichPush): Promise<SignIn> {
  const host = hostIn(push.address) ?? ''
  const token = host === '' ? undefined : await tokenFor(reader, host, push)
  const isSsh = host !== '' && !/^https?:/.test(push.address)
  const isLacking = push.opensPull
    ? token?.kind !== 'github'
    : token === undefined && isSsh && !(await mayUseSsh(reader, push))
  const way = token ? `over_https: ${host}` : `ssh_of_machine: ${host}`
  return {
    host,
    token,
    block: isLacking ? 'no_token' : undefined,
    note: isSsh && !isLacking ? way : undefined,
  }
}

async function mayUseSsh(reader: Reader, { projectId, by }: WhichPush): Promise<boolean> {
  if (by === ownerId || (await reader.row('people', { id: by }))?.role === 'owner') return true
  const project = await reader.row('projects', { id: projectId })
  return settingsFrom(project?.settings ?? '{}')['land.ssh'] === 'yes'
}

export const findSignIn = defineQuery('find-sign-in', {
  scope: 'anybody',
  on: 'nobody',
  run: async (reader, push: WhichPush): Promise<Pick<SignIn, 'host' | 'block' | 'note'>> => {
    const { host, block, note } = await signInOf(reader, push)
    return { host, block, note }
  },
})
