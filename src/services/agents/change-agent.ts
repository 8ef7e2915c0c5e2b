/** Changes an agent. Fields left out stay. `env` is replaced as a whole; a masked value keeps the stored one (SE7). */
import type * as z from 'zod'
import { type StoredEnvironment, unmasked } from '../../domain/agents/environment.ts'
import { changedIsolation } from '../../domain/agents/isolation.ts'
import type { Instant } from '../../domain/instant.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { Agent, AgentChange } from '../../protocol/agents/agent.ts'
import { maskedValue } from '../../protocol/agents/masked-value.ts'
import { type AgentRow, agentOf, projectIdsOf, updateAgent } from '../../store/agents/agents.ts'
import { revokeOfAgent } from '../../store/approvals/allowances.ts'
import { defineUseCase } from '../../store/store.ts'
import { revokeAllOfAgent } from '../agent-sessions/agent-session-end.ts'
import { maskWithoutValue, noSuchAgent } from '../refusals.ts'
import { requireSameSealingKey, type SentEnvironment } from './create-agent.ts'

type Change = Omit<z.output<typeof AgentChange>, 'env'> & { env?: SentEnvironment | undefined }

export const changeAgent = defineUseCase('change-agent', {
  streams: () => [home],
  run: async (tx, { agentId, by, ...change }: Change & { agentId: string; by: string }, { now }): Promise<Agent> => {
    const row = await tx.row('agents', { id: agentId })
    if (!row) throw noSuchAgent(agentId)
    const stored = JSON.parse(row.env) as StoredEnvironment
    const env = unmasked(change.env ?? stored, stored, maskedValue)
    if ('nothingToKeep' in env) throw maskWithoutValue(env.nothingToKeep)
    await requireSameSealingKey(tx, change.env)
    const changed = { ...changedRow(row, change, env.environment), ...keptReport(change, now) }
    const projectIds = await projectIdsOf(tx, agentId)
    if (JSON.stringify(changed) === JSON.stringify(row)) return agentOf(row, projectIds)
    changed.updated_at = now
    await tx.write(updateAgent, changed)
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

/** Replaces an agent's passkey, shown once. The old one and its sessions stop working at once (AS7, SE3). */
export const replacePasskey = defineUseCase('replace-passkey', {
  answersSecret: true,
  streams: ({ projectIds = [] }: { agentId: string; projectIds?: readonly string[]; by: string }) => [
    home,
    ...projectIds.map(projectStream),
  ],
  run: async (tx, { agentId, projectIds = [], by }, context): Promise<{ passkey: string }> => {
    if (!(await tx.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
    await revokeAllOfAgent(tx, agentId, projectIds, context)
    const passkey = context.random.secret('agent')
    await tx.change('agents', { id: agentId, passkey_hash: hashSecret(passkey) })
    tx.append(home, { type: 'passkey-replaced', data: { agentId, by } })
    return { passkey }
  },
})

/** Deletes an agent, its assignments and sessions. Its passkey stops working. */
export const deleteAgent = defineUseCase('delete-agent', {
  streams: ({ projectIds = [] }: { agentId: string; projectIds?: readonly string[]; by: string }) => [
    home,
    ...projectIds.map(projectStream),
  ],
  run: async (tx, { agentId, projectIds = [], by }, context): Promise<void> => {
    if (!(await tx.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
    await revokeAllOfAgent(tx, agentId, projectIds, context)
    await tx.delete('assignments', { agent_id: agentId })
    await tx.delete('panels', { agent_id: agentId })
    // An agent that is made anew under the same id gets none of them.
    await tx.delete('secret_agents', { agent_id: agentId })
    await tx.write(revokeOfAgent, { agentId, now: context.now, by })
    await tx.delete('agents', { id: agentId })
    tx.append(home, { type: 'agent-deleted', data: { agentId, by } })
  },
})
