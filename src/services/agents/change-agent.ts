/** Adds and changes agents, and seals their environments (SE12). */
import type * as z from 'zod'
import {
  type SealedValue,
  type StoredEnvironment,
  unmasked,
} from '../../domain/agents/environment.ts'
import { changedIsolation } from '../../domain/agents/isolation.ts'
import { Refusal } from '../../domain/errors.ts'
import { agentIdFrom, isReserved } from '../../domain/ids.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type {
  Agent,
  AgentChange,
  AgentDraft,
  AgentWithPasskey,
} from '../../protocol/agents/agent.ts'
import { maskedValue } from '../../protocol/agents/masked-value.ts'
import {
  type AgentRow,
  agentOf,
  projectIdsOf,
  selectEnvironments,
} from '../../store/agents/agents.ts'
import { selectSealedSecrets } from '../../store/agents/secrets.ts'
import { selectMeta, setMeta } from '../../store/meta.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { maskWithoutValue, noSuchAgent } from '../refusals.ts'

/** Clients give up on a call at 60 s (NA3). */
const defaultHoldSeconds = 50
const maxIdTries = 20

/** No plain value enters the store (SE12). */
export type SentEnvironment = Readonly<Record<string, SealedValue | typeof maskedValue>>

/** Adds an agent entry and returns its passkey, which is shown once (AS7). */
export const createAgent = defineUseCase('create-agent', {
  scope: 'manage',
  on: 'nobody',
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    input: Omit<z.output<typeof AgentDraft>, 'env'> & {
      env?: SentEnvironment | undefined
      by: string
    },
    { now, random },
  ): Promise<AgentWithPasskey> => {
    const env = unmasked(input.env ?? {}, {}, maskedValue)
    if ('nothingToKeep' in env) throw maskWithoutValue(env.nothingToKeep)
    await requireSameSealingKey(tx, input.env)
    const passkey = random.secret('agent')
    const row = {
      id: await freeId(tx, input.id, input.name),
      name: input.name,
      protocol: input.protocol,
      command: input.command ?? null,
      args: JSON.stringify(input.args ?? []),
      env: JSON.stringify(env.environment),
      role: input.role ?? null,
      max_processes: input.maxProcesses ?? null,
      hold_seconds: input.holdSeconds ?? defaultHoldSeconds,
      runs_on: input.runsOn ?? null,
      isolation: changedIsolation('{}', input),
      report: null,
      passkey_hash: hashSecret(passkey),
      created_at: now,
      updated_at: now,
    }
    await tx.insert('agents', row)
    const agent = agentOf(row, [])
    tx.append(home, { type: 'agent-created', data: { agent, by: input.by } })
    return { ...agent, passkey }
  },
})

/**
 * Refuses values sealed with another key than the store's nodes use, which they could not open
 * (SE12).
 */
export async function requireSameSealingKey(
  reader: Reader,
  sent: SentEnvironment = {},
): Promise<void> {
  const storedKey = (await reader.first(selectMeta, { key: 'sealing_key' }))?.value
  const isOther = (value: SentEnvironment[string]): boolean =>
    value !== maskedValue && value.key !== storedKey
  if (storedKey !== undefined && Object.values(sent).some(isOther))
    throw new Refusal('wrong_state', refusalText('otherSealingKey'))
}

/** The chosen id, or the first free one derived from the name. */
async function freeId(reader: Reader, chosen: string | undefined, name: string): Promise<string> {
  const candidates = chosen
    ? [chosen]
    : Array.from({ length: maxIdTries }, (_, index) => agentIdFrom(name, index + 1))
  for (const id of candidates) if (!(await isTaken(reader, id))) return id
  const [id] = candidates
  throw new Refusal('already_exists', refusalText('idTaken', { id: id ?? '' }), { id })
}

/** People's ids are excluded, because both kinds appear as the author of events. */
const isTaken = async (reader: Reader, id: string): Promise<boolean> =>
  isReserved(id) ||
  Boolean((await reader.row('agents', { id })) ?? (await reader.row('people', { id })))

type Change = Omit<z.output<typeof AgentChange>, 'env'> & { env?: SentEnvironment | undefined }

/**
 * Changes an agent. Fields left out stay. `env` is replaced as a whole; a masked value keeps the
 * stored one (SE7).
 */
