/** The tables of secrets (SR). Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { SecretForm, SecretUse } from '../../protocol/agents/secret.ts'

export interface SecretTables {
  secrets: {
    project_id: string
    name: string
    /** JSON of a SealedValue. */
    sealed: string
    given_as: SecretForm
    created_at: Instant
    updated_at: Instant
    updated_by: string
  }
  secret_agents: { project_id: string; name: string; agent_id: string }
  /** One row for each launch that was given the secret; the newest are kept. */
  secret_uses: {
    project_id: string
    name: string
    launch_id: string
    agent_id: string
    given_as: SecretUse['givenAs']
    used_at: Instant
  }
}
