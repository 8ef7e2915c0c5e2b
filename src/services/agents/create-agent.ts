/** Adds an agent entry and returns its passkey, which is shown once (AS7). */

import type * as z from 'zod'
import { type SealedValue, unmasked } from '../../domain/agents/environment.ts'
import { changedIsolation } from '../../domain/agents/isolation.ts'
import { Refusal } from '../../domain/errors.ts'
import { agentIdFrom, isReserved } from '../../domain/ids.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { AgentDraft, AgentWithPasskey } from '../../protocol/agents/agent.ts'
import { maskedValue } from '../../protocol/agents/masked-value.ts'
import { agentOf } from '../../store/agents/agents.ts'
import { selectMeta } from '../../store/meta.ts'
import { defineUseCase, type Reader } from '../../store/store.ts'
import { maskWithoutValue } from '../refusals.ts'

/** Clients give up on a call at 60 s (NA3). */
const defaultHoldSeconds = 50
const maxIdTries = 20

/** No plain value enters the store (SE12). */
export type SentEnvironment = Readonly<Record<string, SealedValue | typeof maskedValue>>

export const createAgent = defineUseCase('create-agent', {
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    input: Omit<z.output<typeof AgentDraft>, 'env'> & { env?: SentEnvironment | undefined; by: string },
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

/** Refuses values sealed with another key than the store's nodes use, which they could not open (SE12). */
export async function requireSameSealingKey(reader: Reader, sent: SentEnvironment = {}): Promise<void> {
  const said = (await reader.first(selectMeta, { key: 'sealing_key' }))?.value
  const isOther = (value: SentEnvironment[string]): boolean => value !== maskedValue && value.key !== said
  if (said !== undefined && Object.values(sent).some(isOther)) throw new Refusal('wrong_state', refusalText('otherSealingKey'))
}

/** The chosen id, or the first free one derived from the name. */
async function freeId(reader: Reader, chosen: string | undefined, name: string): Promise<string> {
  const candidates = chosen ? [chosen] : Array.from({ length: maxIdTries }, (_, index) => agentIdFrom(name, index + 1))
  for (const id of candidates) if (!(await isTaken(reader, id))) return id
  const [id] = candidates
  throw new Refusal('already_exists', refusalText('idTaken', { id: id ?? '' }), { id })
}

/** People's ids are excluded, because both kinds appear as the author of events. */
const isTaken = async (reader: Reader, id: string): Promise<boolean> =>
  isReserved(id) || Boolean((await reader.row('agents', { id })) ?? (await reader.row('people', { id })))
