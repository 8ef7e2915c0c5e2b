/** The tables of where agents run: machines, what they were ordered, and who looks after all of it. Parts of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { Process, ProcessEndReason } from '../../protocol/processes/process.ts'

/** Its epoch is in `coordinator_epochs`. */
export interface CoordinatorsTable {
  id: string
  machine: string
  state: 'connected' | 'unreachable' | 'stopped'
  instance: string
  /** The number of its newest fact that is stored. */
  last_fact: number
  version: string
  boot_id: string
  pid: number
  joined_at: Instant
  last_heard_at: Instant
  /** A list of words, as JSON. */
  labels: string
  /** Processes at once; null: as the server says. */
  capacity: number | null
  /** 1: one process of an agent can hold several contexts there. */
  contexts: number
}

export interface LaunchesTable {
  id: string
  agent_id: string
  project_id: string
  coordinator_id: string
  state: Process['state']
  /** Of the launch token; none before it is taken and after it has ended. */
  token_hash: string | null
  pid: number | null
  birth: string | null
  ordered_at: Instant
  started_at: Instant | null
  stop_ordered_at: Instant | null
  stop_reason: ProcessEndReason | null
  ended_at: Instant | null
  exit_code: number | null
  signal: string | null
  reason: ProcessEndReason | null
  detail: string | null
  /** JSON of `{code, params}`: what `detail` was made from (HT7); none in rows of before, and of text that is not ours. */
  notice: string | null
  output: string
  /** Whose process it is, when it was spawned into a role; null for one that pulls its work. */
  role_agent_id: string | null
  /** Since when it can be told something, if it is spoken to (CH12). */
  ready_at: Instant | null
  /** How many conversations the process can hold; null: any number. */
  context_limit: number | null
  /** As it names itself (`agentInfo` of ACP), once it is ready. */
  agent_name: string | null
}

export interface LeasesTable {
  name: string
  holder: string
  held_until: Instant
}
