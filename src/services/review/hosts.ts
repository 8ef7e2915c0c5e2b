/**
 * Tokens for hosts, one's own or a project's, and the address that a project's work is pushed to
 * (LD7). Tokens come sealed, and leave only for the step of a landing that needs one.
 */

import type { Scope } from '../../domain/access/scopes.ts'
import type { SealedValue } from '../../domain/agents/environment.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Host, HostKind } from '../../protocol/review/hosts.ts'
import { fields } from '../../store/fields.ts'
import { selectHostsOf, selectRemotes } from '../../store/review/hosts.ts'
import type { Tables } from '../../store/schema/tables.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { requireManage } from '../access/require-scope.ts'
import { noSuchProject } from '../refusals.ts'
import { hostIn, signInOf } from './sign-in.ts'

type HostRow = Tables['host_tokens']

const maxListed = 1000

interface Whose {
  readonly host: string
  readonly projectId?: string | undefined
  readonly by: string
  readonly scopes: readonly Scope[]
}

/** A project's token has no person, a person's no project. */
const rowKey = ({ host, projectId, by }: Whose) => ({
  host,
  person_id: projectId === undefined ? by : '',
  project_id: projectId ?? '',
})

async function requireMaySet(reader: Reader, { projectId, scopes }: Whose): Promise<void> {
  if (projectId === undefined) return
  requireManage(scopes, 'projectId')
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
}

const hostOf = (row: HostRow): Host => ({
  ...fields(row, 'host', 'kind', 'account', 'set_at'),
  projectId: row.project_id || null,
  by: row.set_by,
})

export interface NewHost extends Whose {
  readonly kind: HostKind
  readonly api: string
  readonly sealed: SealedValue
  readonly account: string | null
}

export const setHost = defineUseCase('set-host', {
  scope: 'write',
  on: 'nobody',
  streams: () => [home],
  run: async (tx, input: NewHost, { now }): Promise<Host> => {
    await requireMaySet(tx, input)
    const { kind, api, sealed, account, by } = input
    const row = {
      ...rowKey(input),
      kind,
      api,
      sealed: JSON.stringify(sealed),
      account,
      set_by: by,
      set_at: now,
    }
    await tx.put('host_tokens', row)
    return hostOf(row)
  },
})

/** Whether somebody may set the token; asked before it is tried. */
export const mayPutHost = defineQuery('may-put-host', {
  scope: 'write',
  on: 'nobody',
  run: async (reader, whose: Whose): Promise<void> => requireMaySet(reader, whose),
})

export const removeHost = defineUseCase('remove-host', {
  scope: 'write',
  on: 'nobody',
  streams: () => [home],
  run: async (tx, whose: Whose): Promise<void> => {
    await requireMaySet(tx, whose)
    if (!(await tx.row('host_tokens', rowKey(whose))))
      throw new Refusal('not_found', refusalText('noHost', { host: whose.host }))
    await tx.delete('host_tokens', rowKey(whose))
  },
})

export const listHosts = defineQuery('list-hosts', {
  scope: 'read',
  on: 'caller',
  run: async (reader, { by }: { by: string }): Promise<Host[]> => {
    const rows = await reader.all(selectHostsOf, { personId: by, limit: maxListed })
    return rows.map(hostOf)
  },
})

interface WhichCredential {
  readonly landingId: string
  readonly n: number
  /** A coordinator; undefined: the server itself. */
  readonly coordinatorId?: string | undefined
}

/** The sealed token for a step of a landing that has begun on the machine that asks. */
export const findCredential = defineQuery('find-credential', {
  scope: 'coordinator',
  on: 'caller',
  run: async (
    reader,
    { landingId, n, coordinatorId }: WhichCredential,
  ): Promise<{ token: HostRow | null; host: string; step: string }> => {
    const landing = await reader.row('landings', { id: landingId })
    const step = await reader.row('landing_steps', { landing_id: landingId, n })
    const isTheirs = coordinatorId === undefined || landing?.coordinator_id === coordinatorId
    if (!landing || !isTheirs || step?.state !== 'begun') throw new Refusal('not_found')
    const steps = await reader.rows('landing_steps', { landing_id: landingId })
    const push = steps.map((each) => JSON.parse(each.step)).find((each) => each.do === 'push')
    const { project_id: projectId, asked_by: by } = landing
    const opensPull = JSON.parse(step.step).do === 'pull-request'
    const pushed = { address: push?.address ?? '', projectId, by, opensPull }
    const { token, host, block } = await signInOf(reader, pushed)
    if (block) throw new Refusal(block, host)
    return { token: token ?? null, host, step: step.step }
  },
})

export const pinnedRemote = defineQuery('pinned-remote', {
  scope: 'anybody',
  on: 'nobody',
  run: async (reader, { projectId }: { projectId: string }): Promise<string | null> =>
    (await reader.row('project_remotes', { project_id: projectId }))?.address ?? null,
})

/** Addresses at a host that work was pushed to. */
export const findRemotesAt = defineQuery('find-remotes-at', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { host }: { host: string }): Promise<string[]> =>
    (await reader.all(selectRemotes, { limit: maxListed }))
      .map(({ address }) => address)
      .filter((address) => hostIn(address) === host),
})

export const setRemote = defineUseCase('set-remote', {
  scope: 'manage',
  on: 'project',
  streams: ({ projectId }: { projectId: string; address: string; by: string }) => [
    projectStream(projectId),
  ],
  run: async (tx, { projectId, address, by }, { now }): Promise<{ address: string }> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    await tx.put('project_remotes', { project_id: projectId, address, set_by: by, set_at: now })
    return { address }
  },
})
