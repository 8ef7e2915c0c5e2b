/** The tables of agent sessions, and of what begins and ends them. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import { column, fixed, key } from './column.ts'

export const agentSessionTables = {
  /** A chat panel was opened: work for the agent until a session takes it (AS3). */
  pending_purposes: {
    agent_id: key<string>(),
    project_id: key<string>(),
    lane: key<string>(),
    created_at: column<Instant>(),
  },

  /**
   * Conversations between agents that a live agent session has written in: they are closed when it
   * ends (CV10, AS9).
   */
  open_conversations: {
    agent_session_id: key<string>(),
    conversation_key: key<string>(),
  },

  agent_sessions: {
    id: key<string>(),
    agent_id: fixed<string>(),
    project_id: fixed<string>(),
    /** As its launch; empty: the common processes of the agent in the project. */
    lane: fixed<string>(),
    purpose: fixed<'chat' | 'task'>(),
    state: column<'active' | 'terminating' | 'ended'>(),
    launch_id: fixed<string | null>(null),
    token_hash: column<string>(),
    work_session_id: column<string | null>(null),
    created_at: fixed<Instant>(),
    last_activity_at: column<Instant>(),
    /** The last `respond_chat`; null before the first. */
    last_answer_at: column<Instant | null>(null),
    expires_at: column<Instant>(),
    terminating_at: column<Instant | null>(null),
    suspected_at: column<Instant | null>(null),
    ended_at: column<Instant | null>(null),
    end_reason: column<string | null>(null),
    /** The resumed work session whose context this one was handed (NA11). */
    resumed_work_session_id: column<string | null>(null),
    /** The conversation that a pulling agent holds. */
    context_id: column<string | null>(null),
  },

  /** Exit reports of processes that were already decided (PX6). */
  exit_reports: {
    /** The coordinator that reported: each has its own numbers. */
    reporter_id: key<string>(),
    report_id: key<string>(),
    created_at: fixed<Instant>(),
  },
}
