/** The tables of turns, their items and their contexts. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { ContextState, HowOpened, TurnAbout, TurnState } from '../../domain/turns/lifecycle.ts'
import { column, fixed, key } from './column.ts'

export const turnTables = {
  /** One prompt and its result: a row from the commit of its first message on. */
  turns: {
    /** Also `messageId` on the relay and the `clientId` of the answer. */
    id: key<string>(),
    conversation_key: fixed<string>(),
    /** Between agents: the conversation of the requesting context; empty otherwise. */
    origin_key: fixed<string>(''),
    /** null until it is dispatched. */
    context_id: column<string | null>(null),
    agent_id: fixed<string>(),
    project_id: fixed<string>(),
    /** The processes that may run it: that of its conversation, or of the one that asked. */
    lane: fixed<string>(),
    launch_id: column<string | null>(null),
    agent_session_id: column<string | null>(null),
    /** The next three columns are for agents in roles only. */
    role_agent_id: column<string | null>(null),
    user_session_id: fixed<string | null>(null),
    role: fixed<string | null>(null),
    work_session_id: fixed<string | null>(null),
    about: fixed<TurnAbout>(),
    task_id: fixed<string | null>(null),
    /** The last message that a summary covers; for a prompt in a role, its message. */
    through_seq: fixed<number | null>(null),
    state: column<TurnState>('queued'),
    stop_reason: column<string | null>(null),
    error: column<string | null>(null),
    /** JSON: the code and parameters beside `error`. */
    notice: column<string | null>(null),
    /** JSON: the parts of the prompt; for a chat, once it is dispatched. */
    content: column<string>('[]'),
    /** The primer given to the context in this turn; null when there was none. */
    primer: column<string | null>(null),
    answer: column<string>(''),
    cut: column<number>(0),
    /** JSON: token counts and cost as the agent reported them; null: not reported. */
    usage: column<string | null>(null),
    /** The earlier attempt that this one repeats. */
    retry_of: fixed<string | null>(null),
    /**
     * A turn parked by a vendor's limit is dispatched after this time, and only with a person's
     * consent.
     */
    not_before: column<Instant | null>(null),
    asked_by: fixed<string>(),
    /** The numbers of its events in the stream: requested, begun, ended. */
    asked_seq: fixed<number>(0),
    started_seq: column<number | null>(null),
    ended_seq: column<number | null>(null),
    created_at: fixed<Instant>(),
    started_at: column<Instant | null>(null),
    ended_at: column<Instant | null>(null),
    cancel_ordered_at: column<Instant | null>(null),
    cancel_request_id: column<string | null>(null),
    cancel_by: column<string | null>(null),
    /** CX9: a person allowed it to run beside another turn in the same folder. */
    begins_beside: column<number>(0),
    /** SN20: why what waits in a session does not begin by itself; null: it does. */
    paused: column<'stopped' | 'failed' | null>(null),
  },

  /**
   * The items of a turn in order: text, thoughts, tool calls, plan; written in the commit that ends
   * it.
   */
  turn_items: {
    turn_id: key<string>(),
    n: key<number>(),
    kind: fixed<string>(),
    /** JSON. */
    body: fixed<string>(),
  },

  /**
   * An agent's context of one conversation: its own ACP session, or the pulling agent's session.
   */
  contexts: {
    id: key<string>(),
    agent_id: fixed<string>(),
    project_id: fixed<string>(),
    conversation_key: fixed<string>(),
    /** The conversation of the requesting context (between agents); empty otherwise. */
    origin_key: fixed<string>(),
    /** The generation of the conversation it knows. */
    generation: fixed<number>(),
    state: column<ContextState>('asleep'),
    launch_id: column<string | null>(null),
    agent_session_id: column<string | null>(null),
    acp_session_id: column<string | null>(null),
    /** AC12: the ACP session to fork when it is first opened. */
    fork_of: column<string | null>(null),
    created_at: fixed<Instant>(),
    opened_at: column<Instant | null>(null),
    how: column<HowOpened | null>(null),
    not_restored: column<string | null>(null),
    /** JSON: the code and parameters beside `not_restored`. */
    notice: column<string | null>(null),
    /** When it was given its primer, or the news after a restart, since it was last opened. */
    primed_at: column<Instant | null>(null),
    /** The newest message of the conversation that it was given. */
    told_through: column<number>(0),
    decisions_told_at: column<Instant | null>(null),
    /** JSON: the commands its agent offers, as last reported; null: none yet. */
    commands: column<string | null>(null),
    /**
     * JSON: its modes and options, and what people chose of them (AG14); null in roles, and until
     * it was opened.
     */
    offers: column<string | null>(null),
    /** Consecutive failures without a useful result (0 to 3). */
    trouble: column<number>(0),
    /**
     * AG6: the vendor's limit that this turn met, the person who let it continue automatically, and
     * the remaining retries.
     */
    limited_until: column<Instant | null>(null),
    limited_turn_id: column<string | null>(null),
    goes_on_by: column<string | null>(null),
    goes_on_left: column<number>(0),
    ended_at: column<Instant | null>(null),
    end_reason: column<string | null>(null),
  },

  /**
   * The sessions of agents' own in which something ran here, kept for good: what is in their files
   * is not taken in again (IM7).
   */
  agent_session_ids: {
    id: key<string>(),
    conversation_key: fixed<string>(),
  },

  /**
   * FS7: the files of a turn's workplace. A row from the commit that begins the turn on; the states
   * come with what its machine tells.
   */
  turn_files: {
    turn_id: key<string>(),
    conversation_key: fixed<string>(),
    project_id: fixed<string>(),
    coordinator_id: column<string>(),
    /** The root of the checkout; null until it is known, or where there is no git. */
    top: column<string | null>(null),
    /** JSON: a FileState. */
    before_state: column<string | null>(null),
    after_state: column<string | null>(null),
    /** JSON: files, added and removed lines. */
    changes: column<string | null>(null),
    /** JSON: what the states do not hold. */
    left_out: column<string | null>(null),
    /** The conversation's last message before its prompt, and where its history began. */
    from_seq: fixed<number>(),
    kept_after: fixed<number>(),
    /** FS8: the rewind that took the turn back. */
    rewound_by: column<string | null>(null),
    created_at: fixed<Instant>(),
  },

  /**
   * FS8, FS9: a rewind, its undoing, or a fork: asked in one commit, done in another, completed
   * after a crash in between.
   */
  file_operations: {
    id: key<string>(),
    kind: fixed<'rewind' | 'undo' | 'fork'>(),
    state: column<'asked' | 'done' | 'refused'>(),
    conversation_key: fixed<string>(),
    turn_id: fixed<string>(),
    project_id: fixed<string>(),
    coordinator_id: fixed<string>(),
    top: fixed<string>(),
    /** JSON: what was asked of the machine, and how the conversation changes. */
    ask: fixed<string>(),
    result: column<string | null>(null),
    asked_by: fixed<string>(),
    asked_at: fixed<Instant>(),
    ended_at: column<Instant | null>(null),
  },

  /** GW5: what requests through a gateway have used. */
  model_usage: {
    launch_id: key<string>(),
    /** Empty outside a turn. */
    turn_id: key<string>(),
    model: key<string>(),
    project_id: fixed<string>(),
    agent_id: fixed<string>(),
    requests: column<number>(),
    /** Those whose numbers are exact. */
    finished: column<number>(),
    input_tokens: column<number>(),
    output_tokens: column<number>(),
    cached_tokens: column<number>(),
    updated_at: column<Instant>(),
  },
}