export const changeAgent = defineUseCase('change-agent', {
  scope: 'manage',
  on: 'agent',
  streams: () => [home],
  run: async (
    tx,
    { agentId, by, ...change }: Change & { agentId: string; by: string },
    { now },
  ): Promise<Agent> => {
    const row = await tx.row('agents', { id: agentId })
    if (!row) throw noSuchAgent(agentId)
    const stored = JSON.parse(row.env) as StoredEnvironment
    const env = unmasked(change.env ?? stored, stored, maskedValue)
    if ('nothingToKeep' in env) throw maskWithoutValue(env.nothingToKeep)
    await requireSameSealingKey(tx, change.env)
    const wanted = changedRow(row, change, env.environment)
    // What was found out is of another program.
    const isOther = (['protocol', 'command', 'args'] as const).some(
      (name) => wanted[name] !== row[name],
    )
    const changed = { ...wanted, ...(isOther && { report: null }), ...keptReport(change, now) }
    const projectIds = await projectIdsOf(tx, agentId)
    if (JSON.stringify(changed) === JSON.stringify(row)) return agentOf(row, projectIds)
    changed.updated_at = now
    await tx.update('agents', changed)
    const agent = agentOf(changed, projectIds)
    tx.append(home, { type: 'agent-changed', data: { agent, by } })
    return agent
  },
})

/** The report is kept with the time it was written. */
const keptReport = ({ report }: Change, at: Instant): Pick<AgentRow, 'report'> | undefined =>
  report === undefined ? undefined : { report: report && JSON.stringify({ ...report, at }) }

/** Null is a value for some fields, so only undefined keeps the stored one. */
const changedRow = (row: AgentRow, change: Change, env: StoredEnvironment): AgentRow => ({
  ...row,
  name: change.name ?? row.name,
  protocol: change.protocol ?? row.protocol,
  command: change.command === undefined ? row.command : change.command,
  args: change.args ? JSON.stringify(change.args) : row.args,
  env: JSON.stringify(env),
  role: change.role === undefined ? row.role : change.role,
  max_processes: change.maxProcesses === undefined ? row.max_processes : change.maxProcesses,
  hold_seconds: change.holdSeconds ?? row.hold_seconds,
  runs_on: change.runsOn === undefined ? row.runs_on : change.runsOn,
  isolation: changedIsolation(row.isolation, change),
})

// Replaces plain values from an earlier build by sealed ones (SE12), if they have not changed.
// Records that their text must still be erased from the files. Readers see no change, so there is
// no event.

export const sealEnvironments = defineUseCase('seal-environments', {
  scope: 'server',
  on: 'nobody',
  streams: (_: {
    agents: readonly { readonly id: string; readonly from: string; readonly to: string }[]
  }) => [home],
  run: async (tx, { agents }): Promise<void> => {
    for (const { id, from, to } of agents)
      if ((await tx.row('agents', { id }))?.env === from) await tx.update('agents', { id, env: to })
    await tx.write(setMeta, { key: 'plain_values', value: 'sealed' })
  },
})

interface Claim {
  readonly keyId: string
  /** Whether only this node uses the store. */
  readonly alone: boolean
}

/**
 * Sets the key that the store's nodes seal with (SE12). Returns false to a node whose key opens
 * none of the sealed values. On a store with one node, or after a restore, its key is accepted and
 * values it cannot open must be entered again.
 */
export const claimSealingKey = defineUseCase('claim-sealing-key', {
  // Locks no stream, because it runs first in a new store.
  scope: 'server',
  on: 'nobody',
  streams: (_: Claim) => [],
  run: async (tx, { keyId, alone }): Promise<boolean> => {
    const storedKey = (await tx.first(selectMeta, { key: 'sealing_key' }))?.value
    const environments = (await tx.all(selectEnvironments, {})).map(
      ({ env }) => JSON.parse(env) as StoredEnvironment,
    )
    const secrets = (await tx.all(selectSealedSecrets, {})).map(
      ({ sealed }) => JSON.parse(sealed) as SealedValue,
    )
    const values = [...environments.flatMap((env) => Object.values(env)), ...secrets]
    const keys = new Set(values.flatMap((value) => (typeof value === 'string' ? [] : [value.key])))
    if (storedKey !== undefined && !alone && keys.size > 0 && !keys.has(keyId)) return false
    if (storedKey !== keyId) await tx.write(setMeta, { key: 'sealing_key', value: keyId })
    return true
  },
})
