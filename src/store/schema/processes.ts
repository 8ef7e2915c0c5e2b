/** The tables of machines, launches and leases. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { Process, ProcessEndReason } from '../../protocol/processes/process.ts'
import { column, fixed, key } from './column.ts'

export const processTables = {
  /** The epoch is in `coordinator_epochs`. */
  coordinators: {
    id: key<string>(),
    machine: column<string>(),
    state: column<'connected' | 'unreachable' | 'stopped'>(),
    instance: column<string>(),
    /** The number of its newest stored report. */
    last_fact: column<number>(),
    version: column<string>(),
    boot_id: column<string>(),
    pid: column<number>(),
    joined_at: column<Instant>(),
    last_heard_at: column<Instant>(),
    /** A list of labels as JSON. */
    labels: column<string>(),
    /** The most processes; null: the server's setting. */
    capacity: column<number | null>(null),
    /** 1, for nodes of the build before: a process can hold several contexts there. */
    contexts: column<number>(),
    /** SN10: 1: makes places of sessions for agents that pull. */
    threads: column<number>(0),
    /** Made with its last greeting. The connection of an earlier one begins nothing. */
    greeting: column<string>(''),
  },

  launches: {
    id: key<string>(),
    agent_id: fixed<string>(),
    project_id: fixed<string>(),
    /** The thread that it alone serves; empty: a common process of the agent in the project. */
    lane: fixed<string>(),
    coordinator_id: column<string>(),
    state: column<Process['state']>(),
    /** The hash of the launch token; null before the token is taken and after the end. */
    token_hash: column<string | null>(null),
    pid: column<number | null>(null),
    birth: column<string | null>(null),
    ordered_at: column<Instant>(),
    started_at: column<Instant | null>(null),
    stop_ordered_at: column<Instant | null>(null),
    stop_reason: column<ProcessEndReason | null>(null),
    ended_at: column<Instant | null>(null),
    exit_code: column<number | null>(null),
    signal: column<string | null>(null),
    reason: column<ProcessEndReason | null>(null),
    detail: column<string | null>(null),
    /**
     * JSON of `{code, params}`: what `detail` was made from (HT7); none in rows of before, and of
     * text that is not ours.
     */
    notice: column<string | null>(null),
    output: column<string>(''),
    /** The agent in a role that it was started for; null for a pulling agent. */
    role_agent_id: fixed<string | null>(null),
    /** Since when an ACP agent can be given a turn (CH12). */
    ready_at: column<Instant | null>(null),
    /** The most conversations of the process; null: unlimited. */
    context_limit: column<number | null>(null),
    /** The name that it reported (`agentInfo` of ACP), once it is ready. */
    agent_name: column<string | null>(null),
    /** AC10: JSON, a list of `UnknownSent`; null: none. */
    unknown: column<string | null>(null),
    /**
     * AC11: whether it has connected to Holdfast's tools, or a person was told that it has not;
     * null: neither.
     */
    tools: column<'connected' | 'missing' | null>(null),
    /**
     * The project's folder when it was started; empty: the project had none; null: not recorded.
     */
    folder: column<string | null>(null),
  },

  leases: {
    name: key<string>(),
    holder: column<string>(),
    held_until: column<Instant>(),
  },

  /** The newest epoch of a coordinator; reports from an older one are refused (PX6). */
  coordinator_epochs: {
    coordinator_id: key<string>(),
    epoch: column<number>(),
  },
}
