/** The tables of machines, launches and leases. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { Process, ProcessEndReason } from '../../protocol/processes/process.ts'

/** The epoch is in `coordinator_epochs`. */
export interface CoordinatorsTable {
  id: string
  machine: string
  state: 'connected' | 'unreachable' | 'stopped'
  instance: string
  /** The number of its newest stored report. */
  last_fact: number
  version: string
  boot_id: string
  pid: number
  joined_at: Instant
  last_heard_at: Instant
  /** A list of labels as JSON. */
  labels: string
  /** The most processes; null: the server's setting. */
  capacity: number | null
  /** 1: a process can hold several contexts there. */
  contexts: number
}

export interface LaunchesTable {
  id: string
  agent_id: string
  project_id: string
  coordinator_id: string
  state: Process['state']
  /** The hash of the launch token; null before the token is taken and after the end. */
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
  /** The agent in a role that it was started for; null for a pulling agent. */
  role_agent_id: string | null
  /** Since when an ACP agent can be given a turn (CH12). */
  ready_at: Instant | null
  /** The most conversations of the process; null: unlimited. */
  context_limit: number | null
  /** The name that it reported (`agentInfo` of ACP), once it is ready. */
  agent_name: string | null
}

export interface LeasesTable {
  name: string
  holder: string
  held_until: Instant
}
