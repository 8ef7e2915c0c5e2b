/**
 * The tables as TypeScript sees them. Times are RFC 3339 text, JSON is text, yes and no are 1 and 0: one form that both
 * engines store alike and a person can read with any SQL client.
 */
import type { Instant } from '../domain/instant.ts'
import type { StreamName } from '../domain/stream/name.ts'

interface MetaTable {
  key: string
  value: string
}

interface StreamsTable {
  name: StreamName
  /** The number of the newest event. */
  head: number
  /** Events up to this number were trimmed. */
  floor: number
}

interface EventsTable {
  stream: StreamName
  seq: number
  type: string
  at: Instant
  data: string | null
  ref_stream: StreamName | null
  ref_seq: number | null
}

interface ReceiptsTable {
  credential_id: string
  operation: string
  key: string
  content_hash: string
  answer: string
  sealed: number
  created_at: Instant
}

interface ProjectsTable {
  id: string
  name: string
  path: string | null
  settings: string
  created_at: Instant
  updated_at: Instant
}

interface AgentsTable {
  id: string
  name: string
  protocol: 'acp' | 'mcp'
  command: string | null
  args: string
  env: string
  role: string | null
  max_processes: number | null
  hold_seconds: number
  passkey_hash: string
  created_at: Instant
  updated_at: Instant
}

interface AssignmentsTable {
  project_id: string
  agent_id: string
  created_at: Instant
}

interface PeopleTable {
  id: string
  name: string
  role: 'owner' | 'member' | 'viewer'
  created_at: Instant
}

/** Everything that can be presented instead of the owner token: people's and scripts' tokens, browsers' cookies. */
interface CredentialsTable {
  id: string
  kind: 'person' | 'browser' | 'script' | 'coordinator'
  /** The person who answers for it: whose token or browser it is, or who made it. */
  person_id: string
  name: string
  hash: string
  scopes: string
  created_by: string
  created_at: Instant
  expires_at: Instant | null
}

interface SignInCodesTable {
  hash: string
  person_id: string
  expires_at: Instant
}

export interface Tables {
  meta: MetaTable
  streams: StreamsTable
  events: EventsTable
  receipts: ReceiptsTable
  projects: ProjectsTable
  agents: AgentsTable
  assignments: AssignmentsTable
  people: PeopleTable
  credentials: CredentialsTable
  sign_in_codes: SignInCodesTable
}
