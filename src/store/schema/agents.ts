/** The tables of agents, and of the secrets that they are given (SR). Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { SecretForm, SecretUse } from '../../protocol/agents/secret.ts'
import { column, fixed, key } from './column.ts'

export const agentTables = {
  agents: {
    id: key<string>(),
    name: column<string>(),
    protocol: column<'acp' | 'mcp'>(),
    command: column<string | null>(null),
    args: column<string>(),
    env: column<string>(),
    role: column<string | null>(null),
    max_processes: column<number | null>(null),
    hold_seconds: column<number>(),
    /** The label of the machines it may run on; null for any. */
    runs_on: column<string | null>(null),
    /** JSON: domain/agents/isolation.ts. */
    isolation: column<string>(),
    /** JSON: protocol/agents/report.ts. */
    report: column<string | null>(null),
    passkey_hash: column<string>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  secrets: {
    project_id: key<string>(),
    name: key<string>(),
    /** JSON of a SealedValue. */
    sealed: column<string>(),
    given_as: column<SecretForm>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
    updated_by: column<string>(),
  },

  secret_agents: { project_id: key<string>(), name: key<string>(), agent_id: key<string>() },

  /** One row for each launch that was given the secret; the newest are kept. */
  secret_uses: {
    project_id: key<string>(),
    name: key<string>(),
    launch_id: key<string>(),
    agent_id: fixed<string>(),
    given_as: column<SecretUse['givenAs']>(),
    used_at: column<Instant>(),
  },
}
