/** The tables of turns, their items and their contexts. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import type { ContextState, HowOpened, TurnAbout, TurnState } from '../../domain/turns/lifecycle.ts'

/** One prompt and its result: a row from the commit of its first message on. */
export interface TurnsTable {
  /** Also `messageId` on the relay and the `clientId` of the answer. */
  id: string
  conversation_key: string
  /** Between agents: the conversation of the requesting context; empty otherwise. */
  origin_key: string
  /** null until it is dispatched. */
  context_id: string | null
  agent_id: string
  project_id: string
  launch_id: string | null
  agent_session_id: string | null
  /** The next three columns are for agents in roles only. */
  role_agent_id: string | null
  user_session_id: string | null
  role: string | null
  work_session_id: string | null
  about: TurnAbout
  task_id: string | null
  /** The last message that a summary covers; for a prompt in a role, its message. */
  through_seq: number | null
  state: TurnState
  stop_reason: string | null
  error: string | null
  /** JSON: the code and parameters beside `error`. */
  notice: string | null
  /** JSON: the parts of the prompt; for a chat, once it is dispatched. */
  content: string
  /** The primer given to the context in this turn; null when there was none. */
  primer: string | null
  answer: string
  cut: number
  /** JSON: token counts and cost as the agent reported them; null: not reported. */
  usage: string | null
  /** The earlier attempt that this one repeats. */
  retry_of: string | null
  /** A turn parked by a vendor's limit is dispatched after this time, and only with a person's consent. */
  not_before: Instant | null
  asked_by: string
  /** The numbers of its events in the stream: requested, begun, ended. */
  asked_seq: number
  started_seq: number | null
  ended_seq: number | null
  created_at: Instant
  started_at: Instant | null
  ended_at: Instant | null
  cancel_ordered_at: Instant | null
  cancel_request_id: string | null
  /** The person who cancelled it. */
  cancel_by: string | null
  /** CX9: a person allowed it to run beside another turn in the same folder. */
  begins_beside: number
}

/** The items of a turn in order: text, thoughts, tool calls, plan; written in the commit that ends it. */
export interface TurnItemsTable {
  turn_id: string
  n: number
  kind: string
  /** JSON. */
  body: string
}

/** An agent's context of one conversation: its own ACP session, or the pulling agent's session. */
export interface ContextsTable {
  id: string
  agent_id: string
  project_id: string
  conversation_key: string
  /** The conversation of the requesting context (between agents); empty otherwise. */
  origin_key: string
  /** The generation of the conversation it knows. */
  generation: number
  state: ContextState
  launch_id: string | null
  agent_session_id: string | null
  acp_session_id: string | null
  created_at: Instant
  opened_at: Instant | null
  how: HowOpened | null
  not_restored: string | null
  /** JSON: the code and parameters beside `not_restored`. */
  notice: string | null
  /** When it was given its primer, or the news after a restart, since it was last opened. */
  primed_at: Instant | null
  /** The newest message of the conversation that it was given. */
  told_through: number
  decisions_told_at: Instant | null
  /** JSON: the commands its agent offers, as last reported; null: none yet. */
  commands: string | null
  /** Consecutive failures without a useful result (0 to 3). */
  trouble: number
  /** AG6: the vendor's limit that this turn met, the person who let it continue automatically, and the remaining retries. */
  limited_until: Instant | null
  limited_turn_id: string | null
  goes_on_by: string | null
  goes_on_left: number
  ended_at: Instant | null
  end_reason: string | null
}

/** FS7: the files of a turn's workplace. A row from the commit that begins the turn on; the states come with what its machine tells. */
export interface TurnFilesTable {
  turn_id: string
  conversation_key: string
  project_id: string
  coordinator_id: string
  /** The root of the checkout; null until it is known, or where there is no git. */
  top: string | null
  /** JSON: a FileState. */
  before_state: string | null
  after_state: string | null
  /** JSON: files, added and removed lines. */
  changes: string | null
  /** JSON: what the states do not hold. */
  left_out: string | null
  /** The conversation's last message before its prompt, and where its history began. */
  from_seq: number
  kept_after: number
  /** FS8: the rewind that took the turn back. */
  rewound_by: string | null
  created_at: Instant
}

/** FS8, FS9: a rewind, its undoing, or a fork: asked in one commit, done in another, completed after a crash in between. */
export interface FileOperationsTable {
  id: string
  kind: 'rewind' | 'undo' | 'fork'
  state: 'asked' | 'done' | 'refused'
  conversation_key: string
  turn_id: string
  project_id: string
  coordinator_id: string
  top: string
  /** JSON: what was asked of the machine, and how the conversation changes. */
  ask: string
  result: string | null
  asked_by: string
  asked_at: Instant
  ended_at: Instant | null
}

export interface TurnTables {
  turn_files: TurnFilesTable
  file_operations: FileOperationsTable
  turns: TurnsTable
  turn_items: TurnItemsTable
  contexts: ContextsTable
}
