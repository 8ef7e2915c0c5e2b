/** The tables of secrets (SR). Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { SecretForm, SecretUse } from '../../protocol/agents/secret.ts'
import { column, fixed, key } from './column.ts'

export const secretTables = {
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
